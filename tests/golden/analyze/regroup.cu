// Of kernels whose threads work by themselves and diverge by what they load, the page says that regroup is for them.
// RUN: %heddle analyze %s --cuda-path none | FileCheck %s

// CHECK-LABEL: rows
// CHECK: opportunity -k rows -d regroup {{ *}}the trip count of the loop at line [[@LINE+3]] differs between threads: it depends on loaded data
__global__ void rows(float *y, const int *begin, const float *x) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int entry = begin[row]; entry < begin[row + 1]; ++entry)
    y[row] += x[entry];
}

// CHECK-LABEL: kinds
// CHECK: opportunity -k kinds -d "regroup by=branch" {{ *}}threads take different cases at line [[@LINE+3]]
__global__ void kinds(float *y, const int *kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (kind[i]) {
  case 0: y[i] = 1; break;
  default: y[i] = 2; break;
  }
}

// What a thread's number says is the same for neighbours, near enough.
// CHECK-LABEL: strides
// CHECK-NOT: {{opportunity|not offered}}
__global__ void strides(float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 1;
}

void run(float *y, int *i, float *x, int n) {
  rows<<<n / 64, 64>>>(y, i, x);
  kinds<<<n / 64, 64>>>(y, i);
  strides<<<4, 64>>>(y, n);
}
