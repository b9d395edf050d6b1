// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics: bits, products, conversions, rounding modes, SIMD in a word, warp votes and shuffles, loads
// with hints, barriers that count, fences, clocks, address spaces.
#include <cuda_runtime.h>

__device__ int integers(int a, unsigned b, long long c) {
  int r =
      __clz(a) + __clzll(c) + __ffs(a) + __ffsll(c) + __popc(b) + __popcll(c) + __mulhi(a, a) + __mul24(a, a);
  r += int(__brev(b) + __brevll(c) + __byte_perm(b, b, 0x3210) + __umulhi(b, b) + __umul24(b, b) +
           __umul64hi(c, c));
  r += int(__funnelshift_l(b, b, 3) + __funnelshift_r(b, b, 3) + __funnelshift_lc(b, b, 3) +
           __funnelshift_rc(b, b, 3));
  r += int(__sad(a, a, b) + __usad(b, b, b)) + __hadd(a, a) + __rhadd(a, a) +
       int(__uhadd(b, b) + __urhadd(b, b));
  r += __dp4a(a, a, a) + int(__dp4a(b, b, b)) + __dp2a_lo(a, a, a) + __dp2a_hi(a, a, a);
  return r + int(__vadd4(b, b) + __vsub2(b, b) + __vabsdiffu4(b, b) + __vcmpeq4(b, b) + __vmaxs2(b, b) +
                 __vsadu4(b, b));
}

__device__ float floats(float a, double d) {
  float r = __fadd_rn(a, a) + __fadd_rz(a, a) + __fmul_ru(a, a) + __fmaf_rd(a, a, a) + __fdiv_rn(a, a) +
            __frcp_rn(a) + __fsqrt_rn(a) + __frsqrt_rn(a) + __fdividef(a, a) + __expf(a) + __exp10f(a) +
            __logf(a) + __log2f(a) + __log10f(a) + __sinf(a) + __cosf(a) + __tanf(a) + __powf(a, a) +
            __saturatef(a);
  float s, c;
  __sincosf(a, &s, &c);
  d = __dadd_rn(d, d) + __dmul_rz(d, d) + __fma_rn(d, d, d) + __ddiv_ru(d, d) + __drcp_rd(d) + __dsqrt_rn(d);
  return r + s + c + __double2float_rz(d);
}

__device__ long long conversions(float a, double d, int i, unsigned u, long long ll) {
  long long r = __float2int_rn(a) + __float2int_rz(a) + __float2int_ru(a) + __float2int_rd(a) +
                __float2uint_rn(a) + __float2ll_rn(a) + __float2ull_rz(a) + __double2int_rn(d) +
                __double2uint_rz(d) + __double2ll_rd(d) + __double2ull_ru(d) + __double2hiint(d) +
                __double2loint(d) + __float_as_int(a) + __float_as_uint(a) + __double_as_longlong(d);
  a = __int2float_rn(i) + __uint2float_rz(u) + __ll2float_rn(ll) + __int_as_float(i) + __uint_as_float(u);
  d = __int2double_rn(i) + __uint2double_rn(u) + __ll2double_rn(ll) + __hiloint2double(i, i) +
      __longlong_as_double(ll);
  return r + (long long)a + (long long)d;
}

__device__ double warps(int i, unsigned u, long long ll, float f, double d) {
  const unsigned all = 0xffffffffu;
  double r = __shfl_sync(all, i, 3) + __shfl_up_sync(all, u, 1u) + __shfl_down_sync(all, ll, 2u, 16) +
             __shfl_xor_sync(all, f, 4) + __shfl_sync(all, d, 0);
  int equal;
  unsigned lanes = __ballot_sync(all, i > 3) ^ __activemask() ^ __match_any_sync(all, u) ^
                   __match_all_sync(all, f, &equal) ^ __reduce_add_sync(all, u) ^ __reduce_or_sync(all, u);
  __syncwarp();
  __syncwarp(all);
  return r + lanes + equal + __any_sync(all, i) + __all_sync(all, i) + __reduce_max_sync(all, i);
}

__device__ float memory(const float *f, const float4 *f4, const int *i, float *out) {
  __shared__ float tile[4];
  __stcs(out, 1.0f);
  __stcg(reinterpret_cast<double2 *>(out), make_double2(1, 2));
  __stwt(out, 3.0f);
  __stwb(out, 4.0f);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  bool spaces = __isShared(tile) && __isGlobal(f) && !__isLocal(f) && !__isConstant(f);
  size_t address = __cvta_generic_to_shared(tile) + __cvta_generic_to_global(f);
  tile[0] = *static_cast<float *>(__cvta_global_to_generic(__cvta_generic_to_global(f)));
  return __ldg(f) + __ldg(f4).w + float(__ldg(i)) + __ldcs(f) + __ldcg(f) + __ldca(f) + __ldcv(f) +
         float(spaces) + float(address) + tile[0];
}

__global__ void intrinsics(const float *f, const float4 *f4, const int *i, float *out, long long *times) {
  float sum = float(integers(i[0], i[1], i[2])) + floats(f[0], f[1]) +
              float(conversions(f[0], f[1], i[0], i[1], i[2])) + float(warps(i[0], i[1], i[2], f[0], f[1])) +
              memory(f, f4, i, out);
  sum += float(__syncthreads_count(i[0]) + __syncthreads_and(i[0]) + __syncthreads_or(i[0]));
  times[0] = clock64() + clock();
  __nanosleep(100);
  __prof_trigger(1);
  if (sum == 12345.0f)
    __trap();
  out[threadIdx.x] = sum;
}
