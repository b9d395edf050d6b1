// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work captured from streams into a graph and launched several times.
#include "Check.h"

__global__ void addOne(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += 1;
}

__global__ void addInto(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i];
}

/// Nodes that are added one by one: rows of a pitched array to the device, a kernel, and back.
void nodes() {
  constexpr int width = 6, height = 4;
  int *data;
  size_t pitch;
  CHECK_CUDA(cudaMallocPitch(&data, &pitch, width * sizeof(int), height));
  std::vector<int> from(width * height, 7), to(width * height), one(1);
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(from.data(), width * sizeof(int), width, height);
  in.dstPtr = make_cudaPitchedPtr(data, pitch, width, height);
  in.extent = make_cudaExtent(width * sizeof(int), height, 1);
  in.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3DParms out = in;
  std::swap(out.srcPtr, out.dstPtr);
  out.dstPtr.ptr = to.data();
  out.kind = cudaMemcpyDeviceToHost;

  cudaGraph_t graph;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first, second, third, fourth;
  CHECK_CUDA(cudaGraphAddMemcpyNode(&first, graph, nullptr, 0, &in));
  int n = width;
  void *arguments[] = {&data, &n};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(addOne);
  kernel.gridDim = 1;
  kernel.blockDim = 32;
  kernel.kernelParams = arguments;
  CHECK_CUDA(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  CHECK_CUDA(cudaGraphAddMemcpyNode(&third, graph, &second, 1, &out));
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&fourth, graph, &second, 1, one.data(), data, sizeof(int),
                                      cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemcpyNode(&fourth, graph, nullptr, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);

  cudaGraphExec_t executable;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int value : {7, 20}) {
    from.assign(width * height, value);
    CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; ++i)
      CHECK(to[i] == value + (i < width));
    CHECK(one[0] == value + 1);
  }
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaFree(data));
}

int main() {
  nodes();
  constexpr int n = 500;
  DeviceArray<int> a(n), b(n);
  std::vector<int> host(n);
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  CHECK_CUDA(cudaStreamCreate(&main));
  CHECK_CUDA(cudaStreamCreate(&side));
  CHECK_CUDA(cudaEventCreate(&fork));
  CHECK_CUDA(cudaEventCreate(&join));
  CHECK_CUDA(cudaDeviceSynchronize());

  CHECK_CUDA(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  addOne<<<4, 128, 0, main>>>(a, n);
  CHECK_CUDA(cudaEventRecord(fork, main));
  CHECK_CUDA(cudaStreamWaitEvent(side, fork, 0));
  addInto<<<4, 128, 0, side>>>(b, a, n);
  CHECK_CUDA(cudaEventRecord(join, side));
  CHECK_CUDA(cudaStreamWaitEvent(main, join, 0));
  addOne<<<4, 128, 0, main>>>(a, n);
  CHECK_CUDA(cudaMemcpyAsync(host.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost, main));
  cudaGraph_t graph;
  CHECK_CUDA(cudaStreamEndCapture(main, &graph));
  for (int v : b.host())
    CHECK(v == 0); // captured, not run

  cudaGraphExec_t executable;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 0; round < 3; ++round)
    CHECK_CUDA(cudaGraphLaunch(executable, main));
  CHECK_CUDA(cudaStreamSynchronize(main));
  for (int i = 0; i < n; ++i)
    CHECK(host[i] == 1 + 3 + 5);
  for (int v : a.host())
    CHECK(v == 6);
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaEventDestroy(fork));
  CHECK_CUDA(cudaEventDestroy(join));
  CHECK_CUDA(cudaStreamDestroy(main));
  CHECK_CUDA(cudaStreamDestroy(side));
  return pass();
}
