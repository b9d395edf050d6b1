// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `specialize` writes, chooses and refuses. That the results compute the same in every way is the
// business of tests/specialize.
#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A kernel of 64 threads with this load in a turn of its loop.
std::string kernel(const std::string &load,
                   const std::string &compute = "    sum += tile[63 - threadIdx.x];\n",
                   const std::string &declarations = "  __shared__ float tile[64];\n") {
  return "__global__ void k(float *out, const float *in, int n) {\n" + declarations +
         "  float sum = 0;\n"
         "  for (int s = 0; s < n; s += 64) {\n" +
         load + "    __syncthreads();\n" + compute +
         "    __syncthreads();\n"
         "  }\n"
         "  out[threadIdx.x] = sum;\n"
         "}\n"
         "int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }\n";
}
const std::string plainLoad = "    tile[threadIdx.x] = in[s + threadIdx.x];\n";
const std::string several = "    for (int i = threadIdx.x; i < 256; i += 64)\n"
                            "      tile[i] = s + i < n ? in[s + i] : 0.0f;\n";

std::string specialized(const std::string &text, const std::string &settings) {
  return optimized(text, "specialize " + settings);
}

std::string told(const std::string &text, const std::string &settings) {
  std::string all;
  const Diagnostics messages = messagesOf(text, "specialize " + settings);
  for (const Diagnostic &each : messages.all()) {
    all += each.text + "\n" + each.hint + "\n";
    for (const Diagnostic::Note &note : each.notes)
      all += note.text + "\n";
  }
  return all;
}

} // namespace

TEST(SpecializeTiles, ProducersLoadForSeveralThreadsEach) {
  const std::string text = specialized(kernel(plainLoad), "copy=ld barrier=named buffers=3 producers=1");
  EXPECT_THAT(text, HasSubstr("using Roles = heddle::Roles<64, 1, 1>;"));
  EXPECT_THAT(text, HasSubstr("heddle::Pipeline<Roles, 3, heddle::Copy::Ld, heddle::Barrier::Named>;"));
  EXPECT_THAT(text, HasSubstr("__shared__ float tile[Pipe::stages][64];"));
  EXPECT_THAT(text,
              HasSubstr("for (unsigned thread = Roles::rank(); thread < 64; thread += Roles::producers) {\n"
                        "        tile[stage][thread] = in[s + thread];\n"));
  EXPECT_THAT(text, HasSubstr("sum += tile[stage][63 - threadIdx.x];"));
  EXPECT_THAT(text, HasSubstr("k<<<1, 96>>>("));
}

/// The loop is counted by `i`; that `j` differs by thread is no reason to call the loop divergent.
TEST(SpecializeTiles, VariablesOfThreadsInTheHeadOfTheLoopAreTakenOut) {
  const std::string text = specialized("__global__ void k(float *out, const float *in, int n) {\n"
                                       "  __shared__ float tile[64];\n"
                                       "  int t = threadIdx.x;\n"
                                       "  float sum = 0;\n"
                                       "  for (int i = 0, j = t; i < n; i += 64, j += 64) {\n"
                                       "    tile[t] = in[j];\n"
                                       "    __syncthreads();\n"
                                       "    sum += tile[63 - t];\n"
                                       "    __syncthreads();\n"
                                       "  }\n"
                                       "  out[t] = sum;\n"
                                       "}\n"
                                       "int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }\n",
                                       "copy=ld producers=2");
  EXPECT_THAT(text, HasSubstr("for (int i = 0; i < n; i += 64) {"));
  EXPECT_THAT(text, HasSubstr("j += 64;"));
}

TEST(SpecializeTiles, AProducerForEachThreadNeedsNoLoop) {
  const std::string text = specialized(kernel(plainLoad), "copy=ld producers=2");
  EXPECT_THAT(text, Not(HasSubstr("thread += Roles::producers")));
  EXPECT_THAT(text, HasSubstr("tile[stage][threadX] = in[s + threadX];"));
}

TEST(SpecializeTiles, LoopsThatDealOutAreDealtOutAmongProducers) {
  const std::string text =
      specialized(kernel(several, "    sum += tile[threadIdx.x];\n", "  __shared__ float tile[256];\n"),
                  "copy=ld producers=1");
  EXPECT_THAT(text, HasSubstr("for (int i = Roles::rank(); i < 256; i += Roles::producers)"));
}

TEST(SpecializeTiles, GuardsBecomePartOfAnAsynchronousCopy) {
  const std::string text =
      specialized(kernel("    tile[threadIdx.x] = s + threadIdx.x < n ? in[s + threadIdx.x] : 0.0f;\n"),
                  "copy=cpasync producers=2");
  EXPECT_THAT(text,
              HasSubstr("heddle::copyAsync(&tile[stage][threadX], &in[s + threadX], s + threadX < n);"));
}

TEST(SpecializeTiles, WhatIsFilledInOtherThanZeroIsStored) {
  const std::string text =
      specialized(kernel("    tile[threadIdx.x] = s + threadIdx.x < n ? in[s + threadIdx.x] : 1.0f;\n"),
                  "copy=cpasync producers=2");
  EXPECT_THAT(text, HasSubstr("if (s + threadX < n)\n"));
  EXPECT_THAT(text, HasSubstr("tile[stage][threadX] = 1.0f;"));
}

TEST(SpecializeTiles, RowsAreCopiedInBulkWhereNothingIsCutOff) {
  const std::string text = specialized(
      kernel(several, "    sum += tile[threadIdx.x];\n", "  __shared__ float tile[256];\n"), "copy=bulk");
  EXPECT_THAT(text, HasSubstr("const auto fromTile = [&](int i) { return &in[s + i]; };"));
  EXPECT_THAT(text, HasSubstr("if (isInTile(0) && isInTile(255) &&\n"));
  EXPECT_THAT(text, HasSubstr("producer.copyRow(&tile[stage][0], fromTile(0), 256);"));
  EXPECT_THAT(text, HasSubstr("producer.commitStored();"));
}

TEST(SpecializeTiles, ABarrierOfTheConsumersIsAddedForMemoryThatTheLoopKeptApart) {
  const std::string whole = "__global__ void k(int *out, const int *in, int n) {\n"
                            "  __shared__ int tile[64];\n"
                            "  __shared__ int bins[64];\n"
                            "  bins[threadIdx.x] = 0;\n"
                            "  __syncthreads();\n"
                            "  for (int s = 0; s < n; s += 64) {\n"
                            "    tile[threadIdx.x] = in[s + threadIdx.x];\n"
                            "    __syncthreads();\n"
                            "    atomicAdd(&bins[tile[threadIdx.x] & 63], 1);\n"
                            "    __syncthreads();\n"
                            "  }\n"
                            "  out[threadIdx.x] = bins[63 - threadIdx.x];\n"
                            "}\n"
                            "int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }\n";
  EXPECT_THAT(specialized(whole, "copy=ld"),
              HasSubstr("    consumer.release();\n  }\n  Roles::syncConsumers();\n"));
}

TEST(SpecializeTiles, RolesMeetWhereLoadsReadWhatWasStored) {
  const std::string text = "__global__ void k(float *a, int n, int steps) {\n"
                           "  __shared__ float tile[64];\n"
                           "  for (int t = 0; t < steps; ++t) {\n"
                           "    float sum = 0;\n"
                           "    for (int s = 0; s < n; ++s) {\n"
                           "      tile[threadIdx.x] = a[s * 64 + threadIdx.x];\n"
                           "      __syncthreads();\n"
                           "      sum += tile[63 - threadIdx.x];\n"
                           "      __syncthreads();\n"
                           "    }\n"
                           "    a[threadIdx.x] = sum;\n"
                           "    __syncthreads();\n"
                           "  }\n"
                           "}\n"
                           "int main() { k<<<1, 64>>>(nullptr, 0, 0); }\n";
  const std::string written = specialized(text, "copy=ld");
  EXPECT_THAT(written, HasSubstr("producer.meet();"));
  EXPECT_THAT(written, HasSubstr("consumer.meet();"));
}

TEST(SpecializeTiles, SeveralConsumerGroupsDealTheComputationOut) {
  const std::string text = "__global__ void k(float *out, const float *in, int n) {\n"
                           "  __shared__ float tile[256];\n"
                           "  float sum[4] = {};\n"
                           "  for (int s = 0; s < n; s += 256) {\n" +
                           several +
                           "    __syncthreads();\n"
                           "    for (int j = 0; j < 4; ++j)\n"
                           "      sum[j] += tile[j * 64 + threadIdx.x];\n"
                           "    __syncthreads();\n"
                           "  }\n"
                           "  for (int j = 0; j < 4; ++j)\n"
                           "    out[j * 64 + threadIdx.x] = sum[j];\n"
                           "}\n"
                           "int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }\n";
  const std::string written = specialized(text, "copy=ld consumers=2 producers=1");
  EXPECT_THAT(written, HasSubstr("for (int j = Roles::group(); j < 4; j += Roles::groups)"));
  EXPECT_THAT(written,
              HasSubstr("sum[(j - Roles::group()) / Roles::groups] += tile[stage][j * 64 + threadX];"));
  EXPECT_THAT(written, HasSubstr("k<<<1, 160>>>("));
  EXPECT_THAT(told(kernel(plainLoad), "consumers=2"),
              HasSubstr("not a loop that could be dealt out among them"));
}

TEST(SpecializeTiles, NamedBarriersThatDoNotFitBecomeMbarriers) {
  EXPECT_THAT(specialized(kernel(plainLoad), "barrier=named buffers=8"),
              HasSubstr("heddle::Barrier::Mbarrier"));
  EXPECT_THAT(told(kernel(plainLoad), "barrier=named buffers=8"),
              HasSubstr("8 buffers need 18 named barriers, and a block has 16: they are mbarriers"));
  EXPECT_THAT(specialized(kernel(plainLoad), "barrier=named buffers=7"), HasSubstr("heddle::Barrier::Named"));
}

TEST(SpecializeTiles, AloneItDecidesWhetherItPays) {
  EXPECT_THAT(told(kernel(plainLoad), ""),
              HasSubstr("the kernel stays as it is: a thread loads one element in a turn"));
  EXPECT_THAT(optimized(kernel(plainLoad), "specialize"), Not(HasSubstr("heddle::")));
  EXPECT_THAT(told(kernel(several, "    sum += tile[threadIdx.x];\n", "  __shared__ float tile[256];\n"), ""),
              HasSubstr("copied by bulk, mbarriers"));
}

TEST(SpecializeTiles, WhatCannotBeHadIsRefusedWithWhatCan) {
  EXPECT_THAT(told(kernel("    tile[threadIdx.x] = 2 * in[s + threadIdx.x];\n"), "copy=cpasync"),
              HasSubstr("cp.async cannot make this load: the value is computed or converted on its way to "
                        "the tile\ncopy=ld"));
  EXPECT_THAT(told(kernel(plainLoad), "copy=bulk barrier=named"),
              HasSubstr("bulk copies report to mbarriers\nbarrier=mbarrier"));
  EXPECT_THAT(told(kernel(plainLoad), "registers=move"),
              HasSubstr("registers cannot move from producers to consumers"));
  EXPECT_THAT(told(kernel("    { tile[threadIdx.x] = in[s + threadIdx.x];\n    __syncthreads(); }\n", "",
                          "  __shared__ float tile[64];\n"),
                   "copy=ld"),
              HasSubstr("a barrier in a block of its own"));
}

TEST(SpecializeTiles, WhatIsCarriedByThreadTakesAProducerForEach) {
  const std::string text = "__global__ void k(float *out, const float *in, int n) {\n"
                           "  __shared__ float tile[128];\n"
                           "  const float *p = in + threadIdx.x;\n"
                           "  float sum = 0;\n"
                           "  for (int s = 0; s < n; ++s) {\n"
                           "    tile[threadIdx.x] = *p;\n"
                           "    __syncthreads();\n"
                           "    p += 128;\n"
                           "    sum += tile[127 - threadIdx.x];\n"
                           "    __syncthreads();\n"
                           "  }\n"
                           "  out[threadIdx.x] = sum;\n"
                           "}\n"
                           "int main() { k<<<1, 128>>>(nullptr, nullptr, 0); }\n";
  EXPECT_THAT(told(text, "producers=2"),
              HasSubstr("'p' differs from thread to thread and is carried from turn to turn"));
  EXPECT_THAT(specialized(text, "buffers=2"), HasSubstr("heddle::Roles<128, 1, 4>"));
}

namespace {

/// A kernel that stores in each iteration, next to what it loads; with these parameters and arguments.
std::string smooth(const std::string &parameters, const std::string &arguments,
                   const std::string &before = "") {
  return before + "__global__ void k(" + parameters +
         ") {\n"
         "  __shared__ float tile[64];\n"
         "  for (int s = 0; s < n; s += 64) {\n"
         "    tile[threadIdx.x] = in[s + threadIdx.x];\n"
         "    __syncthreads();\n"
         "    out[s + threadIdx.x] = tile[63 - threadIdx.x];\n"
         "    __syncthreads();\n"
         "  }\n"
         "}\n"
         "int main(int argc, char **) {\n"
         "  float *a, *b;\n"
         "  cudaMalloc(&a, 4096);\n"
         "  cudaMalloc(&b, 4096);\n"
         "  k<<<1, 64>>>(" +
         arguments + ");\n}\n";
}
const std::string plain = "float *out, const float *in, int n";
const std::string settings = "copy=ld barrier=named buffers=2 producers=1";

} // namespace

TEST(SpecializeTiles, PointersThatMayOverlapAreRefused) {
  EXPECT_THAT(specialized(smooth(plain, "a, b, 1024"), settings), HasSubstr("heddle::Pipeline"));
  EXPECT_THAT(specialized(smooth(plain, "nullptr, b, 1024"), settings), HasSubstr("heddle::Pipeline"));
  const std::string why = told(smooth(plain, "a + 64, a, 1024"), settings);
  EXPECT_THAT(why, HasSubstr("this stores to 'out[s + threadIdx.x]' what a later turn may load"));
  EXPECT_THAT(why, HasSubstr("the load is here: 'out' and 'in' may overlap"));
  EXPECT_THAT(why, HasSubstr("__restrict__ on the kernel's parameters, or --assume no-overlap"));
  EXPECT_THAT(specialized(smooth(plain, "a, b, 1024); k<<<1, 64>>>(b, b, 9"), settings),
              HasSubstr("refused"));
}

TEST(SpecializeTiles, RestrictOrTheUserTellsThemApart) {
  EXPECT_THAT(
      specialized(smooth("float *__restrict__ out, const float *in, int n", "a + 64, a, 1024"), settings),
      HasSubstr("heddle::Pipeline"));
  transform::Options options;
  options.pointersDoNotOverlap = true;
  EXPECT_THAT(optimized(smooth(plain, "a + 64, a, 1024"), "specialize " + settings, options),
              HasSubstr("heddle::Pipeline"));
}

TEST(SpecializeTiles, PointersInStructuresAndDeviceVariablesMayOverlapToo) {
  const std::string both = "struct Both { float *out; const float *in; };\n";
  EXPECT_THAT(
      specialized(smooth("Both p, int n", "Both{a, b}, 1024", both + "#define in p.in\n#define out p.out\n"),
                  settings),
      HasSubstr("refused"));
  const std::string variable = "__device__ float in[4096];\n";
  EXPECT_THAT(specialized(smooth("float *out, int n", "a, 1024", variable), settings),
              HasSubstr("heddle::Pipeline"));
  EXPECT_THAT(
      specialized(smooth("float *out, int n", "a, 1024); cudaGetSymbolAddress((void **)&a, in", variable),
                  settings),
      HasSubstr("refused"));
}
