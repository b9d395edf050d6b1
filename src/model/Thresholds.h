// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thresholds of Thresholds.def as constants, and as rows for output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::model {

/// model::threshold::coarsen::leastGain and so on: use these, not the rows.
namespace threshold {
#define THRESHOLD(GROUP, NAME, TYPE, VALUE, UNIT, DECIDES, ORIGIN, WHERE)                                    \
  namespace GROUP {                                                                                          \
  inline constexpr TYPE NAME = VALUE;                                                                        \
  }
#include "model/Thresholds.def"
} // namespace threshold

/// How a value came about; Thresholds.def says what each means.
enum class Origin { Measured, Checked, Paper, Vendor, Chosen };
std::string_view nameOf(Origin origin); ///< "measured"

struct Threshold {
  std::string_view group, name;
  double value = 0;
  std::string_view unit, decides;
  Origin origin = Origin::Chosen;
  std::string_view where;
};

/// All rows, in the order of the file.
const std::vector<Threshold> &thresholds();

/// docs/thresholds.md, the part between its markers.
std::string thresholdsPage();

} // namespace heddle::model
