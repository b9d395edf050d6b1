// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways of launching and of bringing results back, by the first argument; the second is what is copied to the host.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int *values, int value) { values[threadIdx.x] = value; }
__global__ void print(int value) { printf("a kernel says %d\n", value); }
__global__ void fault(int *values) { *reinterpret_cast<int *>(8) = values[0]; }

int main(int argc, char **argv) {
  const char *way = argv[1];
  const int value = argc > 2 ? std::atoi(argv[2]) : 1;
  const int bytes = 32 * sizeof(int);
  int host[32];
  int *values;
  if (!std::strcmp(way, "nothing"))
    return 0;
  if (!std::strcmp(way, "managed")) {
    cudaMallocManaged(&values, bytes);
    fill<<<1, 32>>>(values, value);
    cudaDeviceSynchronize();
    cudaFree(values);
    return 0;
  }
  if (!std::strcmp(way, "prints")) {
    print<<<1, 1>>>(value);
    cudaDeviceSynchronize();
    std::printf("the host says %d", value);
    return 0;
  }
  if (!std::strcmp(way, "mapped")) {
    int *place;
    cudaHostAlloc(&values, bytes, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&place, values, 0);
    fill<<<1, 32>>>(place, value);
    cudaDeviceSynchronize();
    std::printf("%d\n", values[31]);
    cudaFreeHost(values);
    return 0;
  }
  cudaMalloc(&values, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (!std::strcmp(way, "often"))
    for (int i = 0; i < 50; ++i)
      fill<<<1, 32>>>(values, value);
  if (!std::strcmp(way, "stream"))
    fill<<<1, 32, 128, stream>>>(values, value);
  if (!std::strcmp(way, "cooperative")) {
    void *arguments[] = {&values, const_cast<int *>(&value)};
    cudaLaunchCooperativeKernel(reinterpret_cast<void *>(fill), dim3(1), dim3(32), arguments, 0, stream);
  }
  if (!std::strcmp(way, "extended")) {
    void *arguments[] = {&values, const_cast<int *>(&value)};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    cudaLaunchKernelExC(&config, reinterpret_cast<void *>(fill), arguments);
  }
  if (!std::strcmp(way, "graph")) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, stream>>>(values, value);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; ++i)
      cudaGraphLaunch(executable, stream);
  }
  if (!std::strcmp(way, "gone-stream")) {
    fill<<<1, 32>>>(values, value);
    cudaStreamDestroy(stream);
    fill<<<1, 32, 0, stream>>>(values, value);
    stream = nullptr;
  }
  if (!std::strcmp(way, "fault"))
    fault<<<1, 32>>>(values);
  if (!std::strcmp(way, "too-large"))
    fill<<<1, 4096>>>(values, value);
  cudaMemcpyAsync(host, values, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFree(values);
  return 0;
}
