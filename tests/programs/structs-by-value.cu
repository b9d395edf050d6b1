// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs as kernel arguments: nested, oddly aligned, large, with pointers and arrays inside.
#include "Check.h"

struct Inner {
  char tag;
  double weight;
  short counts[3];
};

struct Outer {
  Inner inner[2];
  int *target;
  bool negate;
  float3 offset;
};

struct alignas(16) Big {
  float4 rows[60];
};

__global__ void unpack(char before, Outer outer, short between, Big big, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Inner &inner = outer.inner[i & 1];
  int value = inner.tag + int(inner.weight * 4) + inner.counts[i % 3] + int(outer.offset.z);
  value += before * 1000 + between;
  value += int(big.rows[i % 60].w);
  outer.target[i] = outer.negate ? -value : value;
}

__device__ Inner swapped(Inner in) {
  Inner out = in;
  out.counts[0] = in.counts[2];
  out.counts[2] = in.counts[0];
  return out;
}

__global__ void throughCall(Inner in, Inner *out) { out[threadIdx.x] = swapped(in); }

int main() {
  constexpr int n = 500;
  DeviceArray<int> target(n);
  Outer outer{};
  outer.inner[0] = {'a', 2.25, {1, 2, 3}};
  outer.inner[1] = {'z', -8.5, {-7, 11, 13}};
  outer.target = target;
  outer.negate = true;
  outer.offset = make_float3(1, 2, 42);
  Big big;
  for (int i = 0; i < 60; ++i)
    big.rows[i] = make_float4(0, 0, 0, float(i * i));
  unpack<<<(n + 63) / 64, 64>>>(3, outer, -5, big, n);
  CHECK_LAUNCH();
  std::vector<int> got = target.host();
  for (int i = 0; i < n; ++i) {
    const Inner &inner = outer.inner[i & 1];
    int expected =
        inner.tag + int(inner.weight * 4) + inner.counts[i % 3] + 42 + 3000 - 5 + (i % 60) * (i % 60);
    CHECK(got[i] == -expected);
  }

  DeviceArray<Inner> copies(4);
  throughCall<<<1, 4>>>(outer.inner[1], copies);
  CHECK_LAUNCH();
  for (const Inner &copy : copies.host())
    CHECK(copy.tag == 'z' && copy.weight == -8.5 && copy.counts[0] == 13 && copy.counts[1] == 11 &&
          copy.counts[2] == -7);
  return pass();
}
