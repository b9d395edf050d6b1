// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel in a header: each file that launches it has its own, transformed for its launches.
#ifndef KERNELS_H
#define KERNELS_H

#pragma heddle coarsen x = 4
static __global__ void scale(float *values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= factor;
}

#endif
