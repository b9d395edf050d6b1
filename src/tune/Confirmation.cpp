// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Confirmation.h"

#include "support/Demangle.h"
#include "tune/Gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

/// Microseconds of all launches of each kernel, by its name with template arguments: its mangled name changes with its parameters.
std::map<std::string, double> timesByKernel(const Result &result) {
  std::map<std::string, double> times;
  for (const runner::KernelTime &time : result.kernels)
    times[functionName(time.kernel)] += time.micros * double(time.launches);
  return times;
}

/// ": 'scan<1>' takes 80.5 us instead of 90.1 us, but 'scan<8>' takes 70.2 us instead of 52.0 us"; empty where the program has no more
/// than one kernel. Of those that became slower, the one that loses most is named, and the one that gains most of the others.
std::string byKernel(const Result &before, const Result &after) {
  const std::map<std::string, double> old = timesByKernel(before), now = timesByKernel(after);
  if (old.size() < 2)
    return {};
  std::vector<std::pair<double, std::string>> changes; // the one that gains most first
  for (const auto &[kernel, micros] : old)
    if (const auto found = now.find(kernel); found != now.end())
      changes.emplace_back(found->second - micros, kernel);
  std::ranges::sort(changes);
  const auto text = [&](const std::string &kernel) {
    return fmt::format("'{}' takes {:.1f} us instead of {:.1f} us", kernel, now.at(kernel), old.at(kernel));
  };
  if (changes.empty() || changes.back().first <= 0)
    return {};
  const std::string slower = text(changes.back().second);
  return changes.front().first < 0 ? fmt::format(": {}, but {}", text(changes.front().second), slower)
                                   : ": " + slower;
}

/// Why a candidate does not hold in the whole program; empty where it does.
std::string whyNot(const Result &before, const Result &after) {
  if (after.status != Status::Measured)
    return fmt::format("in the whole program: {}",
                       after.reason.empty() ? runner::nameOf(after.status) : after.reason);
  return after.micros <= before.micros
             ? ""
             : fmt::format("in the whole program its launches take {:.1f} us, the baseline's {:.1f} us{}",
                           after.micros, before.micros, byKernel(before, after));
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
    std::string &why = report.entries[index].whyNotChosen;
    const Configuration both = together(chosen, report.entries[index].evaluation.configuration);
    if (both.str() == chosen.str()) {
      why = "a kernel that takes longer is fastest with other values of the same options";
      continue;
    }
    const Result after = whole.evaluate(both).result;
    if (before.status == Status::Measured && whyNot(before, after).empty()) {
      report.best = index;
      report.chosen = both;
      report.wholeProgram = {before.micros, after.micros};
      return;
    }
    why = before.status == Status::Measured ? whyNot(before, after) : "the whole program cannot be timed";
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
