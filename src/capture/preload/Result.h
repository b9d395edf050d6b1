// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/preload/Survey.h"

namespace heddle::capture {

/// What the library did, for `heddle capture`.
struct Result {
  struct Captured {
    std::string folder;
    uint64_t launch = 0;
  };
  std::vector<Captured> captured;
  std::string refused;   ///< why a launch that was meant could not be captured
  bool isAtRest = false; ///< all launches so far have ended, and are measured (DeviceTurn.h)
};

/// All or nothing: the program may end at any time.
bool writeResult(const std::string &file, const Result &result, const Survey &survey);

} // namespace heddle::capture
