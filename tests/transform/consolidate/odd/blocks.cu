// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that only a launch knows: in two directions, of several sizes, by template; functions that several
// kernels call; and grids that may be cut in any way.
#include "../Harness.h"

/// The thread's number in its block: for two kernels.
__device__ unsigned numberInBlock() { return threadIdx.x + blockDim.x * threadIdx.y; }

__device__ int turned(const int *row) { return row[blockDim.x * blockDim.y - 1 - numberInBlock()]; }

/// As large as the launch says, in x and y.
__global__ void turn(int *out, const int *in) {
  extern __shared__ int values[];
  const unsigned threads = blockDim.x * blockDim.y, first = blockIdx.x * threads;
  values[numberInBlock()] = in[first + numberInBlock()];
  __syncthreads();
  out[first + numberInBlock()] = turned(values) * int(threadIdx.x + 1) - int(threadIdx.y);
}

/// Launched with blocks of two sizes.
__global__ void highest(int *out, const int *in) {
  __shared__ int best[256];
  best[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned left = blockDim.x; left > 1;) {
    __syncthreads();
    const unsigned half = (left + 1) / 2;
    if (threadIdx.x + half < left)
      best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
    left = half;
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = best[0] + int(numberInBlock());
}

/// One text for two sizes.
template <int Threads> __global__ void shifted(int *out, const int *in) {
  __shared__ int row[Threads];
  row[threadIdx.x] = in[blockIdx.x * Threads + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * Threads + threadIdx.x] = row[(threadIdx.x + 5) % Threads] + int(blockDim.x);
}

/// Results do not distinguish blocks of 32 from blocks of 128, or 8 rows from one.
__global__ void apart(int *out, const int *in, int width, int height) {
  const int tx = threadIdx.x, first = blockIdx.y * blockDim.y;
  const int x = int(blockIdx.x * blockDim.x) + tx, stride = gridDim.x * blockDim.x;
  const int y = first + int(threadIdx.y);
  for (int i = x; i < width && y < height; i += stride)
    out[y * width + i] = 3 * in[y * width + i] + i;
}

int main(int argc, char **argv) {
  std::vector<int> all;
  const auto keep = [&](const int *data, int count) {
    for (int each : toHost(data, count))
      all.push_back(each);
  };
  const int *in = toDevice(integers(4096, 5, 10000));
  const dim3 shape(argument(argc, argv, 1, 20), argument(argc, argv, 2, 11));
  const int threads = shape.x * shape.y;
  int *out = zeros<int>(4096);
  turn<<<3, shape, threads * sizeof(int)>>>(out, in);
  keep(out, 3 * threads);
  highest<<<4, 256>>>(out, in);
  highest<<<5, 100>>>(out + 4, in);
  keep(out, 9);
  shifted<64><<<4, 64>>>(out, in);
  shifted<40><<<4, 40>>>(out + 512, in);
  keep(out, 1024);
  apart<<<dim3(2, 5), dim3(64, 8)>>>(out, in, 100, 37);
  keep(out, 3700);
  return verdict("blocks", all, true);
}
