// A function of another file leaves the kernels that call it undecided, and no others.
// RUN: not %heddle check %s --static --compiler clang -rdc=true | FileCheck %s
// CHECK:      other-files.cu:[[#@LINE+10]]:49: warning: undecided: calls 'twice(int)', which this file does not define
// CHECK:      undecided: kernel 'uses': 0 of 7 properties proved
// CHECK:      shared-memory races: undecided: calls 'twice(int)', which this file does not define
// CHECK:      error: race: t[{{[0-9]+}}] {{.*}} [race/shared]
// CHECK:      fails: kernel 'racy': 1 finding
// A launch that exceeds a limit leaves that launch undecided.
// CHECK:      other-files.cu:[[#@LINE+7]]:{{[0-9]+}}: warning: undecided: kernel 'large' cannot be launched:
// CHECK:      undecided: kernel 'large': 0 of 7 properties proved
extern __device__ int twice(int);
extern __device__ int table[64];
__global__ void uses(int *o) { o[threadIdx.x] = twice(threadIdx.x); }
__global__ void racy(int *o) { __shared__ int t[64]; t[threadIdx.x] = table[threadIdx.x]; o[threadIdx.x] = t[63 - threadIdx.x]; }
__global__ void large(int *o) { o[threadIdx.x] = 1; }
void go(int *o) { uses<<<1, 64>>>(o), racy<<<1, 64>>>(o), large<<<1, 2048>>>(o); }
