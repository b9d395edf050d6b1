// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Constants.h"
#include "chem/Mechanism.h"

#include <optional>

namespace heddle::chem {

/// Where rates in single precision (NarrowProgram.h) are right.
struct FloatRange {
  /// From here on, up to `hottest`, nothing overflows; nothing where that is not even so at `hottest`.
  std::optional<double> lowest;           ///< K
  const Reaction *limiting = nullptr;     ///< what overflows below `lowest`; null where that is `coldest`
  static constexpr double coldest = 150;  ///< K; double precision is not valid below either
  static constexpr double hottest = 3000; ///< K
  static constexpr double pressure = 100 * oneAtmosphere; ///< Pa, the highest that is tried
  static constexpr double step = 10;                      ///< K
};

FloatRange floatRange(const Mechanism &mechanism);

} // namespace heddle::chem
