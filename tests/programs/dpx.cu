// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DPX functions: every one on pairs and triples of edge values, on both sides, against plain C++.
// with the toolkit: nvcc only (to Clang these are device functions in NVIDIA's header)
#include "Check.h"

#include <algorithm>
#include <cstdint>

#define TERNARY(M)                                                                                           \
  M(viaddmax_s32)                                                                                            \
  M(viaddmax_u32)                                                                                            \
  M(viaddmax_s32_relu) M(viaddmax_s16x2) M(viaddmax_u16x2) M(viaddmax_s16x2_relu) M(viaddmin_s32)            \
      M(viaddmin_u32) M(viaddmin_s32_relu) M(viaddmin_s16x2) M(viaddmin_u16x2) M(viaddmin_s16x2_relu)        \
          M(vimax3_s32) M(vimax3_u32) M(vimax3_s32_relu) M(vimax3_s16x2) M(vimax3_u16x2)                     \
              M(vimax3_s16x2_relu) M(vimin3_s32) M(vimin3_u32) M(vimin3_s32_relu) M(vimin3_s16x2)            \
                  M(vimin3_u16x2) M(vimin3_s16x2_relu)
#define BINARY(M) M(vimax_s32_relu) M(vimin_s32_relu) M(vimax_s16x2_relu) M(vimin_s16x2_relu)

// --- the functions under test, all results in a row

constexpr int kResults = 24 + 4 + 2 * 8;

__host__ __device__ void everyFunction(unsigned a, unsigned b, unsigned c, unsigned *out) {
#define CALL3(name) *out++ = unsigned(__##name(a, b, c));
#define CALL2(name) *out++ = unsigned(__##name(a, b));
  TERNARY(CALL3)
  BINARY(CALL2)
  bool high = false, low = false;
#define FLAG(name)                                                                                           \
  *out++ = unsigned(__##name(a, b, &low));                                                                   \
  *out++ = low;
  FLAG(vibmax_s32)
  FLAG(vibmax_u32)
  FLAG(vibmin_s32) FLAG(vibmin_u32)
#define FLAG_BOTH(name)                                                                                      \
  *out++ = __##name(a, b, &high, &low);                                                                      \
  *out++ = high * 2 + low;
      FLAG_BOTH(vibmax_s16x2) FLAG_BOTH(vibmax_u16x2) FLAG_BOTH(vibmin_s16x2) FLAG_BOTH(vibmin_u16x2)
}

__global__ void run(const unsigned *edges, int n, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n * n)
    everyFunction(edges[i / n / n], edges[i / n % n], edges[i % n], out + i * kResults);
}

// --- what they should be, by wide arithmetic

int64_t number(unsigned word, int bits, bool isSigned) {
  int64_t value = bits == 32 ? word : word & 0xffff;
  return isSigned && value >> (bits - 1) ? value - (1ll << bits) : value;
}

enum Kind { AddMax, AddMin, Max3, Min3, Max2, Min2 };

int64_t plain(Kind kind, unsigned a, unsigned b, unsigned c, int bits, bool isSigned) {
  int64_t x = number(a, bits, isSigned), y = number(b, bits, isSigned), z = number(c, bits, isSigned);
  int64_t sum = number(unsigned(x + y), bits, isSigned);
  switch (kind) {
  case AddMax: return std::max(sum, z);
  case AddMin: return std::min(sum, z);
  case Max3: return std::max({x, y, z});
  case Min3: return std::min({x, y, z});
  case Max2: return std::max(x, y);
  case Min2: return std::min(x, y);
  }
  return 0;
}

unsigned expected(Kind kind, unsigned a, unsigned b, unsigned c, bool halves, bool isSigned, bool relu) {
  auto one = [&](int shift, int bits) {
    int64_t value = plain(kind, a >> shift, b >> shift, c >> shift, bits, isSigned);
    return relu && value < 0 ? 0 : value;
  };
  return halves ? unsigned(one(16, 16) & 0xffff) << 16 | unsigned(one(0, 16) & 0xffff) : unsigned(one(0, 32));
}

std::vector<unsigned> expectedRow(unsigned a, unsigned b, unsigned c) {
  std::vector<unsigned> row;
  for (Kind kind : {AddMax, AddMin, Max3, Min3})
    for (bool halves : {false, true}) {
      row.push_back(expected(kind, a, b, c, halves, true, false));
      row.push_back(expected(kind, a, b, c, halves, false, false));
      row.push_back(expected(kind, a, b, c, halves, true, true));
    }
  for (bool halves : {false, true})
    for (Kind kind : {Max2, Min2})
      row.push_back(expected(kind, a, b, c, halves, true, true));
  for (bool halves : {false, true})
    for (Kind kind : {Max2, Min2})
      for (bool isSigned : {true, false}) {
        unsigned chosen = expected(kind, a, b, c, halves, isSigned, false);
        row.push_back(chosen);
        row.push_back(halves ? (chosen >> 16 == a >> 16) * 2 + ((chosen & 0xffff) == (a & 0xffff))
                             : chosen == a);
      }
  return row;
}

int main() {
  const std::vector<unsigned> edges = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                       0x00018000, 0x7fff8000, 0x8000ffff, 0xffff0001, 0x12348765};
  const int n = int(edges.size()), cases = n * n * n;
  DeviceArray<unsigned> in(edges), out(size_t(cases) * kResults);
  run<<<(cases + 127) / 128, 128>>>(in, n, out);
  CHECK_LAUNCH();
  std::vector<unsigned> device = out.host();
  for (int i = 0; i < cases; ++i) {
    unsigned a = edges[i / n / n], b = edges[i / n % n], c = edges[i % n], host[kResults];
    everyFunction(a, b, c, host);
    std::vector<unsigned> right = expectedRow(a, b, c);
    CHECK(right.size() == kResults);
    for (int k = 0; k < kResults; ++k) {
      if (host[k] != right[k] || device[size_t(i) * kResults + k] != right[k])
        std::printf("function %d of %#x %#x %#x: host %#x, device %#x, should be %#x\n", k, a, b, c, host[k],
                    device[size_t(i) * kResults + k], right[k]);
      CHECK(host[k] == right[k]);
      CHECK(device[size_t(i) * kResults + k] == right[k]);
    }
  }
  return pass();
}
