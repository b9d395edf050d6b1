// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Program.h"

#include "source/ParsedText.h"
#include "source/Unit.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;
using ::testing::HasSubstr;

namespace {

std::vector<std::string> kernelNames(const Program &program) {
  std::vector<std::string> names;
  for (const auto &kernel : program.kernels())
    names.push_back(kernel->name);
  return names;
}

const char *threeKernels = R"(
namespace deep { __global__ void second(int *p) { p[threadIdx.x] = 1; } }
__global__ void first(float *p);
template <typename T, int N> __global__ void __launch_bounds__(N, 2) third(T *p) { p[threadIdx.x] = N; }
template <typename T> __global__ void unused(T *p) { *p = 0; }
__global__ void first(float *p) { p[0] = 0; }
void host(float *f, double *d) {
  third<float, 64><<<1, 64>>>(f);
  third<double, 128><<<1, 128>>>(d);
}
)";

} // namespace

TEST(Program, FindsEachKernelAndEachInstantiation) {
  auto program = parsed(threeKernels);
  ASSERT_TRUE(program);
  EXPECT_EQ(kernelNames(*program),
            (std::vector<std::string>{"deep::second", "third<float, 64>", "third<double, 128>", "first"}));
  ASSERT_EQ(program->uninstantiated().size(), 1u);
  EXPECT_EQ(program->uninstantiated()[0].name, "unused");
}

TEST(Unit, HasNoLocationForNoStatement) {
  auto program = parsed(threeKernels);
  ASSERT_TRUE(program);
  const clang::Stmt *none = nullptr;
  EXPECT_EQ(program->kernels().front()->unit->location(none).line, 0u);
}

TEST(Program, ReadsLaunchBoundsOfTheInstantiation) {
  auto program = parsed(threeKernels);
  ASSERT_TRUE(program);
  const Kernel *kernel = program->kernelsNamed("third<double, 128>").at(0);
  EXPECT_EQ(kernel->maxThreads, 128u);
  EXPECT_EQ(kernel->minBlocks, 2u);
  EXPECT_EQ(kernel->location.str(), "test.cu:4:70");
}

TEST(Program, KernelsAreNamedByWholePlainAndLastName) {
  auto program = parsed(threeKernels);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->kernelsNamed("third").size(), 2u);
  EXPECT_EQ(program->kernelsNamed("second").size(), 1u);
  EXPECT_EQ(program->kernelsNamed("deep::second").size(), 1u);
  EXPECT_TRUE(program->kernelsNamed("fourth").empty());
}

TEST(Program, WhatDoesNotCompileGivesClangsMessages) {
  auto result = Program::parseText("bad.cu", "__global__ void k() { undeclared = 1; }\n", {{}, "none"});
  auto *failure = std::get_if<ParseFailure>(&result);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, ParseFailure::Kind::DoesNotCompile);
  EXPECT_THAT(failure->compilerMessages,
              HasSubstr("bad.cu:1:23: error: use of undeclared identifier 'undeclared'"));
}

TEST(Program, FoldersBinariesAndMissingFilesAreNamedAsSuch) {
  for (auto [path, why] :
       {std::pair("/", "folder"), {"/proc/self/exe", "binary"}, {"/no/such/file.cu", "no such file"}}) {
    auto result = Program::parse(path, {});
    auto *failure = std::get_if<ParseFailure>(&result);
    ASSERT_TRUE(failure) << path;
    EXPECT_EQ(failure->kind, ParseFailure::Kind::NotReadable);
    EXPECT_THAT(failure->diagnostics.all().at(0).text, HasSubstr(why));
  }
}

TEST(Program, AnEmptyFileHasNoKernels) {
  auto program = parsed("");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->kernels().empty());
}

TEST(Program, TheTwoSidesSeeTheirOwnMacros) {
  auto program = parsed("#ifdef __CUDA_ARCH__\n__global__ void onDevice() {}\n#else\n"
                        "__global__ void onHost() {}\n#endif\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(kernelNames(*program), (std::vector<std::string>{"onDevice"}));
}

TEST(Program, DefinesAndStandardsArePassedOn) {
  CompileOptions options;
  options.userArguments = {"-DWIDTH=7", "-std=c++20", "--expt-relaxed-constexpr", "-gencode",
                           "arch=compute_90,code=sm_90"};
  auto program = parsed("static_assert(WIDTH == 7 && __cplusplus > 202000L);\n", options);
  EXPECT_TRUE(program);
}

TEST(Program, NvccsOwnOptionsAreUnderstood) {
  CompileOptions options;
  options.userArguments = {"-arch=sm_60",
                           "--default-stream",
                           "per-thread",
                           "-Xcompiler",
                           "-Wall,-DDEEP=3",
                           "-x",
                           "cu",
                           "-O3",
                           "--ptxas-options=-v",
                           "-rdc=true",
                           "-std",
                           "c++20",
                           "-lineinfo",
                           "-maxrregcount",
                           "32",
                           "--threads=4",
                           "-c",
                           "-o",
                           "main.o",
                           "-diag-suppress=177",
                           "-Werror",
                           "-G",
                           "-lcublas"};
  EXPECT_TRUE(parsed("static_assert(DEEP == 3 && __cplusplus > 202000L);\n", options));
}

TEST(Program, WhatNvccLetsPassIsRead) {
  EXPECT_TRUE(parsed("__global__ void k(int *p) { register int i = threadIdx.x; p[i] = 1; }\n"
                     "void h() { const signed char c[] = {200}; (void)c; }\n"));
}

namespace {

/// Reads the text with our headers, and with the toolkit's where there is one.
void expectReadByBoth(const std::string &text) {
  EXPECT_TRUE(parsed(text));
  std::optional<Toolkit> toolkit = findToolkit();
  if (!toolkit)
    return;
  CompileOptions options;
  options.cudaPath = toolkit->root.string();
  EXPECT_TRUE(parsed(text, options));
}

} // namespace

TEST(Program, WhatNvccGivesHostCodeUnaskedIsThere) {
  expectReadByBoth("bool h(float f, double d) { return isfinite(f) || isnan(d) || isinf(f) || signbit(d); }\n"
                   "__host__ __device__ bool both(float f) { return isnan(f) || isinf(f); }\n"
                   "int least(int a, unsigned b) { return min(a, 3) + max(b, 1u) + int(min(2.0f, 3.0)); }\n");
  expectReadByBoth(
      "#include <cmath>\n#include <math.h>\nusing namespace std;\n"
      "bool h(float f, double d) { return isfinite(f) || std::isnan(d) || isinf(f) || signbit(d); }\n");
  expectReadByBoth(
      "template <class T> bool isnan(T x) { return x != x; }\nbool h(float f) { return isnan(f); }\n");
  expectReadByBoth("#include <omp.h>\nint h() { return omp_get_max_threads(); }\n");
}

TEST(Program, DeviceFunctionsThatClangLacksAreThere) {
  expectReadByBoth("__global__ void k(float *p, float4 *q, unsigned *u) {\n"
                   "  __stcs(p, 1.0); __stcg(q, make_float4(1, 2, 3, 4)); p[1] = __ldlu(p);\n"
                   "  u[0] = __nv_atomic_load_n(u, __NV_ATOMIC_RELAXED);\n"
                   "  __nv_atomic_fetch_add(u, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);\n}\n");
}
