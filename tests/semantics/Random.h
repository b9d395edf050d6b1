// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random operands for sweeps. The seed is fixed, printed with every failure, and can be set from outside.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace heddle::semantics {

struct Random {
  uint64_t seed = std::getenv("HEDDLE_SEED") ? std::strtoull(std::getenv("HEDDLE_SEED"), nullptr, 0) : 20261;
  std::mt19937_64 engine{seed};

  uint64_t bits() { return engine(); }
  uint64_t below(uint64_t limit) { return engine() % limit; }
  /// Integers of every size, not only large ones.
  template <class T> T integer() {
    uint64_t magnitude = bits() >> below(64);
    return T(below(2) ? magnitude : uint64_t(0) - magnitude);
  }
  double unit() { return double(bits() >> 11) * 0x1p-53; }

  /// Floats of every kind: any bits, or near another one's exponent, where sums cancel, or among the
  /// subnormals.
  float anyFloat() {
    uint32_t word = uint32_t(bits());
    switch (below(4)) {
    case 0: word = (word & 0x81ffffffu) | 0x3e000000u; break;
    case 1: word = (word & 0x81ffffffu) | uint32_t(below(2) * 0x20000000u); break;
    case 2: word = (word & 0xff80000fu); break;
    default: break;
    }
    return std::bit_cast<float>(word);
  }
  double anyDouble() {
    uint64_t word = bits();
    switch (below(4)) {
    case 0: word = (word & 0x803fffffffffffffu) | 0x3fc0000000000000u; break;
    case 1: word = (word & 0x803fffffffffffffu) | below(2) * 0x2000000000000000u; break;
    case 2: word = word & 0xfff000000000001fu; break;
    default: break;
    }
    return std::bit_cast<double>(word);
  }
  std::string trace() const { return "HEDDLE_SEED=" + std::to_string(seed); }
};

} // namespace heddle::semantics
