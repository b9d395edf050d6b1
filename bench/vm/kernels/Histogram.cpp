// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Blocks = 128, PerBlock = 8192, Bins = 256;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  const uint8_t *bytes = at.as<uint8_t>(1);
  uint32_t mine[Bins] = {};
  for (uint32_t i = begin * PerBlock; i < end * PerBlock; ++i)
    ++mine[bytes[i]];
  for (uint32_t bin = 0; bin < Bins; ++bin)
    __atomic_fetch_add(at.as<uint32_t>(0) + bin, mine[bin], __ATOMIC_RELAXED);
}

} // namespace

Case histogramCase() {
  return {.name = "histogram",
          .grid = {Blocks},
          .block = {Bins},
          .arguments = {result<uint32_t>(Bins, 0), random<uint8_t>(Blocks * PerBlock, 6), PerBlock},
          .native = native,
          .rows = Blocks};
}

} // namespace heddle::bench
