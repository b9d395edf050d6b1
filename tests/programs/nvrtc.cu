// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are compiled while the program runs: options, headers given as text, name expressions, errors.
#include "Check.h"

#include <cuda.h>
#include <nvrtc.h>
#include <string>

#define CHECK_NVRTC(call)                                                                                    \
  do {                                                                                                       \
    nvrtcResult result_ = (call);                                                                            \
    if (result_ != NVRTC_SUCCESS) {                                                                          \
      std::printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, nvrtcGetErrorString(result_));          \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)
#define CHECK_CU(call) CHECK((call) == CUDA_SUCCESS)

static std::string logOf(nvrtcProgram program) {
  size_t bytes = 0;
  CHECK_NVRTC(nvrtcGetProgramLogSize(program, &bytes));
  std::string log(bytes, 0);
  CHECK_NVRTC(nvrtcGetProgramLog(program, log.data()));
  log.resize(bytes - 1);
  return log;
}

static std::string ptxOf(nvrtcProgram program) {
  size_t bytes = 0;
  CHECK_NVRTC(nvrtcGetPTXSize(program, &bytes));
  std::string ptx(bytes, 0);
  CHECK_NVRTC(nvrtcGetPTX(program, ptx.data()));
  return ptx;
}

static const char *kSource = R"(
#include "scale.h"
namespace math {
template <class T, int Factor> __global__ void scale(T *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = helper(data[i]) * Factor + N * T(OFFSET);
}
__device__ int seen = 3;
}
extern "C" __global__ void plain(int *data) { *data += math::seen; }
)";
// Without __device__: -default-device makes it one.
static const char *kHeader = "template <class T> T helper(T x) { return x + 1; }\n";

static void compiled() {
  nvrtcProgram program = nullptr;
  const char *headers[] = {kHeader}, *names[] = {"scale.h"};
  CHECK_NVRTC(nvrtcCreateProgram(&program, kSource, "scale.cu", 1, headers, names));
  const char *ofFloat = "math::scale<float, 3>", *ofInt = "math::scale<int, 2 + 2>",
             *variable = "&math::seen";
  for (const char *expression : {ofFloat, ofInt, variable})
    CHECK_NVRTC(nvrtcAddNameExpression(program, expression));
  const char *options[] = {"--gpu-architecture=compute_80",
                           "-default-device",
                           "-DOFFSET=0.5",
                           "--std=c++17",
                           "-fmad=false",
                           "-DN=1"}; // a name that Clang's headers use
  nvrtcResult result = nvrtcCompileProgram(program, 6, options);
  if (result != NVRTC_SUCCESS)
    std::printf("%s", logOf(program).c_str());
  CHECK(result == NVRTC_SUCCESS);
  CHECK(nvrtcAddNameExpression(program, "more") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

  CUmodule module = nullptr;
  CHECK_CU(cuModuleLoadData(&module, ptxOf(program).c_str()));
  auto kernel = [&](const char *expression) {
    const char *name = nullptr;
    CHECK_NVRTC(nvrtcGetLoweredName(program, expression, &name));
    CUfunction function = nullptr;
    CHECK_CU(cuModuleGetFunction(&function, module, name));
    return function;
  };
  const int n = 50;
  std::vector<float> floats(n);
  std::vector<int> ints(n);
  for (int i = 0; i < n; ++i)
    floats[i] = float(i), ints[i] = i;
  DeviceArray<float> deviceFloats(floats);
  DeviceArray<int> deviceInts(ints);
  float *floatPointer = deviceFloats;
  int *intPointer = deviceInts, count = n;
  void *floatArguments[] = {&floatPointer, &count}, *intArguments[] = {&intPointer, &count};
  CHECK_CU(cuLaunchKernel(kernel(ofFloat), 2, 1, 1, 32, 1, 1, 0, nullptr, floatArguments, nullptr));
  CHECK_CU(cuLaunchKernel(kernel(ofInt), 2, 1, 1, 32, 1, 1, 0, nullptr, intArguments, nullptr));
  CHECK_CU(cuCtxSynchronize());
  for (int i = 0; i < n; ++i) {
    CHECK(deviceFloats.host()[i] == (float(i) + 1) * 3 + 0.5f);
    CHECK(deviceInts.host()[i] == (i + 1) * 4 + 0);
  }

  // An extern "C" kernel has its own name; a variable is found by its address.
  const char *seenName = nullptr;
  CUdeviceptr seen = 0;
  CHECK_NVRTC(nvrtcGetLoweredName(program, variable, &seenName));
  CHECK_CU(cuModuleGetGlobal(&seen, nullptr, module, seenName));
  int ten = 10;
  CHECK_CU(cuMemcpyHtoD(seen, &ten, sizeof ten));
  CUfunction plain = nullptr;
  CHECK_CU(cuModuleGetFunction(&plain, module, "plain"));
  DeviceArray<int> one(std::vector<int>{5});
  int *onePointer = one;
  void *oneArgument[] = {&onePointer};
  CHECK_CU(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, nullptr, oneArgument, nullptr));
  CHECK_CU(cuCtxSynchronize());
  CHECK(one.host()[0] == 15);
  CHECK_CU(cuModuleUnload(module));
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  CHECK(program == nullptr);
}

static void errors() {
  nvrtcProgram program = nullptr;
  CHECK_NVRTC(nvrtcCreateProgram(&program, "__global__ void k(int *p) { *p = undeclared; }", "bad.cu", 0,
                                 nullptr, nullptr));
  CHECK(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  CHECK(logOf(program).find("bad.cu") != std::string::npos);
  CHECK(logOf(program).find("undeclared") != std::string::npos);
  CHECK_NVRTC(nvrtcDestroyProgram(&program));

  const char *unknown[] = {"--no-such-option"};
  CHECK_NVRTC(nvrtcCreateProgram(&program, "__global__ void k() {}", nullptr, 0, nullptr, nullptr));
  CHECK(nvrtcCompileProgram(program, 1, unknown) == NVRTC_ERROR_INVALID_OPTION);
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  int major = 0, minor = 0;
  CHECK_NVRTC(nvrtcVersion(&major, &minor));
  CHECK(major >= 12);
}

int main() {
  CUcontext context = nullptr;
  CHECK_CU(cuInit(0));
  CHECK_CU(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK_CU(cuCtxSetCurrent(context));
  compiled();
  errors();
  return pass();
}
