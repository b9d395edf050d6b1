// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether launches without a stream are for the stream of the thread: only then they are captured with it.
#include <cstdio>

__global__ void kernel() {}

int main() {
  cudaGraph_t graph = nullptr;
  size_t nodes = 0;
  cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 1>>>();
  cudaStreamEndCapture(cudaStreamPerThread, &graph);
  cudaGraphGetNodes(graph, nullptr, &nodes);
  std::printf("captured %d\n", int(nodes));
}
