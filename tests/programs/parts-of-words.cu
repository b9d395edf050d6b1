// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions on two halves or four bytes of a word (__vadd2, __vmaxs4, ...), against a loop over the
// parts.
#include "Check.h"

#include <algorithm>
#include <cstdint>
#include <limits>

// name, and what it makes of the parts x and y; `most` and `least` are the bounds of the part's type.
#define SIGNED_PARTS(M)                                                                                      \
  M(vadd, x + y)                                                                                             \
  M(vsub, x - y)                                                                                             \
  M(vaddss, clamp(x + y))                                                                                    \
  M(vsubss, clamp(x - y))                                                                                    \
  M(vmaxs, std::max(x, y))                                                                                   \
  M(vcmpeq, x == y ? -1 : 0)                                                                                 \
  M(vcmpne, x != y ? -1 : 0)                                                                                 \
  M(vcmpgts, x > y ? -1 : 0)                                                                                 \
  M(vcmples, x <= y ? -1 : 0)                                                                                \
  M(vseteq, x == y)                                                                                          \
  M(vsetlts, x < y)                                                                                          \
  M(vsetges, x >= y)
#define UNSIGNED_PARTS(M)                                                                                    \
  M(vaddus, clamp(x + y))                                                                                    \
  M(vsubus, clamp(x - y))                                                                                    \
  M(vmaxu, std::max(x, y))                                                                                   \
  M(vminu, std::min(x, y))                                                                                   \
  M(vavgu, (x + y + 1) / 2)                                                                                  \
  M(vhaddu, (x + y) / 2)                                                                                     \
  M(vcmpgtu, x > y ? -1 : 0)                                                                                 \
  M(vcmpltu, x < y ? -1 : 0)                                                                                 \
  M(vsetleu, x <= y)                                                                                         \
  M(vsetgeu, x >= y)
// nvcc makes vabsdiff4 of these, which the machine does not have.
#if defined(__clang__)
#define MORE_SIGNED_PARTS(M) M(vmins, std::min(x, y)) M(vabsdiffs, std::abs(x - y))
#define MORE_UNSIGNED_PARTS(M) M(vabsdiffu, std::abs(x - y))
#define MORE_OF_ONE_OPERAND(M) M(vabs, std::abs(x)) M(vabsss, clamp(std::abs(x)))
#else
#define MORE_SIGNED_PARTS(M)
#define MORE_UNSIGNED_PARTS(M)
#define MORE_OF_ONE_OPERAND(M)
#endif
#define ONE_OPERAND(M)                                                                                       \
  M(vneg, -x)                                                                                                \
  M(vnegss, clamp(-x))

#define COUNT(name, meaning) +2
constexpr int kFunctions = 0 SIGNED_PARTS(COUNT) MORE_SIGNED_PARTS(COUNT) UNSIGNED_PARTS(COUNT)
    MORE_UNSIGNED_PARTS(COUNT) ONE_OPERAND(COUNT) MORE_OF_ONE_OPERAND(COUNT);

__device__ void everyFunction(unsigned a, unsigned b, unsigned *out) {
#define CALL(name, meaning)                                                                                  \
  *out++ = __##name##2(a, b);                                                                                \
  *out++ = __##name##4(a, b);
#define CALL1(name, meaning)                                                                                 \
  *out++ = __##name##2(a);                                                                                   \
  *out++ = __##name##4(a);
  SIGNED_PARTS(CALL)
  MORE_SIGNED_PARTS(CALL)
  UNSIGNED_PARTS(CALL)
  MORE_UNSIGNED_PARTS(CALL)
  ONE_OPERAND(CALL1)
  MORE_OF_ONE_OPERAND(CALL1)
}

__global__ void run(const unsigned *words, int n, unsigned *out, unsigned *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n)
    return;
  unsigned a = words[i / n], b = words[i % n];
  everyFunction(a, b, out + i * kFunctions);
  sums[i] = __vsads2(a, b);
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
  MORE_SIGNED_PARTS(OF_SIGNED)
  UNSIGNED_PARTS(OF_UNSIGNED)
  MORE_UNSIGNED_PARTS(OF_UNSIGNED)
  ONE_OPERAND(OF_SIGNED)
  MORE_OF_ONE_OPERAND(OF_SIGNED)
}

static unsigned expectedSum(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 16)
    sum += std::abs(int(int16_t(a >> at)) - int(int16_t(b >> at)));
  return sum;
}

int main() {
  std::vector<unsigned> words = {0,          0xffffffff, 0x80008000, 0x7fff7fff, 0x80808080,
                                 0x7f7f7f7f, 0x00010001, 0x01020304, 0xfedcba98, 0x8000007f};
  const int n = int(words.size());
  DeviceArray<unsigned> in(words), out(n * n * kFunctions), sums(n * n);
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
    CHECK(gotSums[i] == expectedSum(a, b));
  }
  return pass();
}
