// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::instrument {

/// What the host writes into the variable of an instrumented module before a launch. Instrumented code reads it by
/// these offsets (Instrument.cpp).
struct Header {
  uint64_t counters = 0;      ///< address of the first thread block's; 0: nothing is counted
  uint64_t bytesPerBlock = 0; ///< of thread blocks that are counted
  uint64_t warpOffset = 0;    ///< in these bytes: the rows of warps
  uint64_t valueOffset = 0;   ///< in these bytes: the rows of values
  uint32_t every = 1;         ///< thread blocks whose number is a multiple of this are counted
  uint32_t unused = 0;
};
static_assert(sizeof(Header) == 40);

/// The variable's name.
constexpr const char *HeaderName = "heddle_counting_header";

} // namespace heddle::instrument
