// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams keep their own order, events carry order between them, and the default stream waits for all.
#include "Check.h"

#include <atomic>

__global__ void multiplyAdd(int *data, int n, int factor, int term) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] * factor + term;
}

__global__ void addInto(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i];
}

void CUDART_CB countCall(void *counter) { ++*static_cast<std::atomic<int> *>(counter); }

constexpr int n = 2000;

void testOrderAcrossStreams() {
  cudaStream_t first, second;
  cudaEvent_t ready, start;
  CHECK_CUDA(cudaStreamCreate(&first));
  CHECK_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  int *host, *back;
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&host), n * sizeof(int)));
  CHECK_CUDA(cudaHostAlloc(reinterpret_cast<void **>(&back), n * sizeof(int), cudaHostAllocDefault));
  for (int i = 0; i < n; ++i)
    host[i] = i;
  DeviceArray<int> a(n), b(n);
  CHECK_CUDA(cudaDeviceSynchronize());

  CHECK_CUDA(cudaEventRecord(start, first));
  CHECK_CUDA(cudaMemcpyAsync(a, host, n * sizeof(int), cudaMemcpyHostToDevice, first));
  for (int k = 0; k < 5; ++k)
    multiplyAdd<<<16, 128, 0, first>>>(a, n, 2, k);
  CHECK_CUDA(cudaEventRecord(ready, first));
  CHECK_CUDA(cudaMemsetAsync(b, 0, n * sizeof(int), second));
  multiplyAdd<<<16, 128, 0, second>>>(b, n, 1, 7);
  CHECK_CUDA(cudaStreamWaitEvent(second, ready, 0));
  addInto<<<16, 128, 0, second>>>(b, a, n);
  CHECK_CUDA(cudaMemcpyAsync(back, b, n * sizeof(int), cudaMemcpyDeviceToHost, second));
  CHECK_CUDA(cudaStreamSynchronize(second));
  CHECK(cudaEventQuery(ready) == cudaSuccess);
  CHECK(cudaStreamQuery(second) == cudaSuccess);
  for (int i = 0; i < n; ++i)
    CHECK(back[i] == 32 * i + 26 + 7);

  cudaEvent_t stop;
  CHECK_CUDA(cudaEventCreate(&stop));
  CHECK_CUDA(cudaEventRecord(stop, first));
  CHECK_CUDA(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds >= 0);
  CHECK(cudaEventElapsedTime(&milliseconds, start, ready) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();

  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaEventDestroy(stop));
  CHECK_CUDA(cudaEventDestroy(ready));
  CHECK_CUDA(cudaStreamDestroy(first));
  CHECK_CUDA(cudaStreamDestroy(second));
  CHECK_CUDA(cudaFreeHost(host));
  CHECK_CUDA(cudaFreeHost(back));
}

// Work given to the default stream comes after all work given to blocking streams before it.
void testDefaultStreamWaits() {
  cudaStream_t streams[3];
  DeviceArray<int> data(n), sum(n);
  for (cudaStream_t &stream : streams)
    CHECK_CUDA(cudaStreamCreate(&stream));
  for (int round = 0; round < 4; ++round) {
    multiplyAdd<<<16, 128, 0, streams[round % 3]>>>(data, n, 1, 1);
    addInto<<<16, 128>>>(sum, data, n);
  }
  std::vector<int> got = sum.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == 1 + 2 + 3 + 4);
  for (cudaStream_t stream : streams)
    CHECK_CUDA(cudaStreamDestroy(stream));
}

void testHostFunctions() {
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreate(&stream));
  std::atomic<int> calls(0);
  DeviceArray<int> data(n);
  for (int k = 0; k < 10; ++k) {
    multiplyAdd<<<16, 128, 0, stream>>>(data, n, 1, 1);
    CHECK_CUDA(cudaLaunchHostFunc(stream, countCall, &calls));
  }
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK(calls == 10);
  CHECK_CUDA(cudaStreamDestroy(stream));
}

int main() {
  testOrderAcrossStreams();
  testDefaultStreamWaits();
  testHostFunctions();
  return pass();
}
