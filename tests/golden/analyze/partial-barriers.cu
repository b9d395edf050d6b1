// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of a part of the block, and of objects in memory, may order what no __syncthreads() orders: no bug is reported, and none
// is excluded.
//
// RUN: %heddle analyze %s --cuda-path none | FileCheck %s --implicit-check-not "a bug?"
#include <cuda/barrier>
#include <cuda_pipeline.h>

// CHECK: {{^}}pass
// CHECK: depends     flow cells[lane] at line {{[0-9]+}} and cells[31 - lane] at line {{[0-9]+}}: no barrier of the block orders them, others may
__global__ void pass(const int *in, int *out) {
  __shared__ int cells[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    cells[lane] = in[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = cells[31 - lane];
  }
}

// CHECK: {{^}}split
// CHECK: depends     flow cells[threadIdx.x] at line {{[0-9]+}} and cells[63 - threadIdx.x] at line {{[0-9]+}}: no barrier of the block orders them, others may
__global__ void split(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> done;
  __shared__ int cells[64];
  if (threadIdx.x == 0)
    init(&done, 64);
  __syncthreads();
  cells[threadIdx.x] = in[threadIdx.x];
  auto token = done.arrive();
  done.wait(std::move(token));
  out[threadIdx.x] = cells[63 - threadIdx.x];
}

// The size of an asynchronous copy is its third argument: its pointers are void *.
// CHECK: {{^}}fetch
// CHECK: read global &in[threadIdx.x] coalesced, 4 sectors
__global__ void fetch(const float *in, float *out) {
  __shared__ float cells[64];
  __pipeline_memcpy_async(&cells[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = cells[63 - threadIdx.x];
}

void start(int *i, float *f) {
  pass<<<1, 64>>>(i, i + 64);
  split<<<1, 64>>>(i, i + 64);
  fetch<<<1, 64>>>(f, f + 64);
}

// The bound is between two warps: all threads of each of them reach the barrier.
//
// CHECK: {{^}}below
// CHECK: divergence  line {{[0-9]+}}  if  differs by warp  all threads of a warp are on the same side of the bound
__global__ void below(const int *in, int *out) {
  __shared__ int cells[64];
  if (threadIdx.x < 64) {
    cells[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[threadIdx.x - 64] = cells[threadIdx.x - 64];
  }
}

void launchBelow(const int *in, int *out) { below<<<1, 128>>>(in, out); }
