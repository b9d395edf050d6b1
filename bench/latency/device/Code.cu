// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose body is a given number of instructions: cycles for each of them, by the size of the body. Where the
// instruction caches end, they rise. And how warps issue together: by their number and by how many instructions of
// each do not depend on each other.
#include "Timing.h"

namespace {

#define TWO(X) X X
#define FOUR(X) TWO(X) TWO(X)
#define SIXTEEN(X) FOUR(X) FOUR(X) FOUR(X) FOUR(X)
#define STEP4                                                                                                \
  "fma.rn.f32 %0, %0, %4, %4;\nfma.rn.f32 %1, %1, %4, %4;\nfma.rn.f32 %2, %2, %4, %4;\nfma.rn.f32 %3, %3, "  \
  "%4, %4;\n"
#define OPERANDS : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(m)

/// 64 instructions in each asm.
template <int Hundreds>
__device__ __forceinline__ void body(float &a, float &b, float &c, float &d, float m) {
#pragma unroll
  for (int i = 0; i < Hundreds; ++i)
    asm volatile(SIXTEEN(STEP4) OPERANDS);
}

template <int Instructions> __global__ void code(long long *cycles, int repeats, float *values) {
  float a = values[0], b = values[1], c = values[2], d = values[3], m = values[4];
  body<Instructions / 64>(a, b, c, d, m); // not timed: brings it in
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < repeats; ++i)
      body<Instructions / 64>(a, b, c, d, m);
  });
  if (a + b + c + d == 12345)
    values[5] = a;
}

template <int Instructions> void codeRow(float *values) {
  Cycles clock;
  for (int warps : {4, 16}) {
    const int repeats = std::max(1, 65536 / Instructions);
    const Quartiles more = clock.more("code", [&](long long *cycles, int times) {
      code<Instructions><<<unsigned(sms()), unsigned(warps * Warp)>>>(cycles, repeats * times, values);
    });
    row("code", std::to_string(Instructions / 64) + " KiB, " + std::to_string(warps) + " warps per SM",
        "cycles/instruction/scheduler", more.times(1.0 / (double(repeats) * Instructions * warps / 4)));
  }
}

/// `Chains`: instructions of a warp that do not depend on each other.
template <int Chains> __global__ void issue(long long *cycles, int repeats, float *values) {
  float a[Chains];
  for (int i = 0; i < Chains; ++i)
    a[i] = values[i];
  const float m = values[8];
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < 256 * repeats; ++i)
#pragma unroll
      for (int u = 0; u < 16; ++u)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[u % Chains]) : "f"(m));
  });
  float sum = 0;
  for (int i = 0; i < Chains; ++i)
    sum += a[i];
  if (sum == 12345)
    values[9] = sum;
}
template <int Chains> void issueRow(float *values) {
  Cycles clock;
  for (int warps : {4, 8, 16, 32}) {
    const Quartiles more = clock.more("issue", [&](long long *cycles, int times) {
      issue<Chains><<<unsigned(sms()), unsigned(warps * Warp)>>>(cycles, times, values);
    });
    row("issue.fma", std::to_string(warps) + " warps per SM, " + std::to_string(Chains) + " independent",
        "instructions/cycle/SM", more.rateOf(256.0 * 16 * warps));
  }
}

} // namespace

int main() {
  auto *values = static_cast<float *>(memory(4096));
  codeRow<512>(values);
  codeRow<1024>(values);
  codeRow<2048>(values);
  codeRow<4096>(values);
  codeRow<6144>(values);
  codeRow<8192>(values);
  codeRow<12288>(values);
  codeRow<16384>(values);
  issueRow<1>(values);
  issueRow<2>(values);
  issueRow<4>(values);
  issueRow<8>(values);
}
