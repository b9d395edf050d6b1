#include "prelude.h"
typedef float (*Function)(float, int);
__device__ __noinline__ float twice(float x, int n) { return x * 2 + n; }
__device__ __noinline__ float half(float x, int n) { return x / 2 - n; }
__device__ Function functions[2] = {twice, half};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void calls(float *p, int n) { p[TID] = functions[n & 1](p[TID], n) + fibonacci(TID) + twice(1, 2); }
