// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole programs through build::Program, with Clang, as `heddle run` does it.
#include "build/Program.h"

#include "TestPaths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

using namespace heddle;
using namespace heddle::build;
using testing::HasSubstr;

namespace {

class ProgramTest : public testing::Test {
protected:
  Program make(const std::string &text, ProgramOptions options = {}) {
    std::filesystem::path file = folder.path() / "program.cu";
    std::ofstream(file) << text;
    return fromFiles({file}, std::move(options));
  }
  Program fromFiles(std::vector<std::filesystem::path> files, ProgramOptions options = {}) {
    options.sources.files = std::move(files);
    options.compiler = Compiler::Clang;
    return Program(options, diagnostics);
  }
  /// Runs it and keeps what it said on stderr.
  ProgramRun run(const Program &program, const std::vector<std::string> &environment = {}) {
    testing::internal::CaptureStderr();
    ProgramRun result = program.run({}, environment, Output::Captured);
    errors = testing::internal::GetCapturedStderr();
    return result;
  }
  TemporaryFolder folder;
  Diagnostics diagnostics;
  std::string errors;
};

TEST_F(ProgramTest, WhatDoesNotCompileIsReportedInTheCompilersWords) {
  Program program = make("int main() { return undeclared; }");
  EXPECT_FALSE(program.ok());
  EXPECT_FALSE(program.compiled());
  EXPECT_THAT(program.messages(),
              HasSubstr("program.cu:1:21: error: use of undeclared identifier 'undeclared'"));
}

TEST_F(ProgramTest, AWarningStopsACompilationIfRequested) {
  const std::string text = "__global__ void k() { int unused = 3; }\nint main() {}\n";
  EXPECT_TRUE(make(text).ok());
  ProgramOptions strict;
  strict.sources.flags = {"-Wall", "-Werror"};
  Program program = make(text, strict);
  EXPECT_FALSE(program.compiled());
  EXPECT_THAT(program.messages(), HasSubstr("unused"));
}

TEST_F(ProgramTest, FileThatIsNotThereIsNamed) {
  Program program = fromFiles({"/no/such/file.cu"});
  EXPECT_FALSE(program.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("/no/such/file.cu"));
}

TEST_F(ProgramTest, DeviceCodeIsLinkedAcrossFilesHoweverThatIsAskedFor) {
  for (std::vector<std::string> flags :
       {std::vector<std::string>{"-rdc=true"}, {"-rdc", "true"}, {"-dc"}, {"-fgpu-rdc"}, {"-rdc=false"}}) {
    ProgramOptions options;
    options.sources.flags = flags;
    diagnostics = {};
    Program program = make(
        "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }", options);
    ASSERT_TRUE(program.ok()) << flags.front() << program.messages();
    EXPECT_EQ(run(program).execution.exitCode, 0) << flags.front();
  }
}

TEST_F(ProgramTest, AFunctionOfAnotherFileIsNamedWithWhatToDo) {
  Program program = make(R"(
__device__ int elsewhere(int);
__global__ void kernel(int *data) { *data = elsewhere(*data); }
int main() {
  kernel<<<1, 1>>>(nullptr);
  return cudaGetLastError() == cudaErrorNotSupported ? 0 : 1;
}
)");
  ASSERT_TRUE(program.ok()) << program.messages();
  EXPECT_EQ(run(program).execution.exitCode, 0);
  EXPECT_THAT(errors, HasSubstr("elsewhere"));
  EXPECT_THAT(errors, HasSubstr("linked with -rdc=true"));
}

TEST_F(ProgramTest, WhatTheDriverApiLacksIsNamed) {
  Program program =
      make("extern \"C\" int cuTexRefCreate(void *);\nint main() { return cuTexRefCreate(nullptr); }");
  EXPECT_FALSE(program.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("the CUDA driver API"));
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("(cuTexRefCreate)"));
  EXPECT_THAT(diagnostics.all().front().hint, HasSubstr("--device gpu"));
}

TEST_F(ProgramTest, CallsOfLibrariesAreNamedWithTheirLibrary) {
  Program called = make("extern \"C\" int cublasSgemm_v2(), cublasCreate_v2();\nint main() { return "
                        "cublasSgemm_v2() + cublasCreate_v2(); }");
  EXPECT_FALSE(called.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("cuBLAS"));
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("cublasSgemm_v2"));
  EXPECT_THAT(diagnostics.all().front().hint, HasSubstr("--device gpu"));

  diagnostics = {};
  Program included = make("#include <cusparse.h>\nint main() {}");
  EXPECT_FALSE(included.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("includes cuSPARSE (cusparse.h)"));

  diagnostics = {};
  Program random = make("#include <curand_kernel.h>\nint main() {}");
  EXPECT_FALSE(random.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text,
              HasSubstr("includes curand_kernel.h, which is part of the CUDA toolkit"));
  EXPECT_THAT(diagnostics.all().front().hint, HasSubstr("--compiler nvcc"));

  diagnostics = {};
  Program sorted = make("#include <cub/cub.cuh>\nint main() {}");
  EXPECT_FALSE(sorted.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("includes cub/cub.cuh"));
}

TEST_F(ProgramTest, LinkingWithLibrariesWithoutCallingThemDoesNoHarm) {
  for (std::vector<std::string> flags : {std::vector<std::string>{"-lcuda"},
                                         {"-lcublas"},
                                         {"-l", "cusolver"},
                                         {"-lcudart"},
                                         {"-lm", "-lcurand"}}) {
    ProgramOptions options;
    options.sources.flags = flags;
    Program program = make("int main() { return 3; }", options);
    ASSERT_TRUE(program.ok()) << flags.back() << program.messages();
    EXPECT_EQ(run(program).execution.exitCode, 3) << flags.back();
  }
}

TEST_F(ProgramTest, CallsOfALinkedLibraryAreNamedAlsoWithAToolkit) {
  ProgramOptions options;
  options.sources.flags = {"-lcublas"};
  Program called =
      make("extern \"C\" int cublasCreate_v2();\nint main() { return cublasCreate_v2(); }", options);
  EXPECT_FALSE(called.ok());
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("calls cuBLAS (cublasCreate_v2)"));
}

TEST_F(ProgramTest, ALibraryOfTheUserThatIsMissingIsTheLinkersError) {
  ProgramOptions options;
  options.sources.flags = {"-lno_such_library"};
  Program program = make("int main() {}", options);
  EXPECT_FALSE(program.ok());
  EXPECT_THAT(program.messages(), HasSubstr("no_such_library"));
}

TEST_F(ProgramTest, ExitCodeAndOutputAreTheProgramsOwn) {
  Program program = make("#include <cstdio>\nint main() { std::printf(\"hello\\n\"); return 42; }");
  ASSERT_TRUE(program.ok()) << program.messages();
  ProgramRun result = run(program);
  EXPECT_EQ(result.execution.exitCode, 42);
  EXPECT_EQ(result.execution.standardOutput, "hello\n");
  EXPECT_EQ(result.summary.launches, 0u);
}

TEST_F(ProgramTest, FaultReportsKernelLineThreadAndOwner) {
  Program program = make(R"(
__global__ void outside(int *data, int n) {
  if (threadIdx.x == 3)
    data[n] = 1;
}
int main() {
  int *data;
  cudaMalloc(&data, 40);
  outside<<<2, 32>>>(data, 10);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
)");
  ASSERT_TRUE(program.ok()) << program.messages();
  ProgramRun result = run(program);
  EXPECT_EQ(result.execution.exitCode, 0);
  EXPECT_TRUE(result.summary.failed);
  EXPECT_THAT(errors, HasSubstr("program.cu:4"));
  EXPECT_THAT(errors, HasSubstr("outside"));
  EXPECT_THAT(errors, HasSubstr("(3,0,0)"));
  EXPECT_THAT(errors, HasSubstr("40 bytes"));
}

TEST_F(ProgramTest, EndlessKernelIsStoppedByTheTimeout) {
  ProgramOptions options;
  options.timeoutSeconds = 0.5;
  Program program = make(R"(
__global__ void endless(volatile int *flag) {
  while (*flag == 0)
    ;
}
int main() {
  int *flag;
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  endless<<<1, 1>>>(flag);
  return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 7 : 1;
}
)",
                         options);
  ASSERT_TRUE(program.ok()) << program.messages();
  EXPECT_EQ(run(program).execution.exitCode, 7);
  EXPECT_THAT(errors, HasSubstr("endless"));
}

TEST_F(ProgramTest, UnsupportedInstructionIsNamedAndRefused) {
  Program program = make(R"(
__global__ void odd(int *out) {
  asm volatile("griddepcontrol.launch_dependents.nonsense;");
  *out = 1;
}
int main() {
  int *out;
  cudaMalloc(&out, 4);
  odd<<<1, 1>>>(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 9;
}
)");
  ASSERT_TRUE(program.ok()) << program.messages();
  ProgramRun result = run(program);
  EXPECT_EQ(result.execution.exitCode, 9);
  EXPECT_TRUE(result.summary.failed);
  EXPECT_THAT(errors, HasSubstr("griddepcontrol.launch_dependents"));
}

/// The simulator's promise: results do not depend on how many cores work on them, nor on luck.
TEST_F(ProgramTest, TwentyRunsOnOneAndTwoCoresAgree) {
  Program program = fromFiles({HEDDLE_SOURCE_DIR "/tests/verify/determinism.cu"});
  ASSERT_TRUE(program.ok()) << program.messages();
  std::string first = run(program, {"HEDDLE_CORES=1"}).execution.standardOutput;
  EXPECT_THAT(first, HasSubstr("took"));
  for (int i = 0; i < 20; ++i) {
    std::string cores = i % 2 ? "HEDDLE_CORES=1" : "HEDDLE_CORES=2";
    ASSERT_EQ(run(program, {cores}).execution.standardOutput, first) << cores << ", run " << i;
  }
}

TEST(Arguments, FlagsKeepTheirValuesAndFilesTheirOrder) {
  Sources sources =
      splitArguments({"a.cu", "-I", "inc", "-DX=1", "b.cpp", "-std=c++20", "-gencode", "arch=x"});
  EXPECT_THAT(sources.files, testing::ElementsAre("a.cu", "b.cpp"));
  EXPECT_THAT(sources.flags, testing::ElementsAre("-I", "inc", "-DX=1", "-std=c++20", "-gencode", "arch=x"));
  EXPECT_THAT(withoutArchFlags(sources.flags), testing::ElementsAre("-I", "inc", "-DX=1", "-std=c++20"));
  EXPECT_THAT(withoutArchFlags({"-arch=sm_80", "-O3", "-arch", "sm_90"}), testing::ElementsAre("-O3"));
}

TEST(Arguments, WarningsBecomeErrorsInEitherCompilersWords) {
  Sources sources = splitArguments({"-Werror", "all-warnings", "a.cu", "-Werror", "b.cu", "-Werror=unused"});
  EXPECT_THAT(sources.files, testing::ElementsAre("a.cu", "b.cu"));
  EXPECT_THAT(sources.flags, testing::ElementsAre("-Werror=all-warnings", "-Werror", "-Werror=unused"));
  EXPECT_THAT(errorsInClangsWords(sources.flags),
              testing::ElementsAre("-Werror", "-Werror", "-Werror=unused"));
  EXPECT_THAT(errorsInClangsWords({"-Werror=reorder", "-O2"}), testing::IsEmpty());
  EXPECT_THAT(errorsInNvccsWords({"-O2", "-Werror"}), testing::ElementsAre("-O2", "-Werror=all-warnings"));
}

} // namespace
