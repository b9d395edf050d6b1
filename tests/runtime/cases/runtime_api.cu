// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime calls of ordinary programs, in their C and C++ forms.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

__constant__ float table[4];
__device__ int total;

__global__ void kernel(int *data, float factor) { data[threadIdx.x] = int(factor * table[0]) + total; }
template <class T> __global__ void typed(T *data) { data[threadIdx.x] = T(); }

static void devices() {
  int count = 0, value = 0;
  cudaGetDeviceCount(&count);
  cudaSetDevice(0);
  cudaGetDevice(&value);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%s %d.%d, %zu bytes, %d multiprocessors, warps of %d\n", properties.name, properties.major,
              properties.minor, properties.totalGlobalMem, properties.multiProcessorCount,
              properties.warpSize);
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0);
  size_t limit;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
  cudaDriverGetVersion(&value);
  cudaRuntimeGetVersion(&value);
}

static void memory() {
  int *data, *host, *managed, *pitched;
  size_t pitch, free, total_;
  cudaMalloc(&data, 1024);
  cudaMalloc((void **)&data, 1024);
  cudaMallocHost(&host, 1024);
  cudaHostAlloc(&host, 1024, cudaHostAllocMapped);
  cudaMallocManaged(&managed, 1024);
  cudaMallocPitch(&pitched, &pitch, 100, 10);
  cudaPitchedPtr volume;
  cudaMalloc3D(&volume, make_cudaExtent(16, 8, 4));
  cudaMallocAsync(&data, 1024, cudaStream_t(0));
  cudaMemcpy(data, host, 1024, cudaMemcpyHostToDevice);
  cudaMemcpy2D(data, pitch, host, 100, 100, 10, cudaMemcpyDefault);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 16, 16, 8);
  copy.dstPtr = volume;
  copy.extent = make_cudaExtent(16, 8, 4);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaMemset(data, 0, 1024);
  cudaMemset2D(data, pitch, 0, 100, 10);
  cudaMemGetInfo(&free, &total_);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, data);

  float values[4] = {1, 2, 3, 4};
  int *address;
  cudaMemcpyToSymbol(table, values, sizeof values);
  cudaMemcpyToSymbol(total, values, sizeof(int), 0, cudaMemcpyHostToDevice);
  cudaMemcpyFromSymbol(values, table, sizeof values);
  cudaGetSymbolAddress((void **)&address, total);
  cudaGetSymbolSize(&free, table);
  cudaFreeAsync(data, cudaStream_t(0));
  cudaFreeHost(host);
  cudaFree(managed);
}

static void launches() {
  int *data = nullptr;
  float factor = 2.0f;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreateWithFlags(&stop, cudaEventDisableTiming);
  cudaEventRecord(start, stream);
  kernel<<<1, 32>>>(data, factor);
  kernel<<<dim3(2, 2), dim3(8, 8, 2), 256, stream>>>(data, factor);
  typed<<<1, 32>>>(data);
  void *arguments[] = {&data, &factor};
  cudaLaunchKernel(kernel, dim3(1), dim3(32), arguments, 0, stream);
  cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, stream);
  cudaLaunchCooperativeKernel((void *)kernel, 1, 32, arguments);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = stream;
  cudaLaunchKernelEx(&config, kernel, data, 2);
  cudaMemcpyAsync(data, data, 4, cudaMemcpyDeviceToDevice, stream);
  cudaMemsetAsync(data, 0, 4, stream);
  cudaEventRecord(stop);
  cudaStreamWaitEvent(stream, stop);
  cudaEventSynchronize(stop);
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, start, stop);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);

  int blocks, grid, block;
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(typed<float>, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, typed<double>, 0, 0);
  cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel,
                                                 [](int threads) { return size_t(threads) * 4; });
}

static void graphs(cudaStream_t stream, int *data) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, stream>>>(data, 1.0f);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

int main() {
  devices();
  memory();
  launches();
  graphs(cudaStreamPerThread, nullptr);
  cudaProfilerStart();
  cudaProfilerStop();
  cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess)
    std::printf("%s: %s\n", cudaGetErrorName(status), cudaGetErrorString(cudaPeekAtLastError()));
  return cudaDeviceReset() == cudaSuccess ? 0 : 1;
}
