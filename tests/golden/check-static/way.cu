// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with some values of the parameters only states which branch decides that.
//
// RUN: not %heddle check --static %s --compiler clang | FileCheck %s --check-prefix=WAY
// WAY:      way.cu:[[@LINE+18]]:{{[0-9]+}}: error: async: {{.*}} [async/unwaited]
// WAY:      note: found with one outcome of the branch at {{.*}}way.cu:[[@LINE+19]], which depends on parameter 'tiles'
// WAY-NOT:  note: found
// RUN: %heddle check --static %s --compiler clang --param tiles=2 | FileCheck %s --check-prefix=GIVEN
// GIVEN-NOT: error
//
// RUN: %heddle check --static %s --compiler clang --param tiles=2 --assume lockstep --constants | FileCheck %s --check-prefix=WORDS
// WORDS: for every input with tiles = 2, if constant memory has its initial values and the lanes of a warp execute each instruction together
//
// RUN: not %heddle check --static %s --compiler clang --grid 2 --ctaid 2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE:      error: block 2 of --ctaid is not in the grid 2 of --grid
// OUTSIDE-NEXT: hint: blocks are counted from 0
#include <cuda_pipeline.h>

__global__ void stages(const float *in, float *out, int tiles) {
  __shared__ float cells[2][64];
  int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&cells[0][t], &in[t], 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles)
      __pipeline_memcpy_async(&cells[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += cells[k % 2][63 - t];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

void start(const float *in, float *out, int tiles) { stages<<<2, 64>>>(in, out, tiles); }
