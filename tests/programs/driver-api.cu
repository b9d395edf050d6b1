// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: contexts, a module of PTX text, launches of both kinds, memory, streams, events, attributes, errors;
// and the runtime API beside it.
#include "Check.h"

#include <cstring>
#include <cuda.h>
#include <string>

#define CHECK_CU(call)                                                                                       \
  do {                                                                                                       \
    CUresult result_ = (call);                                                                               \
    if (result_ != CUDA_SUCCESS) {                                                                           \
      const char *name_ = "?";                                                                               \
      cuGetErrorName(result_, &name_);                                                                       \
      std::printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);                                 \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

// out[i] = a * in[i] + offset, for i < n; and a kernel that adds into a counter.
static const char *kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .f32 offset = 0f3F800000;
.visible .entry scale(.param .u64 in, .param .u64 out, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1; @%p ret;
  mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
  ld.global.f32 %f2, [%d4]; ld.const.f32 %f4, [offset];
  fma.rn.f32 %f3, %f1, %f2, %f4; st.global.f32 [%d5], %f3; ret;
}
.visible .entry count() {
  .reg .b32 %r; atom.global.add.u32 %r, [counter], 1; ret;
}
)";

__global__ void runtimeKernel(float *data, int n) {
  int i = threadIdx.x;
  if (i < n)
    data[i] += 100;
}

static void expectScaled(const std::vector<float> &in, CUdeviceptr out, float a, float offset) {
  std::vector<float> got(in.size());
  CHECK_CU(cuMemcpyDtoH(got.data(), out, got.size() * sizeof(float)));
  for (size_t i = 0; i < in.size(); ++i)
    CHECK(got[i] == a * in[i] + offset);
}

static void beforeInitialization() {
  CUdeviceptr pointer = 0;
  CUdevice device = -1;
  CHECK(cuMemAlloc(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED);
  CHECK(cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
  CHECK_CU(cuInit(0));
  CHECK(cuMemAlloc(&pointer, 4) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
}

static void devices() {
  int count = 0, major = 0, version = 0;
  char name[100] = "";
  size_t bytes = 0;
  CUdevice device = -1;
  CHECK_CU(cuDeviceGetCount(&count));
  CHECK(count >= 1);
  CHECK_CU(cuDeviceGet(&device, 0));
  CHECK_CU(cuDeviceGetName(name, sizeof name, device));
  CHECK(std::strlen(name) > 0);
  CHECK_CU(cuDeviceTotalMem(&bytes, device));
  CHECK(bytes > 0);
  CHECK_CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(major >= 7);
  CHECK_CU(cuDriverGetVersion(&version));
  CHECK(version >= 12000);
}

static void contexts() {
  CUcontext primary = nullptr, current = nullptr, own = nullptr;
  CHECK_CU(cuDevicePrimaryCtxRetain(&primary, 0));
  CHECK_CU(cuCtxGetCurrent(&current));
  CHECK(current == nullptr);
#if CUDA_VERSION >= 13000
  CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
#else
  CHECK_CU(cuCtxCreate(&own, 0, 0));
#endif
  CHECK_CU(cuCtxGetCurrent(&current));
  CHECK(current == own && own != primary);
  CHECK_CU(cuCtxDestroy(own));
  CHECK_CU(cuCtxPushCurrent(primary));
  CHECK_CU(cuCtxPopCurrent(&current));
  CHECK(current == primary);
  CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  CHECK_CU(cuCtxSetCurrent(primary));
}

static void launches(CUmodule module) {
  CUfunction scale = nullptr, missing = nullptr;
  CHECK_CU(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&missing, module, "nothing") == CUDA_ERROR_NOT_FOUND);
  std::vector<float> values(300);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / 4;
  const size_t bytes = values.size() * sizeof(float);
  CUdeviceptr in = 0, out = 0, offset = 0;
  size_t offsetBytes = 0;
  CHECK_CU(cuMemAlloc(&in, bytes));
  CHECK_CU(cuMemAlloc(&out, bytes));
  CHECK_CU(cuMemcpyHtoD(in, values.data(), bytes));
  CHECK_CU(cuMemsetD32(out, 0xdeadbeef, values.size()));

  float a = 3;
  unsigned n = unsigned(values.size());
  void *arguments[] = {&in, &out, &a, &n};
  CHECK_CU(cuLaunchKernel(scale, 3, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK_CU(cuCtxSynchronize());
  expectScaled(values, out, 3, 1);

  // The same with the arguments in a buffer, after changing the constant.
  float newOffset = -2;
  CHECK_CU(cuModuleGetGlobal(&offset, &offsetBytes, module, "offset"));
  CHECK(offsetBytes == sizeof(float));
  CHECK_CU(cuMemcpyHtoD(offset, &newOffset, sizeof newOffset));
  struct {
    CUdeviceptr in, out;
    float a;
    unsigned n;
  } packed = {in, out, 5, n};
  size_t packedBytes = sizeof packed;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packedBytes,
                   CU_LAUNCH_PARAM_END};
  CUstream stream = nullptr;
  CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUlaunchConfig config = {};
  config.gridDimX = 3, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  CHECK_CU(cuLaunchKernelEx(&config, scale, nullptr, extra));
  CHECK_CU(cuStreamSynchronize(stream));
  expectScaled(values, out, 5, -2);
  CHECK(cuLaunchKernel(scale, 1, 1, 1, 4096, 1, 1, 0, nullptr, arguments, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);

  int threads = 0, blocks = 0;
  CHECK_CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  CHECK(threads == 1024);
  CHECK_CU(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 * 1024));
  CHECK_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
  CHECK(blocks > 0);
  CHECK_CU(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, scale, nullptr, 0, 0));
  CHECK(threads > 0 && threads % 32 == 0 && blocks > 0);

  // The runtime API sees the same memory.
  runtimeKernel<<<1, 64>>>(reinterpret_cast<float *>(out), 64);
  CHECK_LAUNCH();
  float first = 0;
  CHECK_CUDA(cudaMemcpy(&first, reinterpret_cast<void *>(out), sizeof first, cudaMemcpyDeviceToHost));
  CHECK(first == 5 * values[0] - 2 + 100);
  CHECK_CU(cuStreamDestroy(stream));
  CHECK_CU(cuMemFree(in));
  CHECK_CU(cuMemFree(out));
}

static void counters(CUmodule module) {
  CUfunction count = nullptr;
  CUdeviceptr counter = 0;
  CUevent start = nullptr, end = nullptr;
  unsigned value = 0;
  float milliseconds = -1;
  CHECK_CU(cuModuleGetFunction(&count, module, "count"));
  CHECK_CU(cuModuleGetGlobal(&counter, nullptr, module, "counter"));
  CHECK_CU(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK_CU(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK_CU(cuEventRecord(start, nullptr));
  CHECK_CU(cuLaunchKernel(count, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  CHECK_CU(cuEventRecord(end, nullptr));
  CHECK_CU(cuEventSynchronize(end));
  CHECK_CU(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0);
  CHECK_CU(cuMemcpyDtoH(&value, counter, sizeof value));
  CHECK(value == 7 + 128);
  CHECK_CU(cuEventDestroy(start));
  CHECK_CU(cuEventDestroy(end));
}

static void memory() {
  CUdeviceptr device = 0, managed = 0, base = 0, pitched = 0;
  size_t bytes = 0, pitch = 0;
  unsigned type = 0;
  unsigned short *host = nullptr;
  CHECK_CU(cuMemAlloc(&device, 1000));
  CHECK(cuMemAlloc(&base, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemGetAddressRange(&base, &bytes, device + 500));
  CHECK(base == device && bytes == 1000);
  CHECK_CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(&type)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemAllocHost(reinterpret_cast<void **>(&host), 1000));
  CHECK_CU(cuMemsetD16(device, 0x1234, 500));
  CHECK_CU(cuMemsetD8(device, 0xff, 2));
  CHECK_CU(cuMemcpyDtoH(host, device, 1000));
  CHECK(host[0] == 0xffff && host[1] == 0x1234 && host[499] == 0x1234);
  CHECK_CU(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  *reinterpret_cast<int *>(managed) = 42;
  CHECK_CU(cuMemcpyDtoD(device, managed, sizeof(int)));
  CHECK_CU(cuMemcpyDtoH(host, device, sizeof(int)));
  CHECK(host[0] == 42);

  CHECK_CU(cuMemAllocPitch(&pitched, &pitch, 10, 4, 4));
  CHECK_CU(cuMemsetD2D8(pitched, pitch, 9, 10, 4));
  unsigned char rows[4][6] = {};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = pitched, copy.srcPitch = pitch;
  copy.srcXInBytes = 2, copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = rows, copy.dstPitch = 6;
  copy.dstXInBytes = 1, copy.WidthInBytes = 5, copy.Height = 2;
  CHECK_CU(cuMemcpy2D(&copy));
  CHECK(rows[0][0] == 0 && rows[0][1] == 9 && rows[1][5] == 9 && rows[2][1] == 0);
  for (CUdeviceptr pointer : {device, managed, pitched})
    CHECK_CU(cuMemFree(pointer));
  CHECK(cuMemFree(device) == CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemFreeHost(host));
  // Errors of the driver are not the runtime's.
  CHECK_CUDA(cudaGetLastError());
}

static void badModules() {
  CUmodule module = nullptr;
  char log[500] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const char *bad =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { add.u32 %nothing, 1, 2; ret; }\n";
  CHECK(cuModuleLoadDataEx(&module, bad, 2, options, values) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::strlen(log) > 0);
  CHECK(cuModuleLoad(&module, "/no/such/file.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
}

static void names() {
  const char *name = nullptr, *text = nullptr;
  CHECK_CU(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name));
  CHECK(std::string(name) == "CUDA_ERROR_INVALID_VALUE");
  CHECK_CU(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
  CHECK(std::string(text) == "invalid argument");
  CHECK(cuGetErrorName(CUresult(12345), &name) == CUDA_ERROR_INVALID_VALUE);
  void *function = nullptr;
  cudaDriverEntryPointQueryResult status;
  CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, cudaEnableDefault, &status));
  CHECK(status == cudaDriverEntryPointSuccess && function == reinterpret_cast<void *>(&cuMemAlloc));
  CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuNothing", &function, 12000, cudaEnableDefault, &status));
  CHECK(status == cudaDriverEntryPointSymbolNotFound && !function);
}

int main() {
  beforeInitialization();
  devices();
  contexts();
  CUmodule module = nullptr;
  CHECK_CU(cuModuleLoadData(&module, kPtx));
  launches(module);
  counters(module);
  CHECK_CU(cuModuleUnload(module));
  CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  memory();
  badModules();
  names();
  CHECK_CU(cuDevicePrimaryCtxRelease(0));
  return pass();
}
