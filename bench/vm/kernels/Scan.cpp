// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Blocks = 2048, Segment = 256;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  uint32_t *out = at.as<uint32_t>(0);
  const uint32_t *in = at.as<uint32_t>(1);
  for (uint32_t block = begin; block < end; ++block) {
    uint32_t sum = 0;
    for (uint32_t i = block * Segment; i < (block + 1) * Segment; ++i)
      out[i] = sum += in[i];
  }
}

} // namespace

Case scanCase() {
  return {.name = "scan",
          .grid = {Blocks},
          .block = {Segment},
          .arguments = {result<uint32_t>(Blocks * Segment, 0), random<uint32_t>(Blocks * Segment, 7)},
          .native = native,
          .rows = Blocks};
}

} // namespace heddle::bench
