// Where no block is known, there is nothing to check: the message is located at a launch, and the exit code is 2.
//
// RUN: not %heddle check %s --static --compiler clang 2>&1 | FileCheck %s
// RUN: sh -c '%heddle check %s --static --compiler clang 2>/dev/null; echo $?' | FileCheck %s --check-prefix=CODE
// RUN: %heddle check %s --static --compiler clang --block 64 | FileCheck %s --check-prefix=GIVEN
// CHECK:      launches-unknown.cu:[[#@LINE+12]]:3: error: the block of kernel 'fill' is unknown: 'threads' is a parameter of the function that launches
// CHECK-NOT:  note:
// CHECK:      hint: give it: --block 256, or --block 16,16
// CODE:       {{^2$}}
// GIVEN:      holds: kernel 'fill': all 7 properties, for every input
__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i;
}

void launch(int *out, int n, int threads) {
  fill<<<n / threads, threads>>>(out, n);
}
