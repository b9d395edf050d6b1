// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a search that timed one launch by itself, its winner has to hold in the whole program: all launches together take no
// longer than with the baseline, and results are the same. Of candidates that do not hold, the next is tried, a few of them; then
// the baseline stays.
//
// Making, checking and compiling a whole program takes longer than running it, and runs have to wait for each other. So the
// programs of the best few are made while the search goes on: what is best may change often at its beginning and seldom later, and
// at its end they are there. A candidate that turns out to fail the static check, or not to compile, gives its place to the next.
#pragma once

#include "tune/Executors.h"
#include "tune/Report.h"

namespace heddle::tune {

/// Candidates of one program, or of one kernel of it after the other. Winners of several kernels are confirmed together: each with
/// those before it, and compared with them.
class Confirmation {
public:
  /// `whole` runs the whole program. `jobs`: programs that are made at a time while nothing else is done; while a search goes on, a
  /// quarter of them.
  explicit Confirmation(LocalExecutor &whole, unsigned jobs = 1) : whole(whole), jobs(jobs) {}
  /// Once this is true, no other candidate is run than the first of a search.
  void stopWhen(std::function<bool()> condition) { isTooLate = std::move(condition); }

  /// While a search goes on, after each result: what is best so far is made.
  void follow(const Report &report);
  /// The same, without a result: to be called again and again.
  void goOn() { whole.prepare(finalists, jobs / 4 + 1); }

  /// The report's winner is the one that held, and its `wholeProgram` has the times of all launches before and after. Others that
  /// were faster have the reason why they were not chosen.
  void confirm(Report &report);

  /// What holds, of all that was confirmed.
  const Configuration &chosen() const { return held; }
  /// Microseconds of all launches with the baseline, and with that.
  const std::optional<std::pair<double, double>> &times() const { return heldTimes; }

private:
  std::vector<Configuration> fewOf(const Report &report, const std::vector<size_t> &order, size_t from) const;
  bool isRejected(Report::Entry &entry, const Configuration &both) const;
  void waitFor(const Configuration &both);

  LocalExecutor &whole;
  const unsigned jobs;
  std::function<bool()> isTooLate = [] { return false; };
  std::vector<Configuration> finalists; ///< the best few, with what holds
  Configuration held;
  std::optional<std::pair<double, double>> heldTimes;
};

} // namespace heddle::tune
