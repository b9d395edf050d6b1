// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Plan.h"

#include <cstdint>
#include <set>
#include <string>

namespace heddle::check::test {

/// What is true of a plan, as ids of rules.
struct Truth {
  std::set<std::string> rules;
  /// Someone arrived at a barrier for a round that never came to an end, and no thread waits for it. Harmless, but probably a mistake; the oracle does not decide
  /// that.
  bool arrivalsLeft = false;
  /// Every schedule brings all of it about.
  bool isSettled = true;

  bool isClean() const { return rules.empty(); }
};

/// Checks a plan by trying several schedules of its warps. An independent and slow second opinion: it knows
/// nothing of PTX, of the simulator or of the checker, only what named barriers mean.
Truth rules(const Plan &plan, uint64_t seed);

} // namespace heddle::check::test
