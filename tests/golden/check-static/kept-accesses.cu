// Stores that an optimizer deletes, since the thread itself reads nothing of them, race all the same.
// RUN: not %heddle check %s --static --block 64 --compiler clang | FileCheck %s
// CHECK: {{.*}}:[[#@LINE+5]]:{{.*}}: error: race: unread[0] is written here
// CHECK: {{.*}}:[[#@LINE+5]]:{{.*}}: error: race: cell[0] is written here
// CHECK: shared-memory races: violated
__global__ void store(int *out) {
  __shared__ int unread[4], cell[64];
  unread[0] = threadIdx.x;
  cell[0] = threadIdx.x;
  __syncthreads();
  cell[threadIdx.x] = 3;
  out[threadIdx.x] = cell[threadIdx.x];
}
