// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions on two halves or four bytes of a word (__vadd2, __vmaxs4, ...), against a loop over the
// parts.
#include "Check.h"

#include <algorithm>
#include <cstdint>
#include <limits>

// name, and what it makes of the parts x and y.
#define SIGNED_PARTS(M)                                                                                      \
  M(vadd, x + y)                                                                                             \
  M(vsub, x - y)                                                                                             \
  M(vaddss, clamp(x + y))                                                                                    \
  M(vsubss, clamp(x - y))                                                                                    \
  M(vmaxs, std::max(x, y))                                                                                   \
  M(vmins, std::min(x, y))                                                                                   \
  M(vabsdiffs, std::abs(x - y))                                                                              \
  M(vavgs, (x + y + (x + y >= 0)) >> 1)                                                                      \
  M(vcmpeq, x == y ? -1 : 0)                                                                                 \
  M(vcmpne, x != y ? -1 : 0)                                                                                 \
  M(vcmpgts, x > y ? -1 : 0)                                                                                 \
  M(vcmpges, x >= y ? -1 : 0)                                                                                \
  M(vcmplts, x < y ? -1 : 0)                                                                                 \
  M(vcmples, x <= y ? -1 : 0)                                                                                \
  M(vseteq, x == y)                                                                                          \
  M(vsetne, x != y)                                                                                          \
  M(vsetgts, x > y)                                                                                          \
  M(vsetges, x >= y)                                                                                         \
  M(vsetlts, x < y)                                                                                          \
  M(vsetles, x <= y)
#define UNSIGNED_PARTS(M)                                                                                    \
  M(vaddus, clamp(x + y))                                                                                    \
  M(vsubus, clamp(x - y))                                                                                    \
  M(vmaxu, std::max(x, y))                                                                                   \
  M(vminu, std::min(x, y))                                                                                   \
  M(vabsdiffu, std::abs(x - y))                                                                              \
  M(vavgu, (x + y + 1) / 2)                                                                                  \
  M(vhaddu, (x + y) / 2)                                                                                     \
  M(vcmpgtu, x > y ? -1 : 0)                                                                                 \
  M(vcmpgeu, x >= y ? -1 : 0)                                                                                \
  M(vcmpltu, x < y ? -1 : 0)                                                                                 \
  M(vcmpleu, x <= y ? -1 : 0)                                                                                \
  M(vsetgtu, x > y)                                                                                          \
  M(vsetgeu, x >= y)                                                                                         \
  M(vsetltu, x < y)                                                                                          \
  M(vsetleu, x <= y)
#define ONE_OPERAND(M)                                                                                       \
  M(vneg, -x)                                                                                                \
  M(vnegss, clamp(-x))                                                                                       \
  M(vabs, std::abs(x))                                                                                       \
  M(vabsss, clamp(std::abs(x)))

#define COUNT(name, meaning) +2
constexpr int kFunctions = 0 SIGNED_PARTS(COUNT) UNSIGNED_PARTS(COUNT) ONE_OPERAND(COUNT);
constexpr int kSums = 4;

__device__ void everyFunction(unsigned a, unsigned b, unsigned *out) {
#define CALL(name, meaning)                                                                                  \
  *out++ = __##name##2(a, b);                                                                                \
  *out++ = __##name##4(a, b);
#define CALL1(name, meaning)                                                                                 \
  *out++ = __##name##2(a);                                                                                   \
  *out++ = __##name##4(a);
  SIGNED_PARTS(CALL)
  UNSIGNED_PARTS(CALL)
  ONE_OPERAND(CALL1)
}

__global__ void run(const unsigned *words, int n, unsigned *out, unsigned *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n)
    return;
  unsigned a = words[i / n], b = words[i % n];
  everyFunction(a, b, out + i * kFunctions);
  unsigned *row = sums + i * kSums;
  row[0] = __vsads2(a, b), row[1] = __vsadu2(a, b), row[2] = __vsads4(a, b), row[3] = __vsadu4(a, b);
}

/// Applies `f` to each part of type T.
template <class T, class F> unsigned each(unsigned a, unsigned b, F f) {
  const int bits = 8 * sizeof(T);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    unsigned part = unsigned(f(int(T(a >> at)), int(T(b >> at)))) & ((1u << bits) - 1);
    result |= part << at;
  }
  return result;
}

template <class T> int clampTo(int x) {
  return std::min(std::max(x, int(std::numeric_limits<T>::min())), int(std::numeric_limits<T>::max()));
}

static void expected(unsigned a, unsigned b, unsigned *out) {
#define PARTS(T, meaning)                                                                                    \
  *out++ = each<T>(a, b, [](int x, [[maybe_unused]] int y) {                                                 \
    [[maybe_unused]] auto clamp = clampTo<T>;                                                                \
    return meaning;                                                                                          \
  });
#define OF_SIGNED(name, meaning) PARTS(int16_t, meaning) PARTS(int8_t, meaning)
#define OF_UNSIGNED(name, meaning) PARTS(uint16_t, meaning) PARTS(uint8_t, meaning)
  SIGNED_PARTS(OF_SIGNED)
  UNSIGNED_PARTS(OF_UNSIGNED)
  ONE_OPERAND(OF_SIGNED)
}

template <class T> unsigned sumOfDifferences(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned at = 0; at < 32; at += 8 * sizeof(T))
    sum += std::abs(int(T(a >> at)) - int(T(b >> at)));
  return sum;
}

int main() {
  std::vector<unsigned> words = {0,          0xffffffff, 0x80008000, 0x7fff7fff, 0x80808080,
                                 0x7f7f7f7f, 0x00010001, 0x01020304, 0xfedcba98, 0x8000007f};
  for (unsigned x = 12345; words.size() < 40;)
    words.push_back(x = x * 1664525 + 1013904223);
  const int n = int(words.size());
  DeviceArray<unsigned> in(words), out(n * n * kFunctions), sums(n * n * kSums);
  run<<<(n * n + 63) / 64, 64>>>(in, n, out, sums);
  CHECK_LAUNCH();
  std::vector<unsigned> got = out.host(), gotSums = sums.host();
  for (int i = 0; i < n * n; ++i) {
    unsigned a = words[i / n], b = words[i % n], right[kFunctions];
    expected(a, b, right);
    for (int k = 0; k < kFunctions; ++k) {
      if (got[i * kFunctions + k] != right[k])
        std::printf("function %d of %#x %#x: %#x, should be %#x\n", k, a, b, got[i * kFunctions + k],
                    right[k]);
      CHECK(got[i * kFunctions + k] == right[k]);
    }
    const unsigned *sum = &gotSums[i * kSums];
    CHECK(sum[0] == sumOfDifferences<int16_t>(a, b) && sum[1] == sumOfDifferences<uint16_t>(a, b));
    CHECK(sum[2] == sumOfDifferences<int8_t>(a, b) && sum[3] == sumOfDifferences<uint8_t>(a, b));
  }
  return pass();
}
