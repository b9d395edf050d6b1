// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every .cu of the examples and of tests/runtime/cases compiles, host and device side, with our own CUDA
// headers, and with the toolkit's where there is one.
#include "TestPaths.h"
#include "support/CudaFlags.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

using Flags = std::vector<std::string>;

const fs::path source = HEDDLE_SOURCE_DIR;
const fs::path runtime = source / "runtime/cuda";
const fs::path cases = source / "tests/runtime/cases";
const fs::path toolkit = "/usr/local/cuda";

bool hasToolkit() { return fs::exists(toolkit / "include/cuda_runtime.h"); }

Flags flagsOf(const std::string &section, const fs::path &ptx = {}) {
  return heddle::ownCudaFlags(section, "sm_90", ptx);
}

std::string read(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

heddle::ProcessResult clang(std::initializer_list<Flags> parts) {
  Flags command = {"clang++-22", "-std=c++17", "-Wall", "-Wextra", "-Werror"};
  for (const Flags &part : parts)
    command.insert(command.end(), part.begin(), part.end());
  return heddle::runProcess(command);
}

std::vector<std::string> cudaFiles() {
  std::vector<std::string> files;
  for (const fs::path &folder : {source / "examples", cases})
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".cu")
        files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class EveryCudaFile : public testing::TestWithParam<std::string> {
protected:
  heddle::TemporaryFolder folder;
};

} // namespace

TEST_P(EveryCudaFile, CompilesToPtxWithOurHeaders) {
  const fs::path ptx = folder.path() / "device.ptx";
  const heddle::ProcessResult result =
      clang({flagsOf("all"), flagsOf("device"), {"-O2", GetParam(), "-o", ptx}});
  ASSERT_TRUE(result.succeeded()) << result.standardError;
  EXPECT_EQ(result.standardError, "");
  EXPECT_THAT(read(ptx), HasSubstr(".entry"));
  if (!hasToolkit())
    return;
  // ptxas knows whether the inline assembly in our headers is PTX at all.
  const heddle::ProcessResult assembled =
      heddle::runProcess({toolkit / "bin/ptxas", "-c", "-arch=sm_90", ptx, "-o", folder.path() / "device.o"});
  EXPECT_TRUE(assembled.succeeded()) << assembled.standardError;
}

TEST_P(EveryCudaFile, PassesTheHostSideWithOurHeaders) {
  const heddle::ProcessResult result =
      clang({flagsOf("all"), {"--cuda-host-only", "-fsyntax-only", GetParam()}});
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}

TEST_P(EveryCudaFile, CompilesWithTheToolkit) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit";
  // Clang with the toolkit's headers lacks some things that nvcc and our headers have; such a file says so.
  const bool needsNvcc = read(GetParam()).find("// with the toolkit: nvcc only") != std::string::npos;
  const heddle::ProcessResult result =
      needsNvcc ? heddle::runProcess({toolkit / "bin/nvcc", "-std=c++17", "-arch=sm_90", "-ptx", GetParam(),
                                      "-o", folder.path() / "device.ptx"})
                : clang({{"-x", "cuda", "--cuda-path=" + toolkit.string(), "--cuda-gpu-arch=sm_90",
                          "-isystem", toolkit / "include/cccl", "-Wno-unknown-cuda-version", "-include",
                          runtime / "heddle_toolkit_extras.h", "-fsyntax-only", GetParam()}});
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}

INSTANTIATE_TEST_SUITE_P(Headers, EveryCudaFile, testing::ValuesIn(cudaFiles()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return fs::path(info.param).stem().string();
                         });

TEST(OurHeaders, MakeAnObjectThatCarriesItsPtxAndLaunchesThroughTheRuntime) {
  heddle::TemporaryFolder folder;
  const fs::path program = source / "examples/stencil2pt.cu";
  const fs::path ptx = folder.path() / "device.ptx", object = folder.path() / "host.o";
  ASSERT_TRUE(clang({flagsOf("all"), flagsOf("device"), {"-O2", program, "-o", ptx}}).succeeded());
  const heddle::ProcessResult host =
      clang({flagsOf("all"), flagsOf("host", ptx), {"-O1", program, "-o", object}});
  ASSERT_TRUE(host.succeeded()) << host.standardError;

  const heddle::ProcessResult symbols = heddle::runProcess({"nm", "-u", object});
  ASSERT_TRUE(symbols.succeeded()) << symbols.standardError;
  for (const char *wanted :
       {"__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaPushCallConfiguration",
        "__cudaPopCallConfiguration", "cudaLaunchKernel", "cudaMalloc"})
    EXPECT_THAT(symbols.standardOutput, HasSubstr(wanted));
  EXPECT_THAT(read(object), HasSubstr(".visible .entry _Z7stencil"));
}

TEST(OurHeaders, LeaveLibdeviceCallsExternalInThePtx) {
  heddle::TemporaryFolder folder;
  const fs::path ptx = folder.path() / "math.ptx";
  ASSERT_TRUE(clang({flagsOf("all"), flagsOf("device"), {"-O2", cases / "math.cu", "-o", ptx}}).succeeded());
  EXPECT_THAT(read(ptx), HasSubstr("__nv_expf"));
}

TEST(OurHeaders, ServeEveryArchitectureFromVoltaOn) {
  heddle::TemporaryFolder folder;
  for (const char *arch : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_100", "sm_120"}) {
    Flags all = flagsOf("all");
    std::replace(all.begin(), all.end(), std::string("--cuda-gpu-arch=sm_90"),
                 "--cuda-gpu-arch=" + std::string(arch));
    const heddle::ProcessResult result =
        clang({all, flagsOf("device"), {source / "examples/reduce.cu", "-o", folder.path() / "reduce.ptx"}});
    EXPECT_TRUE(result.succeeded()) << arch << ": " << result.standardError;
  }
}

TEST(OurHeaders, ServeACppFileOfACudaProgram) {
  const heddle::ProcessResult result =
      clang({{"-isystem", runtime, "-fsyntax-only", cases / "host_only.cpp"}});
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}

TEST(OurHeaders, AgreeWithCuda13OnEveryLayoutAndValue) {
  const heddle::ProcessResult result = clang({{"-isystem", runtime, "-fsyntax-only", cases / "abi.cpp"}});
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}

TEST(TheToolkitsHeaders, AgreeWithTheSameLayoutsAndValues) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit";
  const heddle::ProcessResult result =
      clang({{"-isystem", toolkit / "include", "-Wno-deprecated-declarations", "-fsyntax-only",
              cases / "abi.cpp"}});
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}
