// Kernels that a directive changed are checked statically. One that was wrong before, and is so in the same lines, is
// written: the original has this too. What a directive did not change is no concern of the check; --remarks shows it.
// RUN: %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang --remarks 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: ls %t.cu
// QUIET-NOT: reverse
// OTHER: kernel 'fine'
// OTHER-NEXT: block (
// OTHER-NEXT: shared-memory races: proved for every input
// OTHER: {{.*}}: error: race: tile[{{[0-9]+}}] is written here by thread {{[0-9]+}} and read by thread
// OTHER: fails: kernel 'reverse': 1 finding
// OTHER: warning: kernel 'reverse': the original has this too

// RUN: rm -f %t.cu
// RUN: %heddle opt %s -o %t.cu -k reverse -d branchless --compiler clang 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: ls %t.cu
// SAME: {{.*}}: error: race: tile[{{[0-9]+}}] is written here by thread
// SAME: fails: kernel 'reverse': 1 finding
// SAME: warning: kernel 'reverse': the original has this too
// SAME-NOT: not written

// RUN: rm -f %t.cu
// RUN: not %heddle opt %s -o %t.cu -k late -d branchless --compiler clang 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not ls %t.cu
// RUN: %heddle opt %s -o %t.cu -k late -d branchless --compiler clang --no-check
// RUN: ls %t.cu
// MORE: fails: kernel 'late'
// MORE: warning: kernel 'late': the original fails the static check as well, but not in each of these places
// MORE: is not written: a kernel in it fails the static check

// RUN: %heddle opt %s -o %t.cu -k fine -d "coarsen x=2" --compiler clang --remarks -DMENDED 2>&1 | FileCheck %s --check-prefix=MENDED
// MENDED: kernel 'fine'
// MENDED-NEXT: block (32), from the launch at
// MENDED-NEXT: shared-memory races: proved for every input
// MENDED: kernel 'reverse'
// MENDED-NEXT: block (64), from the launch at
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
  float value = 0;
  if (threadIdx.x < 60)
    value = 1;
  x[threadIdx.x] = tile[63 - threadIdx.x] + value;
}

// The race is in the line that the directive rewrites: whether it is the same one is unknown.
__global__ void late(float *x) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  float value = 0;
  if (tile[63 - threadIdx.x] > 0)
    value = 1;
  x[threadIdx.x] = value;
}

int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  fine<<<1, 64>>>(x);
  reverse<<<1, 64>>>(x);
  late<<<1, 64>>>(x);
}
