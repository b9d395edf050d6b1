// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Areas of shapes by an if-chain, in a loop that strides over the grid: an iteration has a shape. What a
// shape needs is loaded in its arm; degenerate ones are left out by `continue`.
#include "../Harness.h"

template <class Index> __device__ float heron(const float *sides, Index at) {
  const float a = sides[3 * at], b = sides[3 * at + 1], c = sides[3 * at + 2], s = 0.5f * (a + b + c);
  return sqrtf(fmaxf(s * (s - a) * (s - b) * (s - c), 0.0f));
}

template <class Index>
__global__ void areas(float *area, const unsigned char *kinds, const float *sides, Index count) {
  const Index stride = Index(blockDim.x) * gridDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float first = sides[3 * i];
    if (first < 0.1f)
      continue;
    const int kind = kinds[i] & 7;
    if (kind == 0) {
      area[i] = 3.14159265f * first * first;
    } else if (kind < 3) {
      // Three sides, by Heron's formula.
      area[i] = heron(sides, i);
    } else if (kind == 3 || kind == 5) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) {
        if (k == kind)
          continue;
        sum += first / (1.0f + k);
      }
      area[i] = sum;
    }
  }
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 3000), blocks = argument(argc, argv, 2, 3);
  const int threads = argument(argc, argv, 3, 96), bound = argument(argc, argv, 4, 7);
  const std::vector<float> sides = floats(size_t(count) * 3, 1, 0, 2);
  const std::vector<unsigned char> kinds = integers<unsigned char>(count, 2, bound);
  float *deviceSides = toDevice(sides), *area = zeros<float>(count);
  unsigned char *deviceKinds = toDevice(kinds);

  areas<<<blocks, threads>>>(area, deviceKinds, deviceSides, (long long)(count));
  const std::vector<float> got = toHost(area, count);

  const auto wanted = [&](size_t i) {
    const double a = sides[3 * i], b = sides[3 * i + 1], c = sides[3 * i + 2], s = 0.5 * (a + b + c);
    double sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += k == kinds[i] ? 0 : a / (1.0 + k);
    if (a < 0.1f)
      return 0.0;
    return kinds[i] == 0                    ? 3.14159265 * a * a
           : kinds[i] < 3                   ? std::sqrt(std::fmax(s * (s - a) * (s - b) * (s - c), 0.0))
           : kinds[i] == 3 || kinds[i] == 5 ? sum
                                            : 0.0;
  };
  return verdict("shapes", got, agree(got, wanted, 1e-3));
}
