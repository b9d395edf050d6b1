// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "verify/LaunchChecks.h"

#include <string>
#include <vector>

namespace heddle::verify {

/// Whether the findings of an emitted kernel are the original's as well.
///
/// Two findings are the same where they are of one rule and the lines that they name, the finding's own and
/// those of its notes, read the same: numbers of lines change. A line that a directive rewrote reads
/// differently; then the finding counts as a new one.
struct Sameness {
  bool originalFails = false; ///< a kernel of that name fails in the original
  bool areAllKnown = false;   ///< and so that each finding of the emitted kernel is among its own
};

/// Both results must have their source lines (check::addSourceLines).
Sameness compareFindings(const std::string &kernel, const check::StaticResult &emitted,
                         const std::vector<LaunchChecks::Kernel> &original);

} // namespace heddle::verify
