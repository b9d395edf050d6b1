// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two files share: declarations, and an inline function and a template that both define.
#pragma once

typedef float (*Step)(float);

extern __device__ int calls;
extern __constant__ float factors[4];
extern __device__ Step steps[2];
__device__ float elsewhere(float x);
__device__ Step chosenStep(int which);

inline __device__ float inBoth(float x) { return 3 * x + 1; }
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __device__ T counter = T(40);

int callsSoFar();
float fromOtherKernel(float x);
