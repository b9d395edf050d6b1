// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface itself, with PTX registered the way Clang's start-up code does it.
#include "TestPaths.h"
#include "cudart/Abi.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <sstream>

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int, size_t bytes, int,
                       int);
int cudaIpcGetEventHandle();
}

namespace {

const char ptx[] = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 bias = 100;
.visible .entry scale(.param .u64 data, .param .u32 factor) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  ld.global.u32 %r4, [bias];
  mad.lo.u32 %r5, %r3, %r1, %r4;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

char scaleStub, biasShadow;

/// Registered once, like the program's own code would be.
void registerOnce() {
  static struct {
    int magic = 0x466243b1, version = 1;
    const void *image = ptx;
    const void *unused = nullptr;
  } wrapper;
  static void **handle = [] {
    void **made = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(made, &scaleStub, nullptr, "scale", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterVar(made, &biasShadow, nullptr, "bias", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(made);
    return made;
  }();
  (void)handle;
}

cudaError_t launchScale(unsigned *data, unsigned factor, unsigned threads, cudaStream_t stream = nullptr) {
  void *arguments[] = {&data, &factor};
  return cudaLaunchKernel(&scaleStub, dim3{1, 1, 1}, dim3{threads, 1, 1}, arguments, 0, stream);
}

TEST(Api, RegisteredKernelRunsOnRegisteredVariable) {
  registerOnce();
  unsigned bias = 7, values[4] = {1, 2, 3, 4}, *data = nullptr;
  ASSERT_EQ(cudaMemcpyToSymbol(&biasShadow, &bias, 4), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&data), 16), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(data, values, 16, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(launchScale(data, 10, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(values, data, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(values, testing::ElementsAre(17, 27, 37, 47));
  EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST(Api, ErrorStaysWithTheThreadUntilAskedFor) {
  registerOnce();
  EXPECT_EQ(launchScale(nullptr, 1, 5000), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Api, WrongHandlesAreRefused) {
  int nothing = 0;
  EXPECT_EQ(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(&nothing)), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(reinterpret_cast<cudaEvent_t>(&nothing)), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFreeArray(reinterpret_cast<cudaArray_t>(&nothing)), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemcpyToSymbol(&nothing, &nothing, 4), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaFree(&nothing), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(&nothing), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST(Api, CopiesOutsideOfAnAllocationAreRefused) {
  char *data = nullptr, host[64];
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&data), 32), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, data, 33, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(data + 16, host, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(data, 0, 33), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, data, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(host, 8, data, 4, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Api, EveryErrorHasANameAndAText) {
#define HEDDLE_CUDA_ERROR(name, value)                                                                       \
  EXPECT_STREQ(cudaGetErrorName(name), #name);                                                               \
  EXPECT_STRNE(cudaGetErrorString(name), "unrecognized error code");                                         \
  EXPECT_GT(std::string(cudaGetErrorString(name)).size(), 3u) << #name;
#include "heddle/error_codes.def"
#undef HEDDLE_CUDA_ERROR
  EXPECT_STREQ(cudaGetErrorString(cudaError_t(77777)), "unrecognized error code");
}

TEST(Api, MissingCallNamesItself) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaIpcGetEventHandle(), int(cudaErrorNotSupported));
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "heddle: cudaIpcGetEventHandle is not supported on the simulator: it returns cudaErrorNotSupported\n");
}

TEST(Api, DeviceIsTheOneThatTheEnvironmentChose) {
  int major = 0, shared = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  EXPECT_EQ(major, 9);
  EXPECT_EQ(shared, 232448); // what an H200 answers
}

/// Programs of others must link: whatever NVIDIA's library exports, ours does too.
TEST(Api, ExportsAllThatTheToolkitsLibraryExports) {
  std::filesystem::path theirs;
  for (const char *folder : {"/usr/local/cuda/lib64", "/opt/cuda/lib64"})
    if (auto file = std::filesystem::path(folder) / "libcudart.so"; std::filesystem::exists(file))
      theirs = file;
  if (theirs.empty() || !heddle::findProgram("nm"))
    GTEST_SKIP() << "no CUDA toolkit here";
  void *ours = dlopen(HEDDLE_BUILD_DIR "/lib/libheddle_cudart.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(ours) << dlerror();
  std::istringstream names(
      heddle::runProcess({"nm", "-D", "--defined-only", theirs.string()}).standardOutput);
  std::string address, kind, name;
  unsigned checked = 0;
  while (names >> address >> kind >> name) {
    name = name.substr(0, name.find('@'));
    if (kind != "T" || name.find("cuda") == std::string::npos)
      continue;
    EXPECT_TRUE(dlsym(ours, name.c_str())) << name;
    ++checked;
  }
  EXPECT_GT(checked, 300u);
}

} // namespace
