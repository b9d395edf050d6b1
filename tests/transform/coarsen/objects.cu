// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that no written call leads to, and that asks for no index: constructors, member initializers,
// conversions, operators, destructors that leave something behind, calls of a class whose type settles them,
// default arguments, range-based for. And several variables in one declaration, of which only some differ by
// thread.
#include "Harness.h"

struct Complex {
  float re = 0.0f, im = 0.0f;
  Complex() = default;
  __device__ Complex(float re, float im) : re(re), im(im) {}
  __device__ Complex operator*(const Complex &other) const {
    return Complex(re * other.re - im * other.im, re * other.im + im * other.re);
  }
  __device__ Complex &operator+=(const Complex &other) {
    re += other.re;
    im += other.im;
    return *this;
  }
  __device__ explicit operator float() const { return re + im; }
};
__device__ Complex operator+(const Complex &a, const Complex &b) { return Complex(a.re + b.re, a.im + b.im); }

/// Counts itself when its life ends.
struct Counted {
  int *counter;
  int weight;
  __device__ Counted(int *counter, int weight) : counter(counter), weight(weight) {}
  __device__ ~Counted() { atomicAdd(counter, weight); }
};

struct Rows {
  int first, last;
  struct Iterator {
    int at;
    __device__ int operator*() const { return at; }
    __device__ Iterator &operator++() {
      ++at;
      return *this;
    }
    __device__ bool operator!=(const Iterator &other) const { return at != other.at; }
  };
  __device__ Iterator begin() const { return {first}; }
  __device__ Iterator end() const { return {last}; }
};

__device__ float scaled(float value, float by = 0.5f) { return value * by; }

__global__ void rotate(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Complex turn(0.8f, 0.6f), sum;
  for (int step : Rows{0, n}) {
    sum += Complex(in[(i + step) % 256], 1.0f) * turn;
    turn = turn * turn + Complex(0.125f, 0.0f);
  }
  out[i] = scaled(float(sum)) + scaled(turn.im, 2.0f);
}

__global__ void count(int *counters, int n) {
  Counted all(counters, 1);
  if (threadIdx.x < n) {
    Counted some(counters + 1, int(threadIdx.x) + 1);
    atomicMax(counters + 2, some.weight);
  }
}

__global__ void rounds(float *out, const float *in, int n) {
  __shared__ float tile[64];
  int me = threadIdx.x, times = n / 2, other = 63 - me, base = blockIdx.x * 64;
  float sum = 0.0f;
  for (int round = 0; round < times; ++round) {
    tile[me] = in[base + me] + round;
    __syncthreads();
    sum += tile[other];
    __syncthreads();
  }
  out[base + me] = sum;
}

int main() {
  float *in = input<float>(256), *out = zeros<float>(256);
  rotate<<<4, 64>>>(out, in, 5);
  bring("rotate", out, 256);
  int *counters = zeros<int>(3);
  count<<<4, 64>>>(counters, 40);
  bring("count", counters, 3);
  rounds<<<4, 64>>>(out, in, 7);
  bring("rounds", out, 256);
}
