// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/PinnedLaunch.h"

#include "support/Files.h"
#include "transform/Pipeline.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::tune;
using testing::HasSubstr;

namespace {

source::CompileOptions options() {
  source::CompileOptions options;
  options.cudaPath = "none";
  return options;
}

std::unique_ptr<source::Program> parsed(const std::string &text) {
  auto result = source::Program::parseText("scale.cu", text, options());
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&result);
  EXPECT_TRUE(program) << std::get<source::ParseFailure>(result).compilerMessages;
  return program ? std::move(*program) : nullptr;
}

const std::string scale = R"(
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
void run(float *a, int n, int threads, size_t bytes, cudaStream_t stream) {
  scale<<<(n + threads - 1) / threads, dim3(threads), bytes, stream>>>(a, n);
}
)";

const ReplayLaunch captured{"_Z5scalePfi", {4096, 1, 1}, {256, 1, 1}, 64, false};

std::string pinned(const std::string &text, const ReplayLaunch &launch) {
  auto program = parsed(text);
  auto result = withPinnedLaunch(*program, launch);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result)
                                                     : std::get<NotReplayed>(result).reason;
}

TEST(PinnedLaunch, IsFoundByTheNameThatNvccGivesAStaticKernel) {
  const std::string text = "static " + scale.substr(scale.find("__global__"));
  auto program = parsed(text);
  ASSERT_EQ(program->kernels().front()->mangledName, "_ZL5scalePfi");
  EXPECT_THAT(pinned(text, captured), HasSubstr("<<<4096, 256, 64, stream>>>"));
  auto fixed = parsed(pinned(text, captured));
  const auto launch = launchIn(*fixed, {"scale", "scale"}, captured);
  ASSERT_TRUE(std::holds_alternative<ReplayLaunch>(launch));
}

TEST(PinnedLaunch, TakesTheNameOfTheKernelFromDeviceCode) {
  const std::string ptx = ".visible .entry _Z5otherPf(\n.visible .func _Z5scalePfi(\n.entry _Z5scalePfi(\n"
                          ".entry _ZN35_GLOBAL__N__822878a0_5_an_cu__Z1fPf1kEPf(\n";
  EXPECT_EQ(nameInModule("_ZL5scalePfi", ptx), "_Z5scalePfi");
  EXPECT_EQ(nameInModule("_ZN12_GLOBAL__N_11kEPf", ptx), "_ZN35_GLOBAL__N__822878a0_5_an_cu__Z1fPf1kEPf");
  EXPECT_EQ(nameInModule("_Z5otherPf", ptx), "_Z5otherPf");
  EXPECT_EQ(nameInModule("_Z5otherPi", ptx), "_Z5otherPi") << "another function; the driver reports it";
  EXPECT_EQ(nameInModule("named", ".entry named("), "named") << "extern \"C\"";
}

TEST(PinnedLaunch, NamesTheIncludedFileThatHasIt) {
  const TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "scale.h", scale);
  writeFileOrThrow(folder.path() / "main.cu", "#include \"scale.h\"\n");
  auto result = source::Program::parse(folder.path() / "main.cu", options());
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&result);
  ASSERT_TRUE(program) << std::get<source::ParseFailure>(result).compilerMessages;
  const auto pinned = withPinnedLaunch(**program, captured);
  ASSERT_TRUE(std::holds_alternative<NotReplayed>(pinned));
  EXPECT_THAT(std::get<NotReplayed>(pinned).reason, HasSubstr("in an included file"));
  EXPECT_EQ(std::get<NotReplayed>(pinned).included, folder.path() / "scale.h");
}

/// How the kernel is launched after directives were carried out on the pinned text.
std::variant<ReplayLaunch, NotReplayed> after(const std::string &directives, const std::string &text,
                                              const ReplayLaunch &launch, const std::string &place = {}) {
  Diagnostics diagnostics;
  transform::Options wanted;
  wanted.compile = options();
  transform::Outcome outcome =
      transform::applyDirectives("scale.cu", pinned(text, launch),
                                 transform::readDirectives(directives, diagnostics), wanted, diagnostics);
  EXPECT_EQ(outcome.kind, transform::Outcome::Kind::Done) << directives;
  auto program = parsed(outcome.text);
  return launchIn(*program, {"scale", "scale", place}, launch);
}

TEST(PinnedLaunch, NumbersTakeThePlaceOfWhatTheProgramComputes) {
  EXPECT_THAT(pinned(scale, captured), HasSubstr("scale<<<4096, 256, 64, stream>>>(a, n);"));
}

TEST(PinnedLaunch, ShapesOfSeveralDimensionsAreWrittenOut) {
  EXPECT_THAT(pinned(scale, {"_Z5scalePfi", {8, 4, 1}, {16, 16, 1}, 0, false}),
              HasSubstr("scale<<<dim3(8, 4, 1), dim3(16, 16, 1), 0, stream>>>"));
}

TEST(PinnedLaunch, EveryLaunchOfTheKernelIsPinnedAndNoOther) {
  const std::string text = pinned(scale + R"(
__global__ void other(float *a) { a[0] = 1; }
void more(float *a, int n) {
  scale<<<n, 32>>>(a, n);
  other<<<n, 32>>>(a);
}
)",
                                  captured);
  EXPECT_THAT(text, HasSubstr("  scale<<<4096, 256>>>(a, n);"));
  EXPECT_THAT(text, HasSubstr("  other<<<n, 32>>>(a);"));
}

TEST(PinnedLaunch, ATemplatesLaunchIsPinnedOnce) {
  const std::string text = R"(
template <class T> __global__ void scale(T *a) { a[threadIdx.x] *= 2; }
template <class T> void run(T *a, int n) { scale<T><<<n / 32, 32>>>(a); }
template void run<float>(float *, int);
template void run<double>(double *, int);
)";
  EXPECT_THAT(pinned(text, {"_Z5scaleIfEvPT_", {7, 1, 1}, {64, 1, 1}, 0, false}),
              HasSubstr("scale<T><<<7, 64>>>(a)"));
}

TEST(PinnedLaunch, AKernelThatIsNotThereOrIsLaunchedElsewhereIsReported) {
  EXPECT_THAT(pinned(scale, {"_Z4doneP", {}, {}, 0, false}), HasSubstr("is not in this file"));
  EXPECT_THAT(pinned("__global__ void scale(float *a, int n) { a[n] = 1; }", captured),
              HasSubstr("nothing in this file launches"));
}

TEST(PinnedLaunch, UnchangedItIsTheCapturedOne) {
  auto program = parsed(pinned(scale, captured));
  EXPECT_EQ(std::get<ReplayLaunch>(launchIn(*program, {"scale", "scale"}, captured)), captured);
}

/// Two instantiations, of which the second was captured; a directive has added a parameter since.
std::variant<ReplayLaunch, NotReplayed> ofTemplate(const std::string &whole) {
  auto program = parsed(R"(
template <int Tile> __global__ void scale(float *a, int added) { a[threadIdx.x + added] *= Tile; }
void run(float *a) {
  scale<1><<<7, 64>>>(a, 0);
  scale<8><<<7, 32>>>(a, 0);
}
)");
  return launchIn(*program, {"scale", whole}, {"_Z5scaleILi8EEvPf", {7, 1, 1}, {64, 1, 1}, 0, false});
}

TEST(PinnedLaunch, OfATemplateTheCapturedInstantiationIsMeantAlsoByAnotherMangledName) {
  const auto launch = ofTemplate("scale<8>");
  ASSERT_TRUE(std::holds_alternative<ReplayLaunch>(launch)) << std::get<NotReplayed>(launch).reason;
  EXPECT_EQ(std::get<ReplayLaunch>(launch).kernel, "_Z5scaleILi8EEvPfi");
  EXPECT_EQ(std::get<ReplayLaunch>(launch).block[0], 32u);
}

TEST(PinnedLaunch, WhichInstantiationItIsIsNotGuessed) {
  const auto launch = ofTemplate("scale<2>");
  ASSERT_TRUE(std::holds_alternative<NotReplayed>(launch));
  EXPECT_THAT(std::get<NotReplayed>(launch).reason,
              HasSubstr("which of the kernels that are called 'scale<2>'"));
}

TEST(PinnedLaunch, CoarseningShrinksTheGridOrTheBlock) {
  const auto launch = std::get<ReplayLaunch>(after("coarsen x=4", scale, captured));
  EXPECT_EQ(uint64_t(launch.grid[0]) * launch.block[0], uint64_t(4096) * 256 / 4);
  EXPECT_EQ(launch.sharedBytes, 64u);
}

TEST(PinnedLaunch, AMergedGridIsRoundedUpAndTakesTheCapturedArguments) {
  ReplayLaunch odd = captured;
  odd.grid = {4097, 3, 1};
  const auto launch = std::get<ReplayLaunch>(after("coarsen grid=4", scale, odd));
  EXPECT_EQ(launch.grid, (std::array<uint32_t, 3>{1025, 3, 1}));
  EXPECT_EQ(launch.block, odd.block);
  // The grid is a number in the text: the kernel, static now, has no parameter that the captured launch does not have.
  EXPECT_EQ(launch.kernel, "_ZL5scalePfi");
  const auto again = std::get<ReplayLaunch>(after("coarsen grid=4; coarsen grid=4", scale, odd));
  EXPECT_EQ(again.grid, (std::array<uint32_t, 3>{257, 3, 1}));
  EXPECT_EQ(again.kernel, launch.kernel);
}

TEST(PinnedLaunch, AKernelOfOneWarpHasOne) {
  const std::string rows = R"(
__global__ void scale(float *a) {
  __shared__ float row[64];
  row[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x];
}
void run(float *a, int n) { scale<<<n / 64, 64>>>(a); }
)";
  const auto launch = std::get<ReplayLaunch>(
      after("consolidate remap=on delegate=off", rows, {"_Z5scalePf", {100, 1, 1}, {64, 1, 1}, 0, false}));
  EXPECT_EQ(launch.block[0], 32u);
  EXPECT_EQ(launch.grid[0], 100u);
}

const char *const Guarded = R"(
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
void run(float *a, int n) { scale<<<n / 64, 64>>>(a, n); }
)";

TEST(PinnedLaunch, AHostSideThatDoesMoreIsNotReplayed) {
  const auto launch =
      after("consolidate delegate=on", Guarded, {"_Z5scalePfi", {100, 1, 1}, {64, 1, 1}, 0, false});
  ASSERT_TRUE(std::holds_alternative<NotReplayed>(launch));
  EXPECT_THAT(std::get<NotReplayed>(launch).reason, HasSubstr("does more on the host"));
}

TEST(PinnedLaunch, WhyItIsNotNamesThePlaceInTheProgram) {
  const ReplayLaunch one{"_Z5scalePfi", {100, 1, 1}, {64, 1, 1}, 0, false};
  const std::string place = firstLaunchOf(*parsed(Guarded), one.kernel);
  EXPECT_EQ(place, "scale.cu:7");
  const auto launch = after("consolidate delegate=on", Guarded, one, place);
  ASSERT_TRUE(std::holds_alternative<NotReplayed>(launch));
  EXPECT_EQ(std::get<NotReplayed>(launch).reason,
            "its launch at scale.cu:7 does more on the host than launch the kernel");
}

/// A program whose block is a constant, with a grid.
std::string withGrid(const std::string &before, const std::string &parameters, const std::string &grid) {
  return "#define NT 128\n__global__ void scale(float *a, int n) { a[n] = 1; }\n" + before + "void run(" +
         parameters + ") { scale<<<" + grid +
         ", NT>>>(a, n); }\nint main(int argc, char **argv) { run(0, argc); }\n";
}

/// The grid for blocks of 256, where the program was captured with 16 blocks of 128; 0 where it is not replayed.
unsigned gridWith256(std::string text,
                     const ReplayLaunch &launch = {"_Z5scalePfi", {16, 1, 1}, {128, 1, 1}, 0, false}) {
  text.replace(text.find("128"), 3, "256");
  auto program = parsed(text);
  const auto result = withBlockSizes(*program, launch, "x=256");
  const auto *found = std::get_if<ReplayLaunch>(&result);
  EXPECT_TRUE(!found || found->block[0] == 256) << text;
  return found ? found->grid[0] : 0;
}

TEST(PinnedLaunch, AGridThatDoesNotFollowFromTheBlockStays) {
  const std::string parameters = "float *a, int n";
  EXPECT_EQ(gridWith256(withGrid("", parameters, "16")), 16u);
  EXPECT_EQ(gridWith256(withGrid("", parameters, "n")), 16u);
  EXPECT_EQ(gridWith256(withGrid("int blocks(int n) { return n / 64; }\n", parameters, "blocks(n)")), 16u);
  EXPECT_EQ(gridWith256(withGrid("int blocks = 3;\n", parameters, "blocks")), 16u);
}

TEST(PinnedLaunch, AGridThatFollowsFromTheBlockHasAsManyThreads) {
  const std::string parameters = "float *a, int n";
  for (const char *grid : {"(n + NT - 1) / NT", "dim3(n / NT)", "GRID(n)", "blocks(n)", "least(n, n / NT)"})
    EXPECT_EQ(gridWith256(withGrid("#define GRID(n) ((n) / NT)\nint blocks(int n) { return n / NT; }\n"
                                   "int least(int a, int b) { return a < b ? a : b; }\n",
                                   parameters, grid)),
              8u)
        << grid;
  EXPECT_EQ(gridWith256("const int NT = 128;\n__global__ void scale(float *a, int n) { a[n] = 1; }\n"
                        "void run(float *a, int n) {\n  int blocks;\n  blocks = n / NT;\n"
                        "  dim3 grid;\n  grid.x = blocks;\n  scale<<<grid, NT>>>(a, n);\n}\n"
                        "int main(int argc, char **) { run(0, argc); }\n"),
            8u);
  // Where the text has its number, it is that.
  EXPECT_EQ(gridWith256(withGrid("", parameters, "(1000 + NT - 1) / NT")), 4u);
}

TEST(PinnedLaunch, WhetherAGridFollowsFromTheBlockMayNotBeKnown) {
  EXPECT_EQ(gridWith256("#define NT 128\n__global__ void scale(float *a, int n) { a[n] = 1; }\n"
                        "void run(float *a, int n, int blocks) { scale<<<blocks, NT>>>(a, n); }\n"),
            0u);
  // Two launches, which differ.
  EXPECT_EQ(
      gridWith256("#define NT 128\n__global__ void scale(float *a, int n) { a[n] = 1; }\n"
                  "int main(int n, char **) { scale<<<n / NT, NT>>>(0, n); scale<<<1, NT>>>(0, n); }\n"),
      0u);
}

/// The launch of a kernel that was captured with 16 blocks of 128 threads, after TILE was defined to be 32.
std::variant<ReplayLaunch, NotReplayed> withTile32(const std::string &launch) {
  static std::vector<std::unique_ptr<source::Program>> programs;
  programs.push_back(parsed("#define TILE 32\n__global__ void scale(float *a, int n) { a[n] = TILE; }\n"
                            "int main(int n, char **) { constexpr int Size = 2 * TILE; " +
                            launch + "(0, n); return Size; }\n"));
  return withDefinitions(*programs.back(), {"_Z5scalePfi", {16, 1, 1}, {128, 1, 1}, 512, false}, {"TILE"});
}

TEST(PinnedLaunch, ADefinitionChangesTheLaunchThatIsComputedFromIt) {
  const auto both = withTile32("scale<<<2048 / TILE, dim3(TILE, 4), Size * 4>>>");
  ASSERT_TRUE(std::holds_alternative<ReplayLaunch>(both));
  const ReplayLaunch &launch = std::get<ReplayLaunch>(both);
  EXPECT_EQ(launch.grid[0], 64u);
  EXPECT_EQ(launch.block, (std::array<uint32_t, 3>{32, 4, 1}));
  EXPECT_EQ(launch.sharedBytes, 256u);
  // What does not depend on it is as captured, whether it is known or not.
  const auto none = withTile32("scale<<<n, 64, 32>>>");
  ASSERT_TRUE(std::holds_alternative<ReplayLaunch>(none));
  EXPECT_EQ(std::get<ReplayLaunch>(none).grid[0], 16u);
  EXPECT_EQ(std::get<ReplayLaunch>(none).block[0], 128u);
  EXPECT_EQ(std::get<ReplayLaunch>(none).sharedBytes, 512u);
}

TEST(PinnedLaunch, ALaunchThatDependsOnADefinitionAndOnTheRunIsNotReplayed) {
  for (const char *launch :
       {"scale<<<(n + TILE - 1) / TILE, TILE>>>", "scale<<<1, n / Size>>>", "scale<<<1, 128, n * TILE>>>"}) {
    const auto result = withTile32(launch);
    ASSERT_TRUE(std::holds_alternative<NotReplayed>(result)) << launch;
    EXPECT_THAT(std::get<NotReplayed>(result).reason, HasSubstr("depends on a definition that is varied"));
  }
}

ReplayLaunch changed(const source::Program &program, const ReplayLaunch &launch, const std::string &sizes) {
  const auto result = withBlockSizes(program, launch, sizes);
  EXPECT_TRUE(std::holds_alternative<ReplayLaunch>(result)) << std::get<NotReplayed>(result).reason;
  return std::get<ReplayLaunch>(result);
}

TEST(PinnedLaunch, OtherBlockSizesKeepTheNumberOfThreads) {
  auto program = parsed(scale); // whose block is known at run time only
  const ReplayLaunch smaller = changed(*program, captured, "x=128");
  EXPECT_EQ(smaller.grid[0], 8192u);
  EXPECT_EQ(smaller.block[0], 128u);
  const ReplayLaunch ragged =
      changed(*program, {"_Z5scalePfi", {3, 5, 1}, {100, 4, 1}, 0, false}, "x=64 y=8");
  EXPECT_EQ(ragged.grid[0], 5u); // 300 threads
  EXPECT_EQ(ragged.grid[1], 3u); // 20
  EXPECT_EQ(changed(*program, captured, ""), captured);
}

TEST(PinnedLaunch, AConstantThatSizesTwoAxesChangesBoth) {
  auto program = parsed(R"(
constexpr int Tile = 32; // was 16
__global__ void scale(float *a, int n) { a[n] = 1; }
void run(float *a, int n) { scale<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(a, n); }
)");
  const ReplayLaunch larger = changed(*program, {"_Z5scalePfi", {64, 64, 1}, {16, 16, 1}, 0, false}, "x=32");
  EXPECT_EQ(larger, (ReplayLaunch{"_Z5scalePfi", {32, 32, 1}, {32, 32, 1}, 0, false}));
}

} // namespace
