// A directive that changes nothing says so without --remarks, with the reason; and what the static check could not decide is
// printed without --remarks too.
// RUN: %heddle opt %s -o %t.cu -k twice -d "coarsen x=1" --cuda-path none --no-check 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: diff %s %t.cu
// ONE: never-silent.cu:[[# @LINE + 17]]:17: remark: coarsen x=1: left unchanged: all factors are 1: there is nothing to merge [coarsen]

// RUN: %heddle opt %s -o %t.cu -k twice -d "scalar-replace; consolidate; auto" --cuda-path none --no-check 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: remark: left unchanged: no innermost loop of 'twice' with a constant trip count up to 32 reads an element of a shared array more than once
// THREE: remark: left unchanged: 'twice': {{.*}} [consolidate]
// THREE: remark: left unchanged: 'twice': {{.*}} [auto]

// RUN: %heddle opt %s -o %t.cu -k thrice -d branchless --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: never-silent.cu.tmp.cu:46:3: warning: not checked: this launch of kernel 'thrice': its block is not known: 'argc' is a parameter
// RUN: %heddle opt %s -o %t.cu -k rotate -d branchless --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=UNDECIDED
// UNDECIDED: never-silent.cu.tmp.cu: warning: kernel 'rotate': undecided: shared-memory races, shared-memory bounds and shared-memory initialization (

// Nothing is printed about kernels that the directive leaves as they are.
// RUN: %heddle opt %s -o %t.cu -k twice -d "coarsen x=2" --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=OTHERS --allow-empty
// OTHERS-NOT: kernel 'thrice'
// OTHERS-NOT: kernel 'rotate'

__global__ void twice(float *a) { a[blockIdx.x * 64 + threadIdx.x] *= 2.0f; }

__global__ void thrice(float *a) {
  float factor = 3.0f;
  if (threadIdx.x > 3)
    factor = 2.0f;
  a[threadIdx.x] *= factor;
}

__global__ void rotate(float *a, int by) {
  __shared__ float tile[128];
  tile[threadIdx.x] = tile[threadIdx.x + 64] = 0.0f;
  __syncthreads();
  tile[threadIdx.x + by] = a[threadIdx.x];
  __syncthreads();
  float factor = 3.0f;
  if (threadIdx.x > 3)
    factor = 2.0f;
  a[threadIdx.x] = factor * tile[threadIdx.x];
}

int main(int argc, char **) {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  twice<<<4, 64>>>(a);
  thrice<<<1, argc>>>(a);
  rotate<<<1, 64>>>(a, argc);
}
