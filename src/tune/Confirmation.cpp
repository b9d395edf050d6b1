// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Confirmation.h"

#include "support/Demangle.h"
#include "support/StartedProcess.h"
#include "tune/Gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::tune {
namespace {

using runner::Result;
using runner::Status;

/// Each costs a run of the program.
constexpr size_t mostTried = 3;
/// Candidates that fail the static check, where that was not known before.
constexpr size_t mostRejected = 12;

/// So much longer may a candidate take that computes the same bits as the baseline, and still be preferred to one that does not: to
/// decide that the other is right takes several runs of the program, and people would rather have the same bits.
constexpr double worthOfSameBits = 0.01;

/// Entries that beat the baseline: the search's winner first, then the fastest first.
std::vector<size_t> inOrder(const Report &report) {
  std::vector<size_t> faster;
  for (size_t i = 1; i < report.entries.size(); ++i)
    if (beats(report.entries[i].evaluation.result, report.baseline().evaluation.result))
      faster.push_back(i);
  const auto resultOf = [&](size_t i) -> const Result & { return report.entries[i].evaluation.result; };
  std::ranges::stable_sort(faster, {}, [&](size_t i) {
    return resultOf(i).micros * (hasSameBits(resultOf(i)) ? 1 : 1 + worthOfSameBits);
  });
  const auto winner = report.best ? std::ranges::find(faster, *report.best) : faster.end();
  if (winner != faster.end() && (hasSameBits(resultOf(*winner)) || !hasSameBits(resultOf(faster.front()))))
    std::rotate(faster.begin(), winner, winner + 1);
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

/// The first few from that place of `order` on, together with what holds already.
std::vector<Configuration> Confirmation::fewOf(const Report &report, const std::vector<size_t> &order,
                                               size_t from) const {
  std::vector<Configuration> few;
  for (size_t i = from; i < order.size() && few.size() < mostTried; ++i)
    if (Configuration both = together(held, report.entries[order[i]].evaluation.configuration);
        both.str() != held.str() && !whole.rejected(both))
      few.push_back(std::move(both));
  return few;
}

void Confirmation::follow(const Report &report) {
  if (report.winner())
    finalists = fewOf(report, inOrder(report), 0);
  goOn();
}

/// Until it is compiled, or rejected.
void Confirmation::waitFor(const Configuration &both) {
  while (!whole.isPrepared(both)) {
    whole.prepare(finalists, jobs);
    waitForCopies();
  }
}

bool Confirmation::isRejected(Report::Entry &entry, const Configuration &both) const {
  const Made *made = whole.rejected(both);
  if (!made)
    return false;
  if (made->status == Status::FailsCheck) { // which is nobody's bad luck
    entry.evaluation.result.status = made->status;
    entry.evaluation.result.reason = made->reason;
  }
  entry.whyNotChosen = fmt::format("{}: {}", runner::nameOf(made->status), made->reason);
  return true;
}

void Confirmation::confirm(Report &report) {
  if (report.entries.empty())
    return;
  const std::vector<size_t> order = report.best && *report.best > 0 ? inOrder(report) : std::vector<size_t>();
  report.best = report.best ? std::optional<size_t>(0) : std::nullopt;
  std::optional<Result> before;
  size_t tried = 0, waited = 0;
  for (size_t i = 0; i < order.size() && tried < mostTried && waited < mostRejected; ++i) {
    Report::Entry &entry = report.entries[order[i]];
    const Configuration both = together(held, entry.evaluation.configuration);
    if (both.str() == held.str()) {
      entry.whyNotChosen = "a kernel that takes longer is fastest with other values of the same options";
      continue;
    }
    if (isRejected(entry, both)) // known already
      continue;
    if (tried + waited > 0 && isTooLate()) {
      entry.whyNotChosen = "the budget is used up: it was not run in the whole program";
      break;
    }
    finalists = fewOf(report, order, i);
    waitFor(both);
    if (isRejected(entry, both)) {
      ++waited;
      continue;
    }
    ++tried;
    if (!before)
      before = whole.evaluate(held).result;
    if (before->status != Status::Measured) {
      entry.whyNotChosen = "the whole program cannot be timed";
      break;
    }
    const Result after = whole.evaluate(both).result;
    entry.whyNotChosen = whyNot(*before, after);
    if (entry.whyNotChosen.empty()) {
      report.best = order[i];
      report.chosen = held = both;
      report.wholeProgram = {before->micros, after.micros};
      heldTimes = {heldTimes ? heldTimes->first : before->micros, after.micros};
      break;
    }
  }
  if (const std::string fails = whole.failsCheckOfBaseline(); !fails.empty())
    report.entries.front().evaluation.result.failsCheck = fails;
}

} // namespace heddle::tune
