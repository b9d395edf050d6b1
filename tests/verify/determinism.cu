// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything whose order could show: float sums by atomics from many blocks, tickets, device output.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 24, threads = 96;

__device__ unsigned next;

__global__ void messy(float *sums, unsigned *tickets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[i % 5], 1.0f / float(i + 1));
  unsigned ticket = atomicAdd(&next, 1u);
  tickets[i] = ticket;
  if (threadIdx.x % 50 == 7)
    printf("block %d thread %d took %u\n", int(blockIdx.x), int(threadIdx.x), ticket);
}

int main() {
  std::vector<float> sums(5);
  std::vector<unsigned> tickets(blocks * threads);
  float *a;
  unsigned *b;
  cudaMalloc(&a, 5 * sizeof(float));
  cudaMalloc(&b, tickets.size() * sizeof(unsigned));
  cudaMemset(a, 0, 5 * sizeof(float));
  messy<<<blocks, threads>>>(a, b);
  cudaMemcpy(sums.data(), a, 5 * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(tickets.data(), b, tickets.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (float sum : sums) {
    unsigned bits;
    std::memcpy(&bits, &sum, 4);
    std::printf("%08x\n", bits);
  }
  unsigned long long mixed = 0;
  for (unsigned ticket : tickets)
    mixed = mixed * 31 + ticket;
  std::printf("%llx\n", mixed);
}
