// expect: memory/misaligned at 7
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector of 16 bytes is read from an address that is a multiple of 4 only.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  int4 v = *reinterpret_cast<const int4 *>(in + 4 * threadIdx.x);
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
  sum<<<1, 32>>>(numbers(132) + 1, zeros(32));
  return finish();
}
