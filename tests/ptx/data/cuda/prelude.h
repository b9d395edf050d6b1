// What the test kernels need, with nvcc (which brings its own headers) and with Clang alone (which has only
// built-ins).
#pragma once
#ifdef __NVCC__
#define TID int(threadIdx.x)
#define NTID int(blockDim.x)
#define CTAID int(blockIdx.x)
#define BARRIER() __syncthreads()
#define BALLOT(p) __ballot_sync(0xffffffffu, p)
#define SHFL_XOR(v, m) __shfl_xor_sync(0xffffffffu, v, m)
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define NTID __nvvm_read_ptx_sreg_ntid_x()
#define CTAID __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER() __syncthreads()
#define BALLOT(p) __nvvm_vote_ballot_sync(0xffffffffu, p)
#define SHFL_XOR(v, m) __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, m, 31)
#endif
