// A trap that depends on data is assumed not to happen, and the assumption is printed: with the bounds, which include
// traps, and with all properties if there are accesses on the way to the trap.
//
// RUN: %heddle check %s --static --compiler clang --block 64 | FileCheck %s
#include <cassert>

// CHECK-LABEL: kernel 'stops'
// CHECK:       shared-memory races: proved for every input{{$}}
// CHECK:       shared-memory bounds: proved for every input, if no trap or failed assertion stops the kernel
// CHECK-NEXT:  shared-memory initialization: proved for every input{{$}}
__global__ void stops(int *out, int n) {
  if (n == 12345)
    __trap();
  out[blockIdx.x * 64 + threadIdx.x] = n;
}

// CHECK-LABEL: kernel 'asserts'
// CHECK:       shared-memory bounds: proved for every input, if no trap or failed assertion stops the kernel
__global__ void asserts(int *out, int n) {
  assert(n > 0);
  out[blockIdx.x * 64 + threadIdx.x] = n;
}

// CHECK-LABEL: kernel 'racesBefore'
// CHECK-NOT:   shared-memory races: proved for every input{{$}}
// CHECK:       deadlock:
__global__ void racesBefore(int *out, int n) {
  __shared__ volatile int last;
  if (n < 0) {
    last = threadIdx.x;
    out[0] = last;
    __trap();
  }
  out[blockIdx.x * 64 + threadIdx.x] = n;
}

// CHECK-LABEL: kernel 'spins'
// CHECK-NOT:   deadlock: proved for every input{{$}}
// CHECK:       shared-memory bounds:
__global__ void spins(int *out, int n) {
  if (n < 0)
    while (true)
      asm volatile("nanosleep.u32 100;");
  out[blockIdx.x * 64 + threadIdx.x] = n;
}

// CHECK-LABEL: kernel 'none'
// CHECK-NOT:   trap
// CHECK:       shared-memory initialization: proved for every input{{$}}
__global__ void none(int *out, int n) { out[blockIdx.x * 64 + threadIdx.x] = n; }
