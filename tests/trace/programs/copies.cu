// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of copy from device to host that is recorded, each after a launch of another kind, and memory that the
// host reads without a copy.
#include <cstdio>
#include <cuda_runtime.h>

struct Both {
  int count;
  float *values;
};

__device__ int table[16];

__global__ void numbers(float *values, int pitch) { values[blockIdx.x * pitch + threadIdx.x] = 100 * blockIdx.x + threadIdx.x; }
__global__ void scale(Both both, double by) {
  if (int(threadIdx.x) < both.count)
    both.values[threadIdx.x] *= float(by);
}
__global__ void fillTable(int value) { table[threadIdx.x] = value + threadIdx.x; }
__global__ void count(int *counters) { atomicAdd(&counters[threadIdx.x % 8], 1); }

int main() {
  float host[4 * 40] = {};
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  float *plain;
  cudaMalloc(&plain, 64 * sizeof(float));
  numbers<<<1, 64>>>(plain, 0);
  cudaMemcpy(host, plain + 8, 8 * sizeof(float), cudaMemcpyDefault);
  scale<<<1, 64>>>(Both{64, plain}, 0.5);
  cudaDeviceSynchronize(); // a default stream per thread and `stream` do not wait for each other
  cudaMemcpyAsync(host, plain, 32 * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyAsync(host, plain, 4 * sizeof(float), cudaMemcpyDeviceToHost, 0); // the default stream
  cudaDeviceSynchronize();

  float *rows;
  size_t pitch;
  cudaMallocPitch(reinterpret_cast<void **>(&rows), &pitch, 32 * sizeof(float), 4);
  numbers<<<4, 32>>>(rows, int(pitch / sizeof(float)));
  cudaMemcpy2D(host, 40 * sizeof(float), rows, pitch, 30 * sizeof(float), 4, cudaMemcpyDeviceToHost);
  cudaMemcpy2DAsync(host, 20 * sizeof(float), rows, pitch, 10 * sizeof(float), 3, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);

  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(rows, pitch, 32, 2);
  box.dstPtr = make_cudaPitchedPtr(host, 16 * sizeof(float), 16, 2);
  box.extent = make_cudaExtent(16 * sizeof(float), 2, 2);
  box.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&box);
  cudaMemcpy3DAsync(&box, stream);
  cudaStreamSynchronize(stream);

  fillTable<<<1, 16>>>(7);
  int fromTable[16], *copyOfTable;
  cudaMalloc(&copyOfTable, sizeof fromTable);
  cudaMemcpyFromSymbol(fromTable, table, 12 * sizeof(int), 2 * sizeof(int));
  cudaMemcpyFromSymbolAsync(fromTable, table, 4 * sizeof(int), 0, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyFromSymbol(copyOfTable, table, sizeof fromTable, 0, cudaMemcpyDeviceToDevice); // nothing for the host

  int *managed, *pinned;
  cudaMallocManaged(&managed, 8 * sizeof(int));
  cudaMallocHost(&pinned, 8 * sizeof(int));
  for (int i = 0; i < 8; ++i)
    managed[i] = pinned[i] = 0;
  count<<<2, 64>>>(managed);
  cudaDeviceSynchronize();
  count<<<1, 64>>>(pinned);
  cudaDeviceSynchronize();
  cudaDeviceSynchronize(); // nothing was launched in between

  cudaFree(plain);
  cudaFree(rows);
  cudaFree(copyOfTable);
  cudaFree(managed);
  cudaFreeHost(pinned);
  std::printf("%d %d %s\n", managed != nullptr, fromTable[3], cudaGetErrorString(cudaGetLastError()));
  return 0;
}
