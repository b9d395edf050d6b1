// An address in a thread's own memory that depends on data may be anywhere, also behind the end and where nothing was written.
//
// RUN: %heddle check %s --static --compiler clang --block 32 | FileCheck %s

// CHECK-LABEL: kernel 'loops'
// CHECK:       shared-memory bounds: undecided: the local address of this store depends on
// CHECK:       shared-memory initialization: undecided
__global__ void loops(float *out, int n) {
  volatile float own[8];
  for (int i = 0; i < n; ++i)
    own[i] = i;
  out[threadIdx.x] = own[0];
}

// CHECK-LABEL: kernel 'read'
// CHECK:       shared-memory bounds: undecided: the local address of this load depends on
__global__ void read(float *out, int n) {
  volatile float own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = i;
  out[threadIdx.x] = own[n];
}

// CHECK-LABEL: kernel 'passed'
// CHECK:       shared-memory bounds: undecided: the local address of this store depends on
__device__ __noinline__ void set(volatile float *own, int n) { own[n] = 1; }
__global__ void passed(float *out, int n) {
  volatile float own[8];
  set(own, n);
  out[threadIdx.x] = own[0];
}

// CHECK-LABEL: kernel 'inside'
// CHECK:       shared-memory bounds: proved for every input
// CHECK:       shared-memory initialization: proved for every input
__global__ void inside(float *out, int n) {
  volatile float own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = n;
  out[threadIdx.x] = own[threadIdx.x % 8];
}
