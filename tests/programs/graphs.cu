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

int main() {
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
