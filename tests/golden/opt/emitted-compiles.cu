// What does not compile is never written, checked or not: here the emitted text has more lines than it may have.
// RUN: rm -f %t.cu
// RUN: not %heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --no-check 2>&1 | FileCheck %s
// RUN: not %heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --no-check -DMANY_ERRORS 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sh -c '%heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --compiler clang 2>/dev/null; echo $?' | FileCheck %s --check-prefix=REFUSED
// RUN: not ls %t.cu
// RUN: %heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --no-check -DANY_LENGTH

// CHECK: emitted-compiles.cu.tmp.cu:{{[0-9]+}}:{{[0-9]+}}: error: static assertion failed
// CHECK: emitted-compiles.cu.tmp.cu: internal error: the emitted text does not compile; nothing is written
// CHECK-NEXT: hint: report this as a defect of Heddle, with the input; 'heddle opt --print-after all' shows the text
// REFUSED: {{^}}1

// Of many errors the first ones are shown.
// MANY-COUNT-3: error: static assertion failed
// MANY-NOT: error: static
// MANY: and 2 more errors
// MANY: internal error

// An input that Clang can parse and the chosen compiler cannot compile is the input's fault, and nothing is written either.
// RUN: rm -f %t.cu
// RUN: sh -c '%heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --compiler clang -DANY_LENGTH -DONLY_UNOPTIMIZED 2>&1; echo $?' | FileCheck %s --check-prefix=INPUT
// RUN: not ls %t.cu
// INPUT: emitted-compiles.cu: error: the device code does not compile with clang
// INPUT: {{^}}3
#if defined(ONLY_UNOPTIMIZED) && defined(__OPTIMIZE__)
#error "for debugging only"
#endif

__global__ void twice(float *a) { a[threadIdx.x] *= 2.0f; }
#ifndef ANY_LENGTH
static_assert(__LINE__ == 32, "");
#ifdef MANY_ERRORS
static_assert(__LINE__ == 34, "");
static_assert(__LINE__ == 35, "");
static_assert(__LINE__ == 36, "");
static_assert(__LINE__ == 37, "");
#endif
#endif

int main() {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  twice<<<1, 64>>>(a);
}
