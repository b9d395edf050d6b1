// What the facts suggest is tried: opt's own words say why it is not offered.
// RUN: %heddle analyze %s --cuda-path none --no-ptxas | FileCheck %s
// RUN: %heddle analyze %s --cuda-path none --no-ptxas --json | FileCheck %s --check-prefix=JSON
// RUN: %heddle analyze %s --cuda-path none --no-ptxas --block 32,2,1 -k plain | FileCheck %s --check-prefix=BLOCK

// CHECK-LABEL: shuffled    {{.*}}
// CHECK-NOT:   opportunity
// CHECK:       not offered -k shuffled -d "coarsen x=2 map=blocked" {{ *}}line [[#@LINE+9]]: map=blocked merges neighbouring lanes into one thread, and '__shfl_down_sync' works across the lanes of a warp; map=interleaved keeps
// JSON-LABEL:  "name": "shuffled"
// JSON:        "opportunities": [],
// JSON-NEXT:   "notOffered": [
// JSON:        "directive": "coarsen x=2 map=blocked"
// JSON:        "line": [[#@LINE+4]]
// JSON:        "reason": "map=blocked merges neighbouring lanes into one thread, and '__shfl_down_sync' works across the lanes of a warp",
static __global__ void shuffled(float *y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __shfl_down_sync(0xffffffffu, x[i] + x[i + 1], 1);
}

// A kernel that is like none: the directive is for this one alone.
// CHECK-LABEL: plain    {{.*}}
// CHECK:       opportunity -k plain -d "coarsen x=2 map=blocked" {{ *}}neighbours along x load the same elements: saves 25 % of global loads and needs {{[0-9]+}} registers per thread instead of {{[0-9]+}}
// CHECK-NOT:   not offered
// JSON-LABEL:  "name": "plain"
// JSON:        "opportunities": [
// JSON:        "arguments": [
// JSON-NEXT:   "-k",
// JSON-NEXT:   "plain",
// JSON-NEXT:   "-d",
// JSON-NEXT:   "coarsen x=2 map=blocked"
// JSON:        "registers": {{[0-9]+}}
// JSON-NEXT:   "loadsSaved": {
// JSON-NEXT:   "shared": null
// JSON-NEXT:   "global": 0.25
// JSON:        "notOffered": []
// BLOCK:       opportunity -k plain --block 32,2,1 -d "coarsen x=2 map=blocked"
static __global__ void plain(float *__restrict__ y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + 1];
}

// The compiler does not know that y is not a part of x: it loads again after each store.
// CHECK-LABEL: mayOverlap    {{.*}}
// CHECK-NOT:   opportunity
// CHECK:       not offered -k mayOverlap -d "coarsen x=2 map=blocked" {{ *}}line [[#@LINE+1]]: saves no loads
static __global__ void mayOverlap(float *y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + 1];
}

// What pragmas make of it is what a directive works on: nothing is left to merge.
// CHECK-LABEL: merged    {{.*}}
// CHECK:       not offered -k merged -d "coarsen x=2 map=blocked" {{.*}}launch
#pragma heddle coarsen x=64
static __global__ void merged(float *y, const float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + 1];
}

// A template is changed as a whole.
// CHECK-LABEL: sum<int>    {{.*}}
// CHECK:       opportunity -k sum -d "coarsen x=2 map=blocked"
template <class T> static __global__ void sum(T *__restrict__ y, const T *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + 1];
}

void run(float *y, const float *x, int *n, const int *m) {
  shuffled<<<4, 64>>>(y, x);
  plain<<<4, 64>>>(y, x);
  mayOverlap<<<4, 64>>>(y, x);
  merged<<<4, 64>>>(y, x);
  sum<int><<<4, 64>>>(n, m);
}
