// Copies: of a size that is known, of one that is not, and of a group, whose threads divide the bytes among themselves.
// RUN: %heddle analyze %s --cuda-path none | FileCheck %s
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

// CHECK-LABEL: known    {{.*}}
// CHECK: line [[#@LINE+7]] {{ *}}write {{ *}}shared {{ *}}&cells[4 * threadIdx.x] {{ *}}no bank conflict {{ *}}not affine: the pointer is converted to 'void *' at line [[#@LINE+7]]
// CHECK: line [[#@LINE+6]] {{ *}}read {{ *}}global {{ *}}in + 4 * threadIdx.x {{ *}}coalesced, 16 sectors
// CHECK: line [[#@LINE+6]] {{ *}}write {{ *}}global
// CHECK: line [[#@LINE+5]] {{ *}}read {{ *}}global {{ *}}in + threadIdx.x {{ *}}coalesced, 5 sectors
// CHECK-NOT: a bug?
static __global__ void known(float *out, const float *in) {
  __shared__ float cells[512];
  __pipeline_memcpy_async(&cells[4 * threadIdx.x], in + 4 * threadIdx.x, 16);
  memcpy(out + threadIdx.x * 2, in + threadIdx.x, 8);
}

// CHECK-LABEL: atRunTime    {{.*}}
// CHECK: line [[#@LINE+6]] {{ *}}write {{ *}}shared {{ *}}&cells[4 * threadIdx.x] {{ *}}bank conflicts unknown {{ *}}not affine: the size of the copy is no constant at line [[#@LINE+6]]
// CHECK: line [[#@LINE+5]] {{ *}}read {{ *}}global {{ *}}in + 4 * threadIdx.x {{ *}}sectors unknown {{ *}}not affine: the size of the copy is no constant
// CHECK-NOT: a bug?
// CHECK-LABEL: ofGroup    {{.*}}
static __global__ void atRunTime(float *out, const float *in, int bytes) {
  __shared__ float cells[512];
  memcpy(&cells[4 * threadIdx.x], in + 4 * threadIdx.x, bytes);
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x];
}

// CHECK: line [[#@LINE+8]] {{ *}}write {{ *}}shared {{ *}}cells {{ *}}bank conflicts unknown {{ *}}not affine: the copy is distributed over the threads of the group at line [[#@LINE+8]]
// CHECK: line [[#@LINE+7]] {{ *}}read {{ *}}global {{ *}}in + blockIdx.x * 256 {{ *}}sectors unknown
// CHECK-NOT: reuse
// CHECK-NOT: opportunity
// CHECK-NOT: a bug?
static __global__ void ofGroup(float *out, const float *in) {
  __shared__ float cells[256];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, cells, in + blockIdx.x * 256, sizeof cells);
  cooperative_groups::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = cells[255 - threadIdx.x];
}

void launch(float *out, const float *in) {
  known<<<1, 128>>>(out, in);
  atRunTime<<<1, 128>>>(out, in, 8);
  ofGroup<<<4, 256>>>(out, in);
}
