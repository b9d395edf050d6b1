// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix multiplication: what an SM gets done, by type, with mma.sync of warps and with wgmma of four warps together.
// Four accumulators in turn, so that no instruction waits for the one before. All data is zero: power limits are
// not reached.
#include "Timing.h"

namespace {

constexpr int Unroll = 4, Steps = 64;

#define ACCUMULATE(ID, NAME, OPS, COUNT, TYPE, TEXT, ...)                                                    \
  struct ID {                                                                                                \
    using Type = TYPE;                                                                                       \
    static constexpr const char *name = NAME;                                                                \
    static constexpr int count = COUNT;                                                                      \
    static constexpr double operations = OPS;                                                                \
    static __device__ __forceinline__ void multiply(TYPE *c, unsigned a, double d) {                         \
      (void)a, (void)d;                                                                                      \
      asm volatile(TEXT : __VA_ARGS__);                                                                      \
    }                                                                                                        \
  };
#define FOUR_OF(TYPE) "+" TYPE(c[0]), "+" TYPE(c[1]), "+" TYPE(c[2]), "+" TYPE(c[3])
ACCUMULATE(
    F16, "m16n8k16 f16, f32 sums", 2.0 * 16 * 8 * 16, 4, float,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};",
    FOUR_OF("f") : "r"(a))
ACCUMULATE(Bf16, "m16n8k16 bf16, f32 sums", 2.0 * 16 * 8 * 16, 4, float,
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
           "{%0,%1,%2,%3};",
           FOUR_OF("f") : "r"(a))
ACCUMULATE(Half, "m16n8k16 f16, f16 sums", 2.0 * 16 * 8 * 16, 2, unsigned,
           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%2,%2}, {%2,%2}, {%0,%1};",
           "+r"(c[0]), "+r"(c[1]) : "r"(a))
ACCUMULATE(Tf32, "m16n8k8 tf32", 2.0 * 16 * 8 * 8, 4, float,
           "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
           "{%0,%1,%2,%3};",
           FOUR_OF("f") : "r"(a))
ACCUMULATE(
    Int8, "m16n8k32 s8", 2.0 * 16 * 8 * 32, 4, int,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};",
    FOUR_OF("r") : "r"(a))
ACCUMULATE(F64Small, "m8n8k4 f64", 2.0 * 8 * 8 * 4, 2, double,
           "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};", "+d"(c[0]),
           "+d"(c[1]) : "d"(d))
ACCUMULATE(F64, "m16n8k16 f64", 2.0 * 16 * 8 * 16, 4, double,
           "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4,%4,%4,%4,%4}, "
           "{%4,%4,%4,%4}, {%0,%1,%2,%3};",
           FOUR_OF("d") : "d"(d))

template <class Row> __global__ void multiply(long long *cycles, int repeats, unsigned *zero) {
  typename Row::Type sums[Unroll][4] = {};
  const unsigned a = zero[0];
  const double d = zero[1];
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < Steps * repeats; ++i)
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        Row::multiply(sums[u], a, d);
  });
  double sum = 0;
  for (int u = 0; u < Unroll; ++u)
    for (int k = 0; k < Row::count; ++k)
      sum += double(sums[u][k]);
  if (sum == 12345)
    zero[2] = 1;
}

template <class Row> void rows(unsigned *zero) {
  Cycles clock;
  for (int warps : {4, 8, 16}) {
    const Quartiles more = clock.more(Row::name, [&](long long *cycles, int times) {
      multiply<Row><<<unsigned(sms()), unsigned(warps * Warp)>>>(cycles, times, zero);
    });
    row("mma", std::string(Row::name) + ", " + std::to_string(warps) + " warps per SM", "operations/cycle/SM",
        more.rateOf(Row::operations * Steps * Unroll * warps));
  }
}

#define EIGHT(B)                                                                                             \
  "+f"(c[B]), "+f"(c[B + 1]), "+f"(c[B + 2]), "+f"(c[B + 3]), "+f"(c[B + 4]), "+f"(c[B + 5]),                \
      "+f"(c[B + 6]), "+f"(c[B + 7])
/// 64 x 128 sums of f16 products, both matrices in shared memory.
__device__ __forceinline__ void groupMultiply(float (&c)[64], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%"
               "25,%26,%27,%28,%29,%30,%31,"
               "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%"
               "55,%56,%57,%58,%59,%60,%61,"
               "%62,%63}, %64, %65, 1, 1, 1, 0, 0;"
               : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)
               : "l"(a), "l"(b));
}
__global__ void __launch_bounds__(256) groups(long long *cycles, int repeats, unsigned *zero) {
  __shared__ alignas(1024) unsigned words[6144];
  for (unsigned i = threadIdx.x; i < 6144; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  // Tiles without swizzling: 8 rows of 16 bytes each, 128 bytes apart along k and 256 along m or n.
  const uint64_t layout = (uint64_t(128 >> 4) << 16) | (uint64_t(256 >> 4) << 32);
  const uint64_t a = layout | ((unsigned(__cvta_generic_to_shared(words)) & 0x3ffff) >> 4);
  const uint64_t b = layout | ((unsigned(__cvta_generic_to_shared(words + 2048)) & 0x3ffff) >> 4);
  float c[64] = {};
  timed(cycles, [&] {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < Steps * repeats; ++i) {
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        groupMultiply(c, a, b);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  });
  float sum = 0;
  for (float one : c)
    sum += one;
  if (sum == 12345)
    zero[2] = 1;
}
void groupRows(unsigned *zero) {
  Cycles clock;
  for (int groupsOfWarps : {1, 2}) {
    const Quartiles more = clock.more("wgmma", [&](long long *cycles, int times) {
      groups<<<unsigned(sms()), unsigned(groupsOfWarps * 128)>>>(cycles, times, zero);
    });
    row("wgmma", "m64n128k16 f16, f32 sums, " + std::to_string(groupsOfWarps * 4) + " warps per SM",
        "operations/cycle/SM", more.rateOf(2.0 * 64 * 128 * 16 * Steps * Unroll * groupsOfWarps));
  }
}

} // namespace

int main() {
  auto *zero = static_cast<unsigned *>(memory(4096));
  rows<F16>(zero);
  rows<Bf16>(zero);
  rows<Half>(zero);
  rows<Tf32>(zero);
  rows<Int8>(zero);
  rows<F64Small>(zero);
  rows<F64>(zero);
  groupRows(zero);
}
