// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Confirmation.h"

#include "tune/Gain.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::tune {
namespace {

using runner::Result;
using runner::Status;

/// Each costs the program's compilation and run.
constexpr size_t mostTried = 3;

/// Entries that beat the baseline, the fastest first.
std::vector<size_t> fasterOnes(const Report &report) {
  std::vector<size_t> faster;
  for (size_t i = 1; i < report.entries.size(); ++i)
    if (beats(report.entries[i].evaluation.result, report.baseline().evaluation.result))
      faster.push_back(i);
  std::ranges::stable_sort(faster, {}, [&](size_t i) { return report.entries[i].evaluation.result.micros; });
  return faster;
}

/// Why a candidate does not hold in the whole program; empty where it does.
std::string whyNot(const Result &before, const Result &after) {
  if (after.status != Status::Measured)
    return fmt::format("in the whole program: {}",
                       after.reason.empty() ? runner::nameOf(after.status) : after.reason);
  return after.micros <= before.micros
             ? ""
             : fmt::format("in the whole program its launches take {:.1f} us, the baseline's {:.1f} us",
                           after.micros, before.micros);
}

} // namespace

void confirmWinner(Report &report, LocalExecutor &whole, const Configuration &chosen) {
  if (!report.best || *report.best == 0)
    return;
  const Result before = whole.evaluate(chosen).result;
  std::vector<size_t> candidates = fasterOnes(report);
  if (auto winner = std::ranges::find(candidates, *report.best); winner != candidates.end())
    std::rotate(candidates.begin(), winner, winner + 1);
  candidates.resize(std::min(candidates.size(), mostTried));
  report.best = 0;
  for (size_t index : candidates) {
    Result &replayed = report.entries[index].evaluation.result;
    const Configuration both = together(chosen, report.entries[index].evaluation.configuration);
    if (both.str() == chosen.str()) {
      replayed.reason = "a kernel that takes longer is fastest with other values of the same options";
      continue;
    }
    const Result after = whole.evaluate(both).result;
    if (before.status == Status::Measured && whyNot(before, after).empty()) {
      report.best = index;
      report.chosen = both;
      report.wholeProgram = {before.micros, after.micros};
      return;
    }
    replayed.reason =
        before.status == Status::Measured ? whyNot(before, after) : "the whole program cannot be timed";
  }
}

void confirmTogether(std::vector<Report> &reports, LocalExecutor &whole) {
  Configuration chosen;
  std::optional<std::pair<double, double>> times;
  for (Report &report : reports) {
    confirmWinner(report, whole, chosen);
    if (!report.chosen)
      continue;
    chosen = *report.chosen;
    times = {times ? times->first : report.wholeProgram->first, report.wholeProgram->second};
  }
  reports.front().chosen = chosen;
  reports.front().wholeProgram = times;
}

} // namespace heddle::tune
