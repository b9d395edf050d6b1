// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace heddle::transform {

/// Where the places of a changed text are in the text as the user gave it: messages name those.
///
/// A line that was left as it is keeps its column. One that was rewritten, or put in, leads to the line that
/// it came to stand for: the first of those that are gone there, or the one in front of it.
class OriginalPlaces {
public:
  OriginalPlaces(const std::string &original, const std::string &now);
  Place of(const Place &place) const;

private:
  struct Line {
    size_t original = 0;
    bool isSame = false;
  };
  void match(size_t now, size_t nowEnd, size_t old, size_t oldEnd);

  std::vector<std::string> original, now;
  std::vector<Line> lines; ///< for each of `now`
};

} // namespace heddle::transform
