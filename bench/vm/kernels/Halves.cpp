// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Size = 256;

/// Halves as Clang has them on every host: it computes in float and rounds each result.
void native(const Arrays &at, uint32_t begin, uint32_t end) {
  _Float16 *c = at.as<_Float16>(0);
  const _Float16 *a = at.as<_Float16>(1), *b = at.as<_Float16>(2);
  for (uint32_t i = begin; i < end; ++i) {
    _Float16 *row = c + i * Size;
    for (uint32_t j = 0; j < Size; ++j)
      row[j] = 0;
    for (uint32_t k = 0; k < Size; ++k) {
      const float factor = float(a[i * Size + k]);
#pragma omp simd
      for (uint32_t j = 0; j < Size; ++j)
        row[j] = _Float16(factor * float(b[k * Size + j]) + float(row[j]));
    }
  }
}

} // namespace

Case halvesCase() {
  // OpenCL's half arithmetic is an extension that CPU implementations lack, so there is no halves.cl. A product in float
  // that is rounded twice may differ in the last bit of each step.
  return {.name = "halves",
          .grid = {Size / 2 / 32, Size / 8},
          .block = {32, 8},
          .arguments = {result<Half>(Size * Size, 2e-2), random<Half>(Size * Size, 12),
                        random<Half>(Size * Size, 13), Size},
          .native = native,
          .rows = Size};
}

} // namespace heddle::bench
