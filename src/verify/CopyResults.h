// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "verify/Compare.h"

#include <vector>

namespace heddle::verify {

/// What became of one device-to-host copy. compareLogs ends at the first that differs; a report wants all of them.
struct CopyResult {
  CopyDifference
      comparison; ///< `differing` is 0 and `what` empty where it passes; element and elements are always there
  std::optional<double>
      maxRelativeError; ///< over floating-point elements whose bits differ, those within tolerance included; nothing if the type is not known

  bool isSame() const { return !comparison.differing && comparison.what.empty(); }
};
std::vector<CopyResult> compareEachCopy(const std::string &fileA, const std::string &fileB,
                                        const Tolerance &tolerance);

} // namespace heddle::verify
