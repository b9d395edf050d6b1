// Launches are numbered per kernel, in the order in which the host launches them, those of graphs too: streams execute them in any order.
//
// RUN: not %heddle check %s --compiler clang | FileCheck %s
// CHECK: parameter 'a' of {{fill|copy}} is written here by thread 0 of block 0 in launch 3 of 'fill' and read by thread 0 of block 0 in launch 1 of 'copy'; nothing orders the two [race/launches]
#include <cuda_runtime.h>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void copy(int *out, const int *a) { out[threadIdx.x] = a[threadIdx.x]; }

int main() {
  int *a, *out;
  cudaMalloc(&a, 256);
  cudaMalloc(&out, 256);
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, first>>>(out);
  cudaGraph_t graph;
  cudaStreamEndCapture(first, &graph);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, first);
  fill<<<1, 64, 0, first>>>(out);
  cudaStreamSynchronize(first);
  fill<<<1, 64, 0, first>>>(a);
  copy<<<1, 64, 0, second>>>(out, a);
  return cudaDeviceSynchronize();
}
