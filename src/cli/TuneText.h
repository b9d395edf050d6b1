// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "tune/Report.h"
#include "tune/Search.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::cli {

/// One line on a terminal that rewrites itself: how far a search is, the best so far, how many candidates a minute brings, and
/// what is left of the budget. Silent elsewhere.
class ProgressLine {
public:
  /// `begin`: of the command, which the budget is for.
  ProgressLine(const tune::Budget &budget, std::chrono::steady_clock::time_point begin);
  void show(const tune::Report &report);
  /// What is done before there is anything to show.
  void show(const std::string &text);
  void clear();

private:
  const tune::Budget budget;
  const bool isTerminal;
  const std::chrono::steady_clock::time_point begin;
  bool isShown = false;
};

/// Its text: "[38/73] best 1.38 ms, 1.75 times as fast (coarsen x=4)   142 per minute   23 s left". `seconds` since the
/// command began.
std::string progressText(const tune::Report &report, const tune::Budget &budget, double seconds);

/// How the winner is compiled: with its flags and those of the program, from the program's files. `hasPragmas`: directives are
/// applied on the way. To be pasted into a shell.
std::string compileCommand(const tune::Problem &problem, const tune::Configuration &winner,
                           const std::string &output, bool hasPragmas);

/// What predictions are for: the launch as it is, one that fills the device (--fill), or one of other arguments (--small).
enum class PredictedSize { AsLaunched, Filled, OfOtherArguments };

/// What a search found, for a person: counts, the baseline, the fastest `top`, what was written, and, where pragmas are to be
/// carried out still, by which command.
std::string tuneText(const tune::Report &report, size_t top, const std::string &output, bool hasPragmas,
                     const tune::Problem &problem, const arch::Arch &arch, PredictedSize size);

/// "41.3 us", "2.04 ms".
std::string timeText(double micros);

} // namespace heddle::cli
