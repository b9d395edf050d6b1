// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Paths.h"
#include "support/Process.h"

#include <memory>
#include <vector>

namespace heddle {

/// A process that has been started and is not waited for: one thread can have many of them at work.
class StartedProcess {
public:
  explicit StartedProcess(ProcessRequest request);
  /// Kills it where it is still running.
  ~StartedProcess();
  StartedProcess(const StartedProcess &) = delete;
  StartedProcess &operator=(const StartedProcess &) = delete;

  /// Whether it has ended, by itself or by its time limit. Reads what it has printed: a process whose output nobody
  /// reads waits.
  bool isOver();
  /// Waits for its end.
  const ProcessResult &result();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Work in a copy of this process (runInCopy) that is not waited for.
class StartedCopy {
public:
  StartedCopy(double seconds, std::function<std::string()> work);

  bool isOver() { return process.isOver(); }
  const ProcessResult &result() { return process.result(); }

private:
  TemporaryFolder scratch; ///< ours, since the copy may be killed
  StartedProcess process;
};

/// Sleeps for a moment, as long as one may before asking isOver() again.
void waitForCopies();

/// Does each work in a copy of this process, `jobs` of them at a time; results in the order of `works`.
std::vector<ProcessResult> runInCopies(unsigned jobs, double seconds,
                                       const std::vector<std::function<std::string()>> &works);

/// The processors that this process may use.
unsigned processors();

} // namespace heddle
