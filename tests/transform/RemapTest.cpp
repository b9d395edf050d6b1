// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the second stage of consolidate writes and what it leaves in shared memory, and why. It is called by
// itself, on kernels of one warp as the first stage leaves them.
#include "transform/consolidate/Remap.h"

#include "transform/Collect.h"
#include "transform/Optimized.h"

using namespace heddle;
using namespace heddle::transform;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

struct Remapped {
  std::string text;     ///< of the file; empty where it was refused
  std::string messages; ///< "kept: ...", "done: ...", "refused: ...", a line each
};

Remapped remap(const std::string &text, const std::string &directives = "consolidate remap=on") {
  Options options;
  options.compile.cudaPath = "none";
  auto parsed = source::Program::parseText("test.cu", text, options.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program)
    return {"", std::get<source::ParseFailure>(parsed).compilerMessages};
  Diagnostics diagnostics;
  const Directive directive = readDirectives(directives, diagnostics).at(0);
  source::Edits edits;
  Target target{"k", (*program)->kernelsNamed("k")};
  Context context(**program, target, directive, options, diagnostics);
  const bool isDone = heddle::testing::collect(remapShared(context), edits);
  Remapped result{isDone ? text : "", ""};
  auto applied = edits.apply();
  if (auto *files = std::get_if<0>(&applied); files && !files->empty())
    result.text = files->begin()->second;
  for (const Diagnostic &each : diagnostics.all())
    result.messages += (each.voice == Voice::Refusal ? "refused: " : "said: ") + each.text + "\n";
  return result;
}

/// A kernel of blocks of 8 warps' work, with `t` for the thread, in two steps between barriers.
std::string twoSteps(const std::string &first, const std::string &second,
                     const std::string &declaration = "__shared__ int s[256];") {
  const std::string loop = "  #pragma unroll\n  for (unsigned kx = 0; kx < 8; ++kx) {\n"
                           "    const unsigned t = threadIdx.x + kx * 32;\n";
  return "__global__ void k(int *a, const int *b, int n) {\n  " + declaration + "\n" + loop + "    " + first +
         "\n  }\n  __syncwarp();\n" + loop + "    " + second +
         "\n  }\n}\nint main() { k<<<4, 32>>>(nullptr, nullptr, 0); }\n";
}

/// The second step after remapping, where the first one fills the array.
std::string afterwards(const std::string &second, const std::string &declaration = "__shared__ int s[256];") {
  return remap(twoSteps("s[t] = b[t];", second, declaration)).text;
}

std::string whyKept(const std::string &second, const std::string &declaration = "__shared__ int s[256];") {
  return remap(twoSteps("s[t] = b[t];", second, declaration), "consolidate").messages;
}

} // namespace

TEST(Remap, TypesOfElementsAreWrittenAsTheFileWritesThem) {
  EXPECT_THAT(afterwards("a[t] = s[t];", "using Word = int; __shared__ Word s[256];"),
              HasSubstr("heddle::Striped<Word, 256> s;"));
  EXPECT_THAT(remap(twoSteps("s[t].v = b[t];", "a[t] = s[t].v;", "__shared__ struct { int v, w; } s[256];"),
                    "consolidate")
                  .messages,
              HasSubstr("the type of its elements has no name"));
}

TEST(Remap, AReductionTreeBecomesRegistersAndShuffles) {
  EXPECT_EQ(
      remap("__global__ void k(int *a) {\n"
            "  __shared__ int s[256];\n"
            "  for (int kx = 0; kx < 8; ++kx)\n"
            "    s[threadIdx.x + kx * 32] = a[threadIdx.x + kx * 32];\n"
            "  __syncwarp();\n"
            "  for (int half = 128; half > 0; half >>= 1) {\n"
            "    #pragma unroll\n"
            "    for (int kx = 0; kx < 8; ++kx) {\n"
            "      const int t = threadIdx.x + kx * 32;\n"
            "      if (t < half)\n"
            "        s[t] += s[t + half];\n"
            "    }\n"
            "    __syncwarp();\n"
            "  }\n"
            "  if (threadIdx.x == 0)\n"
            "    a[0] = s[0];\n"
            "}\n"
            "int main() { k<<<1, 32>>>(nullptr); }\n")
          .messages,
      "refused: consolidate remap=on: no shared array can become registers: 's' stays in shared memory: "
      "the register of 's[threadIdx.x + kx * 32]' is an address known only at run time: 'kx' counts a loop "
      "that is not unrolled, and registers have no addresses\n");
  EXPECT_EQ(remap("__global__ void k(int *a) {\n"
                  "  __shared__ int s[64];\n"
                  "  s[threadIdx.x] = a[threadIdx.x];\n"
                  "  s[threadIdx.x + 32] = a[threadIdx.x + 32];\n"
                  "  __syncwarp();\n"
                  "  for (int half = 32; half > 0; half >>= 1) {\n"
                  "    if (threadIdx.x < half)\n"
                  "      s[threadIdx.x] += s[threadIdx.x + half];\n"
                  "    __syncwarp();\n"
                  "  }\n"
                  "  if (threadIdx.x == 0)\n"
                  "    a[0] = s[0];\n"
                  "}\n"
                  "int main() { k<<<1, 32>>>(nullptr); }\n")
                .text,
            "#include <heddle/striped.cuh>\n"
            "\n"
            "__global__ void k(int *a) {\n"
            "  heddle::Striped<int, 64> s;\n"
            "  s.own(0) = a[threadIdx.x];\n"
            "  s.own(1) = a[threadIdx.x + 32];\n"
            "  __syncwarp();\n"
            "  #pragma unroll\n"
            "  for (int half = 32; half > 0; half >>= 1) {\n"
            "    const int sAhead = s.ahead(half);\n"
            "    if (threadIdx.x < half)\n"
            "      s.own(0) += sAhead;\n"
            "    __syncwarp();\n"
            "  }\n"
            "  if (threadIdx.x == 0)\n"
            "    a[0] = s.own(0);\n"
            "}\n"
            "int main() { k<<<1, 32>>>(nullptr); }\n");
}

TEST(Remap, ADistanceOfWholeRowsIsNoShuffle) {
  EXPECT_THAT(afterwards("a[t] = t < 224 ? s[t + 32] : 0;"),
              HasSubstr("a[t] = t < 224 ? s.own(kx + 1) : 0;"));
}

TEST(Remap, AShuffleThatAllLanesComeToStandsInItsPlace) {
  EXPECT_THAT(afterwards("a[t] = s[t - 1];"), HasSubstr("    a[t] = s.ahead(kx * 32 - 1);\n"));
}

TEST(Remap, ShufflesInBranchesThatDifferByLaneAreMovedBeforeThem) {
  EXPECT_THAT(afterwards("if (t < n) { a[t] = s[t + 1]; }"),
              HasSubstr("    const int sAhead = s.ahead(kx * 32 + 1);\n    if (t < n) { a[t] = sAhead; }\n"));
  EXPECT_THAT(afterwards("a[t] = t > 0 ? s[t - 1] : 7;"),
              HasSubstr("    const int sAhead = s.ahead(kx * 32 - 1);\n    a[t] = t > 0 ? sAhead : 7;\n"));
  EXPECT_THAT(
      afterwards("if (t > 0 && s[t - 1] > 3) a[t] = 1;"),
      HasSubstr("    const int sAhead = s.ahead(kx * 32 - 1);\n    if (t > 0 && sAhead > 3) a[t] = 1;\n"));
}

TEST(Remap, AMovedShuffleInABodyWithoutBracesBringsThem) {
  EXPECT_THAT(afterwards("if (n > 3)\n      if (t > 1) a[t] = s[t - 1];"),
              HasSubstr("      {\n      const int sAhead = s.ahead(kx * 32 - 1);\n"
                        "      if (t > 1) a[t] = sAhead;\n      }\n"));
}

TEST(Remap, ABranchThatAllLanesTakeTogetherKeepsItsShuffle) {
  EXPECT_THAT(afterwards("if (n > 3) a[t] = s[t - 1];"),
              HasSubstr("if (n > 3) a[t] = s.ahead(kx * 32 - 1);"));
}

TEST(Remap, OneElementForAllIsReadOnceAndNotForEachItem) {
  std::string text = afterwards("a[t] = s[40];");
  EXPECT_THAT(text, HasSubstr("  __syncwarp();\n  const int sIn = s.in(1, 40);\n  #pragma unroll\n  for"));
  EXPECT_THAT(text, HasSubstr("a[t] = sIn;"));
}

TEST(Remap, AConditionThatNamesTheThreadMakesAnElementItsOwn) {
  EXPECT_THAT(afterwards("if (t == 0) a[0] = s[0];"), HasSubstr("if (t == 0) a[0] = s.own(kx);"));
  EXPECT_THAT(afterwards("if (n > 2 && t == 5) a[0] = s[37];"), HasSubstr("a[0] = s.own(kx + 1);"));
}

TEST(Remap, AChoiceOfTwoDistancesReadsBothAndChoosesAfterwards) {
  std::string text = afterwards("const int west = b[t] > 0 ? t - 1 : t; if (t < n) a[t] = s[west];");
  EXPECT_THAT(text, HasSubstr("const int sAhead = s.ahead(kx * 32 - 1);\n"));
  EXPECT_THAT(text, HasSubstr("a[t] = s.which(int(west), kx * 32 - 1, sAhead, s.own(kx));"));
}

TEST(Remap, RowsOfHalfAWarpAreAtADistanceOf16) {
  std::string text = remap("__global__ void k(int *a) {\n"
                           "  __shared__ int s[4][16];\n"
                           "  #pragma unroll\n"
                           "  for (unsigned ky = 0; ky < 2; ++ky)\n"
                           "    s[threadIdx.y + ky * blockDim.y][threadIdx.x] = 1;\n"
                           "  __syncwarp();\n"
                           "  a[threadIdx.x] = s[threadIdx.y + 1][threadIdx.x];\n"
                           "}\n"
                           "int main() { k<<<1, dim3(16, 2)>>>(nullptr); }\n")
                         .text;
  EXPECT_THAT(text, HasSubstr("heddle::Striped<int, 64> s;"));
  EXPECT_THAT(text, HasSubstr("    s.own(ky) = 1;\n"));
  EXPECT_THAT(text, HasSubstr("a[threadIdx.x] = s.ahead(16);"));
}

TEST(Remap, AColumnOfATileIsInOneRowWhereItsLoopIsUnrolled) {
  std::string text = afterwards("int sum = 0;\n#pragma unroll\n    for (int j = 0; j < 8; ++j)\n"
                                "      sum += s[j * 32 + 5];\n    a[t] = sum;");
  EXPECT_THAT(text, HasSubstr("sum += s.in(j, j * 32 + 5);"));
}

TEST(Remap, ALoopThroughAllElementsIsCutIntoRows) {
  std::string text =
      afterwards("int sum = 0;\n    for (int j = 0; j < 256; ++j)\n      sum += s[j];\n    a[t] = sum;");
  EXPECT_THAT(text,
              HasSubstr("    #pragma unroll\n    for (int jRow = 0; jRow < 8; ++jRow)\n    #pragma unroll 8\n"
                        "    for (int j = jRow * 32; j < jRow * 32 + 32; ++j)\n      sum += s.in(jRow, j);"));
}

TEST(Remap, AnArrayOfOneRowIsReadAtAnyPlace) {
  EXPECT_THAT(remap("__global__ void k(int *a, const int *b) {\n"
                    "  __shared__ int s[32];\n"
                    "  s[threadIdx.x] = b[threadIdx.x];\n"
                    "  __syncwarp();\n"
                    "  a[threadIdx.x] = s[b[threadIdx.x] & 31];\n"
                    "}\n"
                    "int main() { k<<<1, 32>>>(nullptr, nullptr); }\n")
                  .text,
              HasSubstr("a[threadIdx.x] = s.in(0, int(b[threadIdx.x] & 31));"));
}

TEST(Remap, PointersThatAreAnotherNameGo) {
  std::string text = afterwards("int *other = s; a[t] = other[t];");
  EXPECT_THAT(text, HasSubstr("a[t] = s.own(kx);"));
  EXPECT_THAT(text, Not(HasSubstr("other")));
}

TEST(Remap, IndicesThatNobodyNamesAnyMoreGo) {
  std::string text = afterwards("const int cell = t, other = t + 1; if (other < n) a[0] = s[cell];");
  EXPECT_THAT(text, HasSubstr("    const int other = t + 1; if (other < n) a[0] = s.own(kx);"));
}

TEST(Remap, MembersOfElementsAreReadAndWritten) {
  std::string text =
      remap(twoSteps("s[t].x = 1.0f; s[t].y = 2.0f;", "a[t] = s[t + 1].y;", "__shared__ float2 s[256];"))
          .text;
  EXPECT_THAT(text, HasSubstr("heddle::Striped<float2, 256> s;"));
  EXPECT_THAT(text, HasSubstr("s.own(kx).x = 1.0f; s.own(kx).y = 2.0f;"));
  EXPECT_THAT(text, HasSubstr("a[t] = s.ahead(kx * 32 + 1).y;"));
}

TEST(Remap, ArraysWithRunTimeAddressesStayWhileOthersGo) {
  Remapped result = remap(twoSteps("s[t] = b[t]; u[t] = b[t];", "a[t] = s[b[t]] + u[t];",
                                   "__shared__ int s[256]; __shared__ int u[256];"));
  EXPECT_THAT(result.messages,
              HasSubstr("'s' stays in shared memory: the register of 's[b[t]]' is an address known "
                        "only at run time"));
  EXPECT_THAT(result.messages, HasSubstr("remapped 'u' to 8 registers a lane"));
  EXPECT_THAT(result.text, HasSubstr("a[t] = s[b[t]] + u.own(kx);"));
}

TEST(Remap, WithNothingToMoveItIsRefusedWhereItWasAskedForAndKeptElse) {
  const std::string text = twoSteps("s[t] = b[t];", "a[t] = s[b[t]];");
  EXPECT_THAT(remap(text).messages,
              HasSubstr("refused: consolidate remap=on: no shared array can become registers: "));
  Remapped kept = remap(text, "consolidate");
  EXPECT_EQ(kept.text, text);
  EXPECT_THAT(kept.messages, HasSubstr("registers have no addresses"));
}

TEST(Remap, LoopsThatAreNotUnrolledMakeRunTimeAddresses) {
  EXPECT_THAT(whyKept("int sum = 0; for (int j = 0; j < 8; ++j) sum += s[j * 32 + threadIdx.x]; a[t] = sum;"),
              HasSubstr("'j' counts a loop that is not unrolled"));
}

TEST(Remap, AnotherRegisterInEachLaneIsARunTimeAddress) {
  EXPECT_THAT(whyKept("a[t] = s[threadIdx.x * 8];"), HasSubstr("lies in another register in each lane"));
}

TEST(Remap, OnlyTheLaneThatKeepsAnElementMayWriteIt) {
  EXPECT_THAT(remap(twoSteps("s[t ^ 1] = 1;", "a[t] = s[t];")).messages, HasSubstr("refused"));
  EXPECT_THAT(remap(twoSteps("s[t + 1] = 1;", "a[t] = s[t];")).messages,
              HasSubstr("'s[t + 1]' is written by a lane that does not keep that element"));
}

TEST(Remap, AddressesAtomicsAndUnknownSizesStay) {
  EXPECT_THAT(whyKept("atomicAdd(&s[t], 1);"), HasSubstr("the address of 's[t]' is taken"));
  EXPECT_THAT(whyKept("int *p = s + t; a[t] = *p;"), HasSubstr("its address is taken"));
  EXPECT_THAT(whyKept("const int &r = s[t]; a[t] = r;"), HasSubstr("the address of 's[t]' is taken"));
  EXPECT_THAT(whyKept("a[t] = s[t];", "extern __shared__ int s[];"),
              HasSubstr("its size is known at the launch only"));
}

TEST(Remap, ShufflesInLoopsThatLanesLeaveAtDifferentTimesStay) {
  EXPECT_THAT(whyKept("for (int i = t; i < n; i += 256) { s[t] = i; a[i] = s[t + 1]; }"),
              HasSubstr("would be a shuffle that not all lanes come to"));
}

TEST(Remap, ShufflesAmongTheCasesOfASwitchStay) {
  EXPECT_THAT(whyKept("switch (n) { case 1: a[t] = 1; if (t < 9) a[t] = s[t + 1]; break; default: break; }"),
              HasSubstr("there is no place before it"));
}

TEST(Remap, ShufflesBehindAnEarlyExitStay) {
  const std::string why = whyKept("if (t >= n) return; a[t] = s[t + 1];");
  EXPECT_THAT(why, HasSubstr("would be a shuffle that not all lanes come to"));
  EXPECT_THAT(whyKept("if (t >= n) continue; a[t] = s[t + 1];"), HasSubstr("not all lanes come to"));
  // The own element needs nobody else.
  EXPECT_THAT(afterwards("if (t >= n) continue; a[t] = s[t];"), HasSubstr("a[t] = s.own(kx);"));
}

TEST(Remap, AShuffleIsNotMovedOverAWriteOfItsArray) {
  EXPECT_THAT(whyKept("if (t < n) { s[t] = 3; a[t] = s[t + 1]; }"),
              HasSubstr("cannot be moved out of this place"));
}

TEST(Remap, OnlyBlocksOfOneWarpAreRemapped) {
  std::string text = twoSteps("s[t] = b[t];", "a[t] = s[t];");
  text.replace(text.find("<<<4, 32>>>"), 11, "<<<4, 64>>>");
  Remapped result = remap(text);
  EXPECT_EQ(result.text, text);
  EXPECT_THAT(result.messages, HasSubstr("not known to be one warp"));
}

TEST(Remap, ArraysThatTakeTooManyRegistersMoveOnlyWhereAsked) {
  const std::string text = twoSteps("s[t] = b[t];", "a[t] = s[t];", "__shared__ double s[1056];");
  EXPECT_THAT(remap(text, "consolidate").messages, HasSubstr("would take 66 registers a lane"));
  EXPECT_THAT(remap(text).text, HasSubstr("heddle::Striped<double, 1056> s;"));
}
