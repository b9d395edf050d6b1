// -D with a name that headers of CUDA have for parameters: it is the program's, and only the program sees it.
// RUN: %heddle check %s --static --compiler clang -DN=64 -DX -DY=2 | FileCheck %s
// CHECK: holds: kernel 'fill'
// CHECK-NEXT: block (64), from the launch at {{.*}}macros.cu:[[# @LINE + 20]]
// RUN: %heddle run %s --compiler clang -DN=64 -DX -DY=2 | FileCheck %s --check-prefix=PRINTED
// PRINTED: 64 2
// RUN: %heddle analyze %s -DN=64 -DX -DY=2 | FileCheck %s --check-prefix=ANALYZE
// ANALYZE: fill
// RUN: %heddle opt %s -o %t.cu -DN=64 -DX -DY=2 -d launch-bounds --compiler clang
// RUN: FileCheck %s --check-prefix=OPT < %t.cu
// OPT: __launch_bounds__(64)

#ifdef X
#include <cstdio>
#endif

__global__ void fill(int *a) { a[threadIdx.x] = Y; }

int main() {
  int *a, last;
  cudaMalloc(&a, N * sizeof(int));

  // The block is the macro's.
  fill<<<1, N>>>(a);
  cudaMemcpy(&last, a + N - 1, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", N, last);
}
