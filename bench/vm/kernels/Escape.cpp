// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Width = 512, Height = 256, Most = 256;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  uint32_t *steps = at.as<uint32_t>(0);
  for (uint32_t y = begin; y < end; ++y)
    for (uint32_t x = 0; x < Width; ++x) {
      const float re = -2.0f + 3.0f * float(x) / float(Width), im = -1.5f + 3.0f * float(y) / float(Height);
      float u = 0, v = 0;
      uint32_t n = 0;
      while (n < Most && u * u + v * v <= 4.0f) {
        const float next = u * u - v * v + re;
        v = 2.0f * u * v + im;
        u = next;
        ++n;
      }
      steps[y * Width + x] = n;
    }
}

} // namespace

Case escapeCase() {
  // Whether products and sums are fused decides about a few points at the edge of the set.
  return {.name = "escape",
          .grid = {Width / 32, Height / 4},
          .block = {32, 4},
          .arguments = {result<uint32_t>(Width * Height, 0).exceptFor(0.02), Width, Height, Most},
          .native = native,
          .rows = Height};
}

} // namespace heddle::bench
