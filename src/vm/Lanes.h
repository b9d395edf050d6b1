// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::vm {

constexpr unsigned Lanes = 32;
constexpr uint32_t AllLanes = ~0u;

inline unsigned countLanes(uint32_t mask) { return unsigned(std::popcount(mask)); }
inline unsigned firstLane(uint32_t mask) { return unsigned(std::countr_zero(mask)); }

/// Calls f(lane) for each lane of the mask, lowest first.
template <class F> inline void eachLane(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(std::countr_zero(mask)));
}

/// The loop over all lanes: every lane touches only its own elements, so rows that are the same row (d = d +
/// a) do not prevent vector code.
#define HEDDLE_EACH_LANE(LANE)                                                                               \
  _Pragma("clang loop vectorize(assume_safety) interleave(enable)") for (unsigned LANE = 0; LANE < Lanes;    \
                                                                         ++LANE)

} // namespace heddle::vm
