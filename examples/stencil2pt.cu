// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A two-point stencil with one update for each thread: A[i] = B[i] + B[i-1] + C[i] + C[i-1], A and B in
// global memory, C in shared memory. Thread i uses again what thread i-1 read, of B as of C, but a thread
// cannot see its neighbour's registers: this reuse is what coarsening turns into registers. (The example of
// section 3, figure 2, in Unkule, Shaltz and Qasem, "Automatic restructuring of GPU kernels for exploiting
// inter-thread data locality", CC 2012.)
#include "check.h"

constexpr int Threads = 256;

// The figure has one block and leaves C unfilled; here each block has its own piece of the line and computes
// C from the weights before anyone reads it. C[0] belongs to the element left of the block's first.
__global__ void stencil(float *A, const float *B, const float *weights, int nx) {
  __shared__ float C[Threads + 1];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = threadIdx.x + 1;

  if (i < nx)
    C[s] = 0.5f * weights[i];
  if (threadIdx.x == 0 && i >= 1)
    C[0] = 0.5f * weights[i - 1];
  __syncthreads();

  if (i >= 1 && i < nx)
    A[i] = B[i] + B[i - 1] + C[s] + C[s - 1];
}

static std::vector<float> expected(const std::vector<float> &B, const std::vector<float> &weights) {
  std::vector<float> A(B.size(), 0.0f);
  for (size_t i = 1; i < A.size(); ++i)
    A[i] = B[i] + B[i - 1] + 0.5f * weights[i] + 0.5f * weights[i - 1];
  return A;
}

int main(int argc, char **argv) {
  const int nx = sizeArgument(argc, argv, 4096);
  std::vector<float> A(nx, 0.0f), B(nx), weights(nx);
  for (int i = 0; i < nx; ++i) {
    B[i] = 0.25f * float(i % 97);
    weights[i] = float((i * 7) % 31) - 15.0f;
  }

  float *deviceA = toDevice(A);
  float *deviceB = toDevice(B);
  float *deviceWeights = toDevice(weights);
  stencil<<<(nx + Threads - 1) / Threads, Threads>>>(deviceA, deviceB, deviceWeights, nx);
  CHECK(cudaGetLastError());
  toHost(A, deviceA);

  const bool passed = allClose(A, expected(B, weights), 1e-6);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceWeights));
  return verdict("stencil2pt", passed);
}
