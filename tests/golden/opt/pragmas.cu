// A pragma that the preprocessor skips is none: neither one that is switched off, nor that of another configuration.
// RUN: %heddle opt %s -o %t.cu --cuda-path none --no-check --remarks 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t.cu
// FOUR-NOT: 'other'
// FOUR: remark: coarsen x=4: each thread of 'shift' does the work of 4
// FOUR-NOT: remark: coarsen
// TEXT: __global__ void other(int *a) { a[threadIdx.x] = 1; }
// TEXT-NEXT: #ifdef EIGHT
// TEXT-NEXT: #else
// TEXT-NEXT: #endif
// TEXT: shift<<<2, 128 / 4>>>(a, 256);

// RUN: %heddle opt %s -o %t.cu -DEIGHT --cuda-path none --no-check --remarks 2>&1 | FileCheck %s --check-prefix=EIGHT
// EIGHT-NOT: remark: coarsen x=4
// EIGHT: remark: coarsen x=8: each thread of 'shift' does the work of 8
// EIGHT-NOT: remark: coarsen x=4

// A directive in the operator is refused, also if a macro makes it, and heddle nvcc warns of it.
// RUN: not %heddle opt %s -o %t.cu -DOPERATOR --cuda-path none --no-check 2>&1 | FileCheck %s --check-prefix=OPERATOR
// OPERATOR: pragmas.cu:[[# @LINE + 11]]:1: error: _Pragma("heddle coarsen x=2") is not applied
// OPERATOR: hint: write it as a line: #pragma heddle coarsen x=2

#if 0
#pragma heddle coarsen x=2
__global__ void old(int *a) { a[threadIdx.x] = 1; }
#endif

#ifdef OPERATOR
#define HEDDLE(directive) _Pragma(#directive)

HEDDLE(heddle coarsen x=2)
#endif
__global__ void other(int *a) { a[threadIdx.x] = 1; }
#ifdef EIGHT
#pragma heddle coarsen x=8
#else
#pragma heddle coarsen /* four */ \
    x=4 // each
#endif
__global__ void shift(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 2;
}

int main() {
  int *a;
  cudaMalloc(&a, 1024);
  other<<<2, 128>>>(a);
  shift<<<2, 128>>>(a, 256);
}
