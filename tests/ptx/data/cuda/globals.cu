#include "prelude.h"
__device__ int counters[4] = {1, 2, 3};
__device__ int *pointers[3] = {counters, counters + 2, nullptr};
__constant__ float weights[2][3] = {{1, 2, 3}, {0.5f, -1}};
__device__ const char *text = "some text";
__device__ double table[2] = {1.5, -0.0};
__global__ void globals(float *out) {
  out[TID] = weights[TID & 1][TID % 3] + float(*pointers[TID & 1]) + float(text[TID & 7]) + float(table[TID & 1]);
  counters[TID & 3] = TID;
}
