// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a program as C++ statements, for one point at a time on the device or for a vector of points
// on the host. A value that is used once and has no name of its own is inside the expression that uses
// it.
//
// Results go to `result`. Sums that only totals want are members of a struct `kept`, and so are results that
// a later segment adds to, where they are asked to wait for that.
#pragma once

#include "flow/Segments.h"
#include "kernels/Exponents.h"
#include "kernels/Printer.h"
#include "model/Thresholds.h"

#include <array>
#include <string>
#include <vector>

namespace heddle::kernels {

/// Constants that depend on which side of a threshold a value lies, kept in shared memory on the device: the
/// rows for below the thresholds first, then as many for above.
struct StepTable {
  std::vector<std::array<double, 2>> below, above; ///< double2 each
};

struct StatementOptions {
  unsigned powersAtATime = 0; ///< that loops take; 0 is no loops
  unsigned spilledRows =
      0; ///< most values that are in shared memory while loops take powers (SharedSpills.h)
  bool resultsWait = false;
  unsigned mostInRegisters = model::threshold::chemistry::mostInLoops; ///< beside loops, as far as rows allow
};

/// All segments of a program.
struct Statements {
  std::vector<std::string> segments; ///< everything that one point needs for each
  StepTable table;
  PowerLoops powers;
  std::vector<std::string> kept; ///< members that `kept` has to have
  unsigned spilledRows = 0;      ///< rows after those of powers
  unsigned loopCount = 0;
  unsigned long crowding = 0; ///< values in registers beyond `mostInRegisters`, for each power of a loop
};

/// The text of each segment, in this order. Sums that segments before it have stored are added to. With loops
/// there must be `shortPowers<COUNT>(row, exponents, first, lT, rT)` and `longPowers<COUNT>(row, exponents, first,
/// T, lT, rT)`, which take powers of rows from `first` on into row[0], row[threads], row[2 * threads] and so on. What
/// is read before and after loops goes through `spill<NUMBER>(row, value)` and `reload<NUMBER>(row, value)`.
Statements statementsOf(const flow::Program &program, const std::vector<flow::Segment> &segments,
                        const Target &target, const StatementOptions &options = {});

} // namespace heddle::kernels
