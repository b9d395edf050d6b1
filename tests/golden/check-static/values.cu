// --param gives the value that a parameter has in the source: 2 is 2.0f for a float, and no integer is 2.5.
// RUN: %heddle check %s --static --compiler clang --param a=2 | FileCheck %s --check-prefix=FLOAT
// RUN: not %heddle check %s --static --compiler clang --param n=2.5 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not %heddle check %s --static --compiler clang --param n=9999999999 2>&1 | FileCheck %s --check-prefix=LARGE

// FLOAT: holds: kernel 'k': all 7 properties, for every input with a = 2,
// INTEGER: error: '2.5' is not a value for parameter 'n', an integer of 4 bytes
// LARGE: error: '9999999999' is not a value for parameter 'n', an integer of 4 bytes

static __global__ void k(float *out, float a, int n) {
  __shared__ float cells[64];
  cells[threadIdx.x] = n;
  if (a > 1.5f)
    __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = cells[63 - threadIdx.x];
}

void launch(float *out) { k<<<4, 64>>>(out, 2, 3); }
