// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Report.h"
#include "tune/Search.h"

#include <cstdint>
#include <string>

namespace heddle::cli {

/// One line on a terminal that rewrites itself: how far a search is, and the best so far. Silent elsewhere.
class ProgressLine {
public:
  explicit ProgressLine(const tune::Budget &budget);
  void show(const tune::Report &report);
  void clear();

private:
  const tune::Budget budget;
  const bool isTerminal;
  bool isShown = false;
};

/// What a search found, for a person: counts, the baseline, the fastest `top`, what was written, and, where pragmas are to be
/// carried out still, by which command.
std::string tuneText(const tune::Report &report, size_t top, const std::string &output, bool hasPragmas);

/// "41.3 us", "2.04 ms".
std::string timeText(double micros);

} // namespace heddle::cli
