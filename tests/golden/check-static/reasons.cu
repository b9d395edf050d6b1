// What a reason names: the grid of the launch, the parameters, the bytes; and what a hint advises.
//
// RUN: %heddle check %s --static --compiler clang -k alike | FileCheck %s --check-prefix=GRID
// GRID:      reasons.cu:[[#@LINE+18]]:{{[0-9]+}}: warning: undecided: whether two blocks access the same bytes in memory of parameter 'a' depends on the grid [global-races-between-blocks]
// GRID:      hint: the grid of the launch at {{.*}}reasons.cu:[[#@LINE+51]] is not assumed; --grid 2 checks the kernel for it
// RUN: %heddle check %s --static --compiler clang -k alike --grid 2 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS:      warning: undecided: two blocks write to the same bytes in memory of parameter 'a', with values that are not known to be equal [global-races-between-blocks]
// BLOCKS:      hint: give each block its own elements, or use an atomic
// RUN: not %heddle check %s --static --compiler clang -k alike --param b=1 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES:      error: kernel 'alike' has no parameter 'b'
// NAMES-NEXT: hint: its parameters are a and n
// RUN: not %heddle check %s --static --compiler clang -k next | FileCheck %s --check-prefix=BYTE
// BYTE: error: race: byte 256 * blockIdx.x + 128 of memory of parameter 'a' is written here by thread 32 and read by thread 31 of block 0; nothing orders the two
// RUN: not %heddle check %s --static --compiler clang -k scatter | FileCheck %s --check-prefix=ONE
// ONE:      error: race: tile[0] is written here by thread 0 and written by thread 32 of block 0
// ONE:      hint: one statement writes the same element from several threads: give each thread its own element, or use an atomic{{$}}
// RUN: not %heddle check %s --static --compiler clang -k rounds --param n=64 | FileCheck %s --check-prefix=LOOP
// LOOP: hint: one statement writes the same element from several threads: give each thread its own element, or use an atomic; if they do so in different iterations of a loop, a __syncthreads() between the iterations orders them
// RUN: %heddle check %s --static --compiler clang -k perhaps | FileCheck %s --check-prefix=DATA
// DATA: warning: undecided: whether this happens depends on data: tile[0] is written here by thread {{[0-9]+}} and written by thread {{[0-9]+}} of block 0: different values by one instruction [shared-races]

__global__ void alike(int *a, int n) { a[threadIdx.x] = n + threadIdx.x; }

__global__ void next(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i + 1] + 1;
}

__global__ void scatter(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x * 2 % 64] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x & ~1u];
}

__global__ void rounds(int *out, int n) {
  __shared__ int tile[64];
#pragma unroll 1
  for (int i = 0; i < n; i += 32)
    tile[(threadIdx.x + i) % 64] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}

__global__ void perhaps(int *out, const int *in) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0)
    tile[0] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}

void launch(int *a) {
  alike<<<2, 64>>>(a, 1);
  next<<<2, 64>>>(a);
  scatter<<<2, 64>>>(a);
  rounds<<<2, 64>>>(a, 64);
  perhaps<<<2, 64>>>(a, a + 64);
}
