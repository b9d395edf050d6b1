// The indices that most kernels have.
//
// RUN: %heddle check %s --static --block 64 -k scale --compiler clang | FileCheck %s --check-prefix=SCALE
// SCALE: holds: kernel 'scale': all 7 properties, for every input
// SCALE: global-memory races between blocks: proved for every input, if index arithmetic does not overflow
__global__ void scale(float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] *= 2;
}

// RUN: %heddle check %s --static --block 16,16 -k add --compiler clang | FileCheck %s --check-prefix=ADD
// ADD: holds: kernel 'add': all 7 properties, for every input
__global__ void add(float *y, const float *x, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height)
    y[row * width + col] += x[row * width + col];
}

// RUN: %heddle check %s --static --block 16,16 -k unguarded --compiler clang | FileCheck %s --check-prefix=UNGUARDED
// UNGUARDED: {{.*}}indices.cu:[[#@LINE+6]]:{{.*}} warning: undecided: {{.*}} no comparison keeps an index below parameter 'width'
// UNGUARDED: hint: heddle check --static --param width=VALUE may decide it
// UNGUARDED: undecided: kernel 'unguarded': 5 of 7 properties proved
// RUN: %heddle check %s --static --block 16,16 -k unguarded --param width=64 --grid 4,4 --compiler clang | FileCheck %s --check-prefix=WIDTH
// WIDTH: holds: kernel 'unguarded': all 7 properties, for every input with width = 64 and gridDim = (4, 4, 1)
__global__ void unguarded(float *y, int width) {
  y[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

// A parameter goes by its name.
//
// RUN: %heddle check %s --static --block 64 -k rounds --compiler clang | FileCheck %s --check-prefix=NAME
// RUN: %heddle check %s --static --block 64 -k rounds --param count=32 --compiler clang | FileCheck %s --check-prefix=GIVEN
// NAME: whether threads reach the synchronization after this branch depends on parameter 'count'
// NAME: hint: heddle check --static --param count=VALUE may decide it
// GIVEN: holds: kernel 'rounds'
__global__ void rounds(int count) {
  if (threadIdx.x < count)
    asm volatile("bar.sync 1, 32;");
}

// RUN: %heddle check %s --static --block 64 -k reverse --compiler clang | FileCheck %s --check-prefix=REVERSE
// REVERSE: holds: kernel 'reverse': all 7 properties, for every input
__global__ void reverse(float *y, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[n - 1 - i] = x[i];
}
