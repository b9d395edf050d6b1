// A kernel that fails the static check is not written, whoever wrote the mistake.
// RUN: rm -f %t.cu
// RUN: not %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang 2>&1 | FileCheck %s
// RUN: not ls %t.cu
// RUN: %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang --no-check
// RUN: ls %t.cu
// RUN: %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang --report -DMENDED 2>&1 | FileCheck %s --check-prefix=MENDED

// CHECK: race: {{.*}}: tile[{{[0-9]+}}] is written here by thread {{[0-9]+}} and read by thread
// CHECK: fails: kernel 'reverse': 1 finding
// CHECK: is not written: a kernel in it fails the static check

// MENDED: kernel 'fine'
// MENDED-NEXT: shared-memory races: proved for every input
// MENDED: kernel 'reverse'
// MENDED-NEXT: shared-memory races: proved for every input

__global__ void fine(float *x) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void reverse(float *x) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
#ifdef MENDED
  __syncthreads();
#endif
  x[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  fine<<<1, 64>>>(x);
  reverse<<<1, 64>>>(x);
}
