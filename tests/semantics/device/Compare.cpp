// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the semantics with a real GPU, row by row, on special values in all combinations and on random
// ones. Not part of the test suite (no GPU there); built by hand where there is one:
//
//     nvcc -arch=native -std=c++17 -c Device.cu && c++ -std=c++20 -O2 -ffp-contract=off -I../../../src
//     Compare.cpp Device.o -lcudart
//
// Prints, for each row that differs, how many operands did and the first few; for the approximations the
// largest distance in units of the last place.
#include "semantics/Approx.h"
#include "semantics/Bits.h"
#include "semantics/Convert.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

void runRow(int row, int count, const uint64_t *in, uint64_t *out);

// Inside the namespace, so that `div` and `abs` are not the C library's.
namespace heddle::semantics {
namespace {

constexpr int Count = 1 << 19;

const std::vector<uint64_t> special32 = {
    0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x807fffff, 0x800000,   0x80800000,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fffffff, 0x7fc00000, 0x7f800001, 0xffc12345, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
    0x5f000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x477ff000, 0x477fe000, 0x33800000,
    0x33000000, 0x7e800000, 0x7e800001, 0x7f000000, 31,         32,         33,         255,
    256,        0xffff,     0x8000,     0x7fff,     0x43e00000, 0x43e80000, 0x47600000, 0x34000000,
    0x00ffffff, 0x42fe0000, 0x800001,   0x3f7ffffe};
const std::vector<uint64_t> special64 = {0,
                                         0x8000000000000000,
                                         1,
                                         0x8000000000000001,
                                         0xfffffffffffff,
                                         0x10000000000000,
                                         0x8010000000000000,
                                         0x3ff0000000000000,
                                         0xbff0000000000000,
                                         0x3fefffffffffffff,
                                         0x3ff0000000000001,
                                         0x7fefffffffffffff,
                                         0xffefffffffffffff,
                                         0x7ff0000000000000,
                                         0xfff0000000000000,
                                         0x7fffffffffffffff,
                                         0x7ff8000000000000,
                                         0x7ff0000000000001,
                                         0xfff8123456789abc,
                                         0x41e0000000000000,
                                         0xc1e0000000000000,
                                         0x41dfffffffe00000,
                                         0x41f0000000000000,
                                         0x43e0000000000000,
                                         0xc3e0000000000000,
                                         0x43f0000000000000,
                                         0x3fe0000000000000,
                                         0xbfe0000000000000,
                                         0x3ff8000000000000,
                                         0x4004000000000000,
                                         0x47efffffe0000000,
                                         0x47effffff0000000,
                                         0x380fffffffffffff,
                                         0x36a0000000000000,
                                         0x3690000000000000,
                                         0x40effc0000000000,
                                         31,
                                         32,
                                         63,
                                         64,
                                         255,
                                         0xffffffff,
                                         0x7fffffff,
                                         0x7fffffffffffffff - 1,
                                         0xffffffffffffffff};
const std::vector<uint64_t> special16 = {
    0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x83ff, 0x8400, 0x3c00, 0xbc00, 0x3bff, 0x3c01,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7fff, 0x7e00, 0x7c01, 0xfe12, 0x3f80, 0xbf80, 0x7f80, 0xff80,
    0x7fc0, 0x7f81, 0x7f7f, 0x80,   0x7f,   0x3800, 0xb800, 0x3e00, 0x4100, 0xffff};

std::mt19937_64 random64(20261);

uint64_t operand(char kind, int i) {
  uint64_t bits = random64();
  bool choose = i % 4 == 0;
  if (kind == 'f' || kind == 'w') {
    if (choose)
      return special32[random64() % special32.size()];
    if (i % 4 == 1) // numbers of like size, where sums cancel and quotients are near 1
      return kind == 'w' ? (uint32_t(bits) >> (bits >> 59)) : ((uint32_t(bits) & 0x81ffffffu) | 0x3e000000u);
    if (i % 4 == 2 && kind == 'f') // around the subnormal range
      return (uint32_t(bits) & 0x81ffffffu) | (bits >> 63 ? 0x1f000000u : 0u);
    return uint32_t(bits);
  }
  if (kind == 'd' || kind == 'l') {
    if (choose)
      return special64[random64() % special64.size()];
    if (i % 4 == 1)
      return kind == 'l' ? bits >> (random64() % 64) : (bits & 0x803fffffffffffffu) | 0x3fc0000000000000u;
    if (i % 4 == 2 && kind == 'd') // sizes that integers and floats have
      return (bits & 0x80ffffffffffffffu) | (random64() % 2 ? 0x3f00000000000000u : 0x3600000000000000u) ^
                                                (random64() & 0x0800000000000000u);
    return bits;
  }
  return choose ? special16[random64() % special16.size()] : bits & 0xffff;
}

template <class T> T valueOf(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t bitsOfValue(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

#define KIND_h uint16_t
#define KIND_w uint32_t
#define KIND_l uint64_t
#define KIND_f float
#define KIND_d double
#define KIND__ uint32_t

struct Row {
  const char *name;
  char result, kinds[3];
  uint64_t (*host)(const uint64_t *);
};
const Row rows[] = {
#define ROW(name, ptx, r, ka, kb, kc, expression)                                                            \
  {#name, #r[0], {#ka[0], #kb[0], #kc[0]}, [](const uint64_t *in) {                                          \
     [[maybe_unused]] KIND_##ka a = valueOf<KIND_##ka>(in[0]);                                               \
     [[maybe_unused]] KIND_##kb b = valueOf<KIND_##kb>(in[1]);                                               \
     [[maybe_unused]] KIND_##kc c = valueOf<KIND_##kc>(in[2]);                                               \
     return bitsOfValue<KIND_##r>(KIND_##r(expression));                                                     \
   }},
#include "Rows.def"
#undef ROW
};

/// Distance in units of the last place, for numbers; a NaN beside a number is infinitely far.
double distance(uint64_t a, uint64_t b, char kind) {
  int places = kind == 'f' ? 31 : kind == 'd' ? 63 : 15;
  uint64_t sign = uint64_t(1) << places;
  auto key = [&](uint64_t v) { return v & sign ? -double(v & ~sign) : double(v); };
  return a == b ? 0 : std::abs(key(a) - key(b));
}

} // namespace
} // namespace heddle::semantics

using namespace heddle::semantics;

int main() {
  std::vector<uint64_t> in(3 * Count), out(Count);
  int differing = 0, index = 0;
  for (const Row &row : rows) {
    for (int i = 0; i < Count; ++i)
      for (int k = 0; k < 3; ++k)
        in[3 * i + k] = row.kinds[k] == '_' ? 0 : operand(row.kinds[k], (i >> (2 * k)) ^ i);
    runRow(index++, Count, in.data(), out.data());
    bool approximate = std::string(row.name).starts_with("approx");
    int wrong = 0;
    double worst = 0;
    for (int i = 0; i < Count; ++i) {
      uint64_t mine = row.host(&in[3 * i]), apart = mine != out[i];
      if (!apart)
        continue;
      double ulps = distance(mine, out[i], row.result);
      if (approximate && ulps > worst)
        worst = ulps;
      bool print = approximate ? ulps > 4 && wrong < 6 : wrong < 4;
      wrong += approximate ? ulps > 4 : 1;
      if (print)
        std::printf("  %-24s %llx %llx %llx -> gpu %llx, ours %llx\n", row.name,
                    (unsigned long long)in[3 * i], (unsigned long long)in[3 * i + 1],
                    (unsigned long long)in[3 * i + 2], (unsigned long long)out[i], (unsigned long long)mine);
    }
    if (wrong || approximate)
      std::printf("%s: %d of %d differ%s\n", row.name, wrong, Count,
                  approximate ? (", largest distance " + std::to_string(worst)).c_str() : "");
    differing += wrong != 0;
  }
  std::printf("%d rows, %d of them differ\n", index, differing);
  return differing != 0;
}
