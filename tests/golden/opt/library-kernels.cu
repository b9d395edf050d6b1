// Kernels of a system header that the file does not launch (every file with CUB has one) are nobody's: neither opt nor check --static
// spends a word on them.
// RUN: %heddle opt %s -o %t.cu -k own -d launch-bounds --cuda-path none --compiler clang --remarks -isystem %S/Inputs/library 2>&1 | FileCheck %s
// RUN: %heddle check %s --static --compiler clang -isystem %S/Inputs/library 2>&1 | FileCheck %s
// CHECK-NOT: empty
// CHECK: holds: kernel 'own'
// CHECK-NOT: empty

// Unless it is named.
// RUN: %heddle check %s --static --compiler clang -isystem %S/Inputs/library -k 'library::empty<int>' --block 32 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: holds: kernel 'library::empty<int>'

#include <library.cuh>

__global__ void own(int *d) { d[threadIdx.x] = 1; }

int main() {
  int *d;
  cudaMalloc(&d, 64 * sizeof(int));
  library::use<int>();
  own<<<1, 64>>>(d);
}
