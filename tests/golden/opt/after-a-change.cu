// A text that does not compile between two passes is a defect, and no error of the input: here headers of Heddle meet a variable
// of their name.
// RUN: sh -c '%heddle opt %s -o %t.cu -d "consolidate remap=on delegate=on" --cuda-path none --no-check; echo "exit $?"' 2>&1 | FileCheck %s
// RUN: test ! -e %t.cu
// CHECK: error: redefinition of 'heddle' as different kind of symbol
// CHECK: after-a-change.cu: internal error: the text that a pass has made does not compile
// CHECK-NEXT: hint: report this as a defect of Heddle
// CHECK: exit 1
static int heddle = 3;

__global__ void sum(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    a[0] = s[0];
}

int main() {
  int *a;
  cudaMalloc(&a, 256 + 4 * heddle);
  sum<<<1, 64>>>(a);
}
