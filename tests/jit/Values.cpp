// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Values.h"

#include <span>

namespace heddle::jit::test {
namespace {

// The first ones of each list are combined with each other.
constexpr uint64_t Special16[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x3f80, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7fff, 0xffff, 0x7e00,
    0xfe01, 0x7c01, 0x7f81, 1,      0x8001, 0x03ff, 0x0400, 0x7bff, 0x007f, 0x0080, 0x7f7f, 2,
    0x8400, 0xfbff, 0x3555, 0x3800, 0x4248, 0x5bff, 0x6400, 0x7801, 15,     16,     17,     31,
    32,     255,    256,    0x00ff, 0x8080, 0x3bff, 0x1400, 0x0bff, 0x4049, 0x1234};
constexpr uint64_t Special32[] = {
    0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0xffffffff, 0x7fc00000,
    0xffc01234, 0x7f800001, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 2, 31, 32, 33,
    0x3f000000, 0x4f000000, 0x00010001,
    // floating point: halves, limits of integers and of the other formats, tiny products
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000,
    0x4f7fffff, 0x5f000000, 0x5f800000, 0xdf000000, 0x5effffff, 0x477fe000, 0x477ff000, 0x477fefff,
    0x38800000, 0x387fc000, 0x33800000, 0x33000000, 0x33000001, 0x7f7f8000, 0x7f7f7fff, 0x00008000,
    0x00007fff, 0x80800000, 0x7e800000, 0x7e800001, 0x7f000000, 0x00ffffff, 0x1fffffff, 0x20000000,
    0x43000000, 0x437f0000, 0x42fe0000, 0x47000000, 0x46fffe00, 0x3f7fffff, 0x3f800001, 0x4b000000,
    0x4b7fffff, 0x42af0000, 0xc2ce8000, 0xc3150000, 0x43000001,
    // integers, shift counts, packed halves
    3, 7, 15, 16, 24, 63, 64, 65, 127, 128, 255, 256, 257, 0xffff, 0x10000, 0x7fffffffu - 1, 0xfffffffe,
    0x7c00fc00, 0x7e017fff, 0x3c00bc00, 0x00018001, 0x7bff03ff, 0x04000400, 0x7f80ff80, 0x7f813f80,
    0x80008000};
constexpr uint64_t Special64[] = {
    0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff8000000000000, 0xfff8000012345678, 0x7ff0000000000001,
    0xfff4000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 2,
    0x00000000ffffffff, 0x0000000100000000, 0x7fefffffe0000000, 63, 64, 0xfffffffffffffffe,
    // floating point: halves, limits of integers and of f32
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
    0x43e0000000000000, 0x43dfffffffffffff, 0xc3e0000000000000, 0x43f0000000000000, 0x43efffffffffffff,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000, 0x3810000000000000,
    0x380fffffffffffff, 0x380fffffe0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
    0x3680000000000000, 0x40effc0000000000, 0x40effe0000000000, 0x3f10000000000000, 0x3e70000000000000,
    0x3e60000000000000, 0x3e60000000000001, 0x0000000080000000, 0x7ff00000ffffffff,
    // integers
    3, 31, 32, 65, 255, 256, 0x001fffffffffffff, 0x0020000000000001, 0x0020000000000003, 0x7ffffffffffffdff,
    0x7ffffffffffffe00, 0xfffffffffffff800, 0xfffffffffffff7ff, 0xffffffff80000000, 0x3f8000003f800000,
    0x7f800000ff800000, 0x0000000180000001, 0x00800000007fffff};

std::span<const uint64_t> specialOf(unsigned bits) {
  if (bits == 16)
    return Special16;
  return bits == 32 ? std::span<const uint64_t>(Special32) : std::span<const uint64_t>(Special64);
}

constexpr size_t Combined = 24;

/// Bits of a number whose exponent is near the middle of the range or near one of its ends, with few or many bits set.
uint64_t near(unsigned bits, std::mt19937_64 &random) {
  const uint64_t word = random();
  const unsigned fraction = bits == 16   ? (word & 1 ? 10 : 7)
                            : bits == 32 ? 23
                                         : 52,
                 exponentBits = bits - 1 - fraction;
  const uint64_t middle = (uint64_t(1) << (exponentBits - 1)) - 1, spread = random() % 64;
  const uint64_t exponents[] = {
      middle + spread - 32,    middle / 2 + spread - 32, spread / 8,
      middle + spread / 8 - 4, 2 * middle - spread / 8,  middle + spread + middle / 8};
  uint64_t exponent =
      exponents[word >> 8 & 7 ? (word >> 8 & 7) % 6 : 0] & ((uint64_t(1) << exponentBits) - 1);
  uint64_t mantissa = random();
  switch (word >> 16 & 3) {
  case 0: mantissa &= random() & random(); break;
  case 1: mantissa |= random() | random(); break;
  case 2: mantissa &= ~uint64_t(0) << (random() % fraction); break;
  default: break;
  }
  return (word >> 20 & 1) << (bits - 1) | exponent << fraction | (mantissa & ((uint64_t(1) << fraction) - 1));
}

uint64_t randomValue(unsigned bits, std::mt19937_64 &random) {
  const auto special = specialOf(bits);
  switch (random() % 8) {
  case 0:
  case 1: return special[random() % special.size()];
  case 2: return special[random() % special.size()] + random() % 5 - 2;
  case 3: return random() % 300;
  case 4: return random();
  case 5: return bits > 16 ? near(16, random) | near(16, random) << 16 | near(32, random) << 32 : random();
  default: return near(bits, random);
  }
}

} // namespace

Slot valueFor(unsigned bits, size_t index, size_t stride, std::mt19937_64 &random) {
  if (bits == 1)
    return {random() & 1, 0};
  if (bits == 128)
    return {random(), random()};
  const auto special = specialOf(bits);
  uint64_t value = 0;
  if (index < Combined * Combined && stride < Combined * Combined)
    value =
        special[index / stride % (stride == 1 ? std::min(special.size(), Combined * Combined) : Combined)];
  else
    value = randomValue(bits, random);
  return {bits < 64 ? value & ((uint64_t(1) << bits) - 1) : value, 0};
}

} // namespace heddle::jit::test
