// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Campaign.h"

#include <chrono>

/// Prints progress on stderr: one line that rewrites itself on a terminal, a line for each result
/// in a log.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  void show(const heddle::runner::Progress &progress);
  void finish();

private:
  std::string timeLeft(const heddle::runner::Progress &progress) const;

  bool quiet, onTerminal;
  bool isShown = false;
  size_t shown = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};
