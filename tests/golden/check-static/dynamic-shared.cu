// Dynamic shared memory of unknown size: bounds are undecided, everything else is decided for every size.
//
// RUN: %heddle check %s --static --compiler clang --block 128 | FileCheck %s
// RUN: %heddle check %s --static --compiler clang --block 64 | FileCheck %s --check-prefix=LAUNCH
// RUN: %heddle check %s --static --compiler clang --block 128 --shared 512 | FileCheck %s --check-prefix=GIVEN
// RUN: not %heddle check %s --static --compiler clang --block 128 --shared 0 | FileCheck %s --check-prefix=NONE
// RUN: %heddle check %s --static --compiler clang | FileCheck %s --check-prefix=LAUNCHES

// CHECK:      dynamic-shared.cu:[[#@LINE+23]]:{{.*}}: warning: undecided: the size of dynamic shared memory is unknown [bounds]
// CHECK:      hint: give the size of dynamic shared memory: heddle check --static --shared BYTES
// CHECK-NEXT: undecided: kernel 'turn': 6 of 7 properties proved (1 barrier round)
// CHECK-NEXT: shared-memory races: proved for every input
// CHECK:      shared-memory bounds: undecided: the size of dynamic shared memory is unknown

// A launch with the same block has the size.
// LAUNCH:      kernel 'turn': all 7 properties, for every input
// LAUNCH-NEXT: block (64), 256 bytes of dynamic shared memory, from the launch at

// GIVEN:      kernel 'turn': all 7 properties, for every input

// NONE:       error: memory: {{.*}} [memory/out-of-bounds]
// NONE:       hint: dynamic shared memory has 0 bytes here: the third argument of <<<...>>> is its size in bytes

// LAUNCHES:   kernel 'turn': all 7 properties, for every input
// LAUNCHES:   warning: undecided: the size of dynamic shared memory is unknown: 'bytes' is a parameter
// LAUNCHES:   undecided: kernel 'turn': 6 of 7 properties proved (1 barrier round)
// LAUNCHES-NEXT: block (96), from the launch at
// LAUNCHES:   shared-memory bounds: undecided
extern __shared__ float memory[];

__global__ void turn(float *out, const float *in) {
  memory[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}

void launch(int bytes) {
  turn<<<4, 64, 64 * sizeof(float)>>>(nullptr, nullptr);
  turn<<<4, 96, bytes>>>(nullptr, nullptr);
}
