// A finding for one of two blocks: the kernel fails, and the verdicts name the launches.
//
// RUN: not %heddle check %s --static --compiler clang | FileCheck %s
// CHECK:      kernel 'exchange'
// CHECK-NEXT: {{^}}  block (32), from the launch at {{.*}}launches-differ.cu:[[#@LINE+15]]{{$}}
// CHECK-NEXT: shared-memory races: proved for every input
// CHECK:      {{.*}}launches-differ.cu:[[#]]:{{.*}}error: race: cell[
// CHECK:      fails: kernel 'exchange'
// CHECK-NEXT: {{^}}  block (64), from the launch at {{.*}}launches-differ.cu:[[#@LINE+12]]{{$}}
// CHECK-NEXT: shared-memory races: violated
__global__ void exchange(int *out) {
  __shared__ int cell[64];
  cell[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = cell[blockDim.x - 1 - threadIdx.x];
}

int main() {
  constexpr int Warp = 32;
  exchange<<<1, Warp>>>(nullptr);
  exchange<<<1, 2 * Warp>>>(nullptr);
}
