// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Size = 256;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  float *c = at.as<float>(0);
  const float *a = at.as<float>(1), *b = at.as<float>(2);
  for (uint32_t i = begin; i < end; ++i) {
    float *row = c + i * Size;
    for (uint32_t j = 0; j < Size; ++j)
      row[j] = 0;
    for (uint32_t k = 0; k < Size; ++k) {
      const float factor = a[i * Size + k];
#pragma omp simd
      for (uint32_t j = 0; j < Size; ++j)
        row[j] += factor * b[k * Size + j];
    }
  }
}

} // namespace

Case matrixCase() {
  return {.name = "matrix",
          .grid = {Size / 16, Size / 16},
          .block = {16, 16},
          .arguments = {result<float>(Size * Size, 1e-5), random<float>(Size * Size, 1),
                        random<float>(Size * Size, 2), Size},
          .native = native,
          .rows = Size};
}

} // namespace heddle::bench
