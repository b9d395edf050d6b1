// A launch that failed is located in the source; a run does not show which of several launches of a kernel it was.
//
// RUN: not %heddle check %s --compiler clang | FileCheck %s
// CHECK:      failed-launch.cu:[[#@LINE+10]]:3: error: host: launch of 'once' with grid (1, 1, 1), block (2048, 1, 1) {{.*}} [host/launch-failed]
// CHECK-NEXT: | {{ *}}once<<<1, 2048>>>(nullptr);
// CHECK:      failed-launch.cu:[[#@LINE+10]]:3: error: host: launch of 'twice<int>' with grid (0, 1, 1), block (32, 1, 1) {{.*}} [host/launch-failed]
// CHECK:      failed-launch.cu:[[#@LINE+10]]:3: note: or here
#include <cuda_runtime.h>

__global__ void once(int *out) { out[threadIdx.x] = 1; }
template <class T> __global__ void twice(T *out) { out[threadIdx.x] = 2; }

int main() {
  once<<<1, 2048>>>(nullptr);
  // twice<int><<<1, 1>>> in a comment does not count
  twice<int><<<0, 32>>>(nullptr);
  twice<int><<<0, 32>>>(nullptr);
}
