// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

#include <cmath>

namespace heddle::bench {
namespace {

constexpr uint32_t Bodies = 1024;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  float *acceleration = at.as<float>(0);
  const float *body = at.as<float>(1);
  for (uint32_t self = begin; self < end; ++self) {
    const float x = body[4 * self], y = body[4 * self + 1], z = body[4 * self + 2];
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (uint32_t j = 0; j < Bodies; ++j) {
      const float dx = body[4 * j] - x, dy = body[4 * j + 1] - y, dz = body[4 * j + 2] - z;
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float scale = body[4 * j + 3] * inverse * inverse * inverse;
      ax += dx * scale, ay += dy * scale, az += dz * scale;
    }
    acceleration[3 * self] = ax, acceleration[3 * self + 1] = ay, acceleration[3 * self + 2] = az;
  }
}

} // namespace

Case nbodyCase() {
  // Sums in another order: the tolerance is relative to the largest result.
  return {.name = "nbody",
          .grid = {Bodies / 256},
          .block = {256},
          .arguments = {result<float>(3 * Bodies, 1e-4), random<float>(4 * Bodies, 3), Bodies},
          .native = native,
          .rows = Bodies};
}

} // namespace heddle::bench
