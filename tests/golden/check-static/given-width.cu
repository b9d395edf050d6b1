// A width that --param gives, or that is a constant, makes an index linear: then the comparisons with it bound blockIdx. What is proved
// for every width is proved for one.
//
// RUN: %heddle check %s --static --compiler clang -k store --param n=64 | FileCheck %s --check-prefix=GIVEN
// GIVEN: holds: kernel 'store': all 7 properties, for every input with n = 64, under the assumptions below
// RUN: %heddle check %s --static --compiler clang -k constant | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: global-memory races between blocks: proved for every input, if index arithmetic does not overflow and the grid is 1 in z, which the kernel does not read{{$}}
//
// A bound that is too large lets the next block into the row.
//
// RUN: %heddle check %s --static --compiler clang -k wide | FileCheck %s --check-prefix=WIDE
// WIDE: global-memory races between blocks: undecided: whether two blocks access the same bytes in memory of parameter 'a' depends on the grid and on data
// RUN: %heddle check %s --static --compiler clang -k unguarded --param n=64 | FileCheck %s --check-prefix=UNGUARDED
// UNGUARDED: global-memory races between blocks: undecided: whether two blocks access the same bytes in memory of parameter 'a' depends on the grid
__global__ void store(float *a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n)
    a[row * n + col] = 1;
}

__global__ void constant(float *a) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= 64)
    return;
  a[row * 64 + col] = 1;
}

__global__ void wide(float *a) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < 65)
    a[row * 64 + col] = threadIdx.x;
}

__global__ void unguarded(float *a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  a[row * n + col] = threadIdx.x;
}

void launch(float *a, int n, dim3 grid) {
  store<<<grid, dim3(16, 16)>>>(a, n);
  constant<<<grid, dim3(16, 16)>>>(a);
  wide<<<grid, dim3(16, 16)>>>(a);
  unguarded<<<grid, dim3(16, 16)>>>(a, n);
}
