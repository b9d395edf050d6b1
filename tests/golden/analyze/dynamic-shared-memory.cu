// The size of dynamic shared memory is an argument: occupancy is an upper bound, and stated as one.
// RUN: %heddle analyze %s --cuda-path none | FileCheck %s
// CHECK: launch      grid (10), block (256) = 256 threads, 8 warps, dynamic shared memory ?
// CHECK: occupancy   at most 100 % of sm_90: 8 blocks and 64 warps of 64 per multiprocessor, limited by warps
// CHECK-NEXT: dynamic shared memory of unknown size counts as 0 bytes
__global__ void k(float *out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

void run(float *out, int bytes) { k<<<10, 256, bytes>>>(out); }
