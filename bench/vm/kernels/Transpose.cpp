// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Size = 1024, Tile = 32;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  float *out = at.as<float>(0);
  const float *in = at.as<float>(1);
  for (uint32_t tile = begin; tile < end; ++tile)
    for (uint32_t first = 0; first < Size; first += Tile)
      for (uint32_t i = tile * Tile; i < (tile + 1) * Tile; ++i)
#pragma omp simd
        for (uint32_t j = first; j < first + Tile; ++j)
          out[i * Size + j] = in[j * Size + i];
}

} // namespace

Case transposeCase() {
  return {.name = "transpose",
          .grid = {Size / Tile, Size / Tile},
          .block = {Tile, 8},
          .arguments = {result<float>(Size * Size, 0), random<float>(Size * Size, 5), Size},
          .native = native,
          .rows = Size / Tile};
}

} // namespace heddle::bench
