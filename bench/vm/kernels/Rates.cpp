// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

#include <bit>
#include <cmath>

namespace heddle::bench {
namespace {

using std::fma, std::rint;
#define FUNCTION
#define GLOBAL
#define LONG int64_t
#define BITS_AS_DOUBLE(BITS) std::bit_cast<double>(BITS)
#include "Rates.h"

constexpr uint32_t Points = 2048;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  double *rate = at.as<double>(0);
  const double *concentration = at.as<double>(1), *temperature = at.as<double>(2),
               *logTemperature = at.as<double>(3);
#pragma omp simd
  for (uint32_t i = begin; i < end; ++i)
    ratesAt(rate, concentration, temperature[i], logTemperature[i], Points, i);
}

} // namespace

Case ratesCase() {
  std::vector<double> temperature(Points), logarithm(Points);
  Random next(14);
  for (uint32_t i = 0; i < Points; ++i) {
    temperature[i] = 800 + next() % 1600;
    logarithm[i] = std::log(temperature[i]);
  }
  return {.name = "rates",
          .grid = {Points / 64},
          .block = {64},
          .arguments = {result<double>(SPECIES_COUNT * Points, 1e-9),
                        random<double>(SPECIES_COUNT * Points, 15), given(temperature), given(logarithm),
                        Points},
          .native = native,
          .rows = Points};
}

} // namespace heddle::bench
