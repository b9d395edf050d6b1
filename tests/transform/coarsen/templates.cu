// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates of types and sizes, several instantiations, two kernels in a file, launches from a template.
#include "Harness.h"

template <class T, int Block, bool Negate> __global__ void scan(T *out, const T *in) {
  __shared__ T buffer[2][Block];
  T value = in[blockIdx.x * Block + threadIdx.x];
  if constexpr (Negate)
    value = -value;
  int from = 0;
  buffer[from][threadIdx.x] = value;
  for (int distance = 1; distance < Block; distance *= 2) {
    __syncthreads();
    T sum = buffer[from][threadIdx.x];
    if (threadIdx.x >= distance)
      sum += buffer[from][threadIdx.x - distance];
    from = 1 - from;
    buffer[from][threadIdx.x] = sum;
  }
  __syncthreads();
  out[blockIdx.x * Block + threadIdx.x] = buffer[from][threadIdx.x];
}

__global__ void scale(float *data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

template <class T, int Block> void run(const char *name) {
  T *out = zeros<T>(Block * 3);
  scan<T, Block, false><<<3, Block>>>(out, input<T>(Block * 3));
  bring(name, out, Block * 3);
}

int main() {
  run<int, 64>("int");
  run<double, 128>("double");
  float *data = input<float>(256);
  scale<<<256 / 64, 64>>>(data, 0.5f);
  bring("scale", data, 256);
}
