// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Width = 2048, Height = 1024;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  float *out = at.as<float>(0);
  const float *in = at.as<float>(1);
  for (uint32_t y = begin; y < end; ++y) {
    const float *row = in + y * Width;
    float *to = out + y * Width;
    if (y == 0 || y == Height - 1) {
      for (uint32_t x = 0; x < Width; ++x)
        to[x] = row[x];
      continue;
    }
    to[0] = row[0], to[Width - 1] = row[Width - 1];
#pragma omp simd
    for (uint32_t x = 1; x < Width - 1; ++x)
      to[x] = 0.5f * row[x] + 0.125f * (row[x - 1] + row[x + 1] + row[int(x) - int(Width)] + row[x + Width]);
  }
}

} // namespace

Case stencilCase() {
  return {.name = "stencil",
          .grid = {Width / 64, Height / 4},
          .block = {64, 4},
          .arguments = {result<float>(Width * Height, 1e-6), random<float>(Width * Height, 4), Width, Height},
          .native = native,
          .rows = Height};
}

} // namespace heddle::bench
