// Barriers that no written call leads to are listed with what holds them and where it is executed.
// RUN: %heddle analyze %s --cuda-path none | FileCheck %s
// RUN: %heddle analyze %s --cuda-path none --json | FileCheck %s --check-prefix=JSON

struct Phase {
  __device__ Phase() { __syncthreads(); }
  __device__ ~Phase() { __syncthreads(); }
};
__device__ int settled() {
  __syncthreads();
  return 1;
}
struct Count {
  int n = settled();
};

// CHECK: {{^}}phases
// CHECK: barriers{{ +}}only in constructors, operators or library functions
// CHECK-NEXT: line 6: __syncthreads in the constructor of 'Phase', executed at line [[# @LINE + 6]]
// CHECK-NEXT: line 7: __syncthreads in the destructor of 'Phase', executed at line {{[0-9]+}}
// JSON: "hiddenBarriers"
// JSON: "inside": "the constructor of 'Phase'"
__global__ void phases(int *a) {
  {
    Phase phase;
    a[threadIdx.x] = 1;
  }
  a[63 - threadIdx.x] += 1;
}

// CHECK: {{^}}counts
// CHECK: barriers{{ +}}line [[# @LINE + 5]]{{ +}}__syncthreads{{ +}}block
// CHECK-NEXT: line 10: __syncthreads in the default initializer of 'Count::n', executed at line [[# @LINE + 3]]
__global__ void counts(int *a) {
  a[threadIdx.x] = 1;
  Count count;
  __syncthreads();
  a[63 - threadIdx.x] += count.n;
}

void run(int *a) {
  phases<<<1, 64>>>(a);
  counts<<<1, 64>>>(a);
}
