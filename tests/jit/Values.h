// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <random>

namespace heddle::jit::test {

/// A value of an operand, low and high word.
struct Slot {
  uint64_t low = 0, high = 0;
};

/// The value number `index` of an operand of that width: first the special ones (zeros, infinities, NaNs with payloads,
/// subnormal numbers, limits of formats and integers, shift counts beyond the width), which `stride` repeats so that
/// operands with different strides meet in every combination; then random ones, special and near special ones among them.
Slot valueFor(unsigned bits, size_t index, size_t stride, std::mt19937_64 &random);

} // namespace heddle::jit::test
