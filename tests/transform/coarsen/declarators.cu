// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of every kind of type that live across a barrier, each of which must be declared again under another
// declarator: types defined where the variable is, pointers to arrays and functions, references, auto, const.
#include "Harness.h"

struct Pair {
  float low, high;
};
struct Fixed { // no default constructor, a member that cannot be assigned to
  const int at;
  float scale;
  __device__ Fixed(int at, float scale) : at(at), scale(scale) {}
  __device__ float of(float x) const { return x * scale + at; }
};
struct Chooses { // what it answers depends on whether it is const
  float x;
  __device__ float value() { return x + 1; }
  __device__ float value() const { return x; }
};
using Whole = const int;
using Row = float[4];

__device__ float twice(float x) { return 2 * x; }
__device__ float half(float x) { return x / 2; }

__global__ void definedHere(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  enum { Low, High } side = t < 32 ? Low : High;
  struct {
    int a, b;
  } both = {t, 63 - t};
  const struct Named {
    float x;
  } named = {in[t]}, other = {in[63 - t]};
  enum Kind : char { Even, Odd } kind = t % 2 ? Odd : Even;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[both.b] + both.a + (side == High ? 10 : 0) + named.x * other.x + (kind == Odd ? 100 : 0);
}

__global__ void pointers(float *out, const float *in, float (*rows)[4]) {
  __shared__ float s[64];
  __shared__ float tile[16][4];
  int t = threadIdx.x;
  float (*function)(float) = t % 3 == 0 ? twice : half;
  float (*row)[4] = rows + t / 4;
  float (&shared)[4] = tile[t / 4];
  const float *const *none = nullptr;
  float (*functions[2])(float) = {t % 2 ? twice : half, half};
  Row *named = rows + t / 4;
  shared[t % 4] = in[t];
  s[t] = in[t];
  __syncthreads();
  out[t] = s[63 - t] + (*row)[t % 4] + shared[3 - t % 4] + (none ? 1 : 0) + (function == twice ? 2 : 3) + (*named)[0] +
           (functions[0] == half ? 5 : 7);
}

__global__ void deduced(float *out, const float *in) {
  __shared__ float s[64];
  auto t = threadIdx.x;
  const auto mine = in[t];
  auto *next = in + (t + 1) % 64;
  auto &slot = s[63 - (t * 7) % 64];
  decltype(mine + 1) more = mine + 1;
  const auto &read = in[(t * 3) % 64];
  Whole whole = int(in[t]);
  volatile int loud = t;
  slot = mine;
  __syncthreads();
  slot += more + whole;
  __syncthreads();
  out[t] = s[t] + *next + read + mine + whole + loud;
}

__global__ void constants(float *out, const float *in) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  const float pair[2] = {in[t], in[63 - t]};
  const Pair range = {in[t], in[t] + 1};
  const Chooses chooses = {in[t]};
  s[t] = pair[0];
  __syncthreads();
  out[t] = s[63 - t] + pair[1] + range.high + chooses.value();
}

__global__ void objects(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  Fixed fixed(t, in[t]), list{63 - t, 2.0f};
  Fixed copied = fixed;
  const Fixed always = Fixed(3, in[63 - t]);
  s[t] = fixed.of(in[t]);
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    Fixed inside(i + t, 1.0f);
    s[t] += inside.of(1);
    __syncthreads();
    out[t] = s[63 - t] + fixed.at + list.of(2) + copied.scale + always.at + inside.of(s[t]);
    __syncthreads();
  }
}

/// What a pointer leads to must be there as long as the pointer.
__global__ void pointedTo(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float first = in[t], second = in[63 - t], recent[2] = {first, second};
  float *chosen = t % 2 ? &first : &second, &last = recent[t % 2];
  s[t] = 1;
  __syncthreads();
  *chosen += s[63 - t];
  last += *chosen;
  __syncthreads();
  out[t] = *chosen + last;
}

template <class T> __global__ void patterns(T *out, const T *in) {
  __shared__ T s[64];
  auto t = threadIdx.x;
  T (*pick)(T) = t % 2 ? twice : half;
  T &slot = s[63 - t];
  const T mine[2] = {in[t], T(t)};
  slot = in[t];
  __syncthreads();
  slot += mine[1];
  __syncthreads();
  out[t] = s[t] + mine[0] + (pick == half ? 1 : 2);
}

int main() {
  float *out = zeros<float>(64), *in = input<float>(256);
  definedHere<<<1, 64>>>(out, in);
  bring("definedHere", out, 64);
  pointers<<<1, 64>>>(out, in, reinterpret_cast<float (*)[4]>(in));
  bring("pointers", out, 64);
  deduced<<<1, 64>>>(out, in);
  bring("deduced", out, 64);
  constants<<<1, 64>>>(out, in);
  bring("constants", out, 64);
  objects<<<1, 64>>>(out, in);
  bring("objects", out, 64);
  pointedTo<<<1, 64>>>(out, in);
  bring("pointedTo", out, 64);
  patterns<<<1, 64>>>(out, in);
  bring("patterns", out, 64);
}
