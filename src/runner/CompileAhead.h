// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/CandidateRuns.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace heddle::runner {

/// Compiles candidates on several threads, in order, and hands them out in that order. Compilers stay only a
/// few candidates ahead of their consumer: programs may be large.
class CompileAhead {
public:
  CompileAhead(const CandidateRuns &measurer, std::vector<const Candidate *> candidates, unsigned jobs);
  /// Those not yet begun are not compiled any more.
  ~CompileAhead();

  /// The next one, when it is there. To be called as often as there are candidates.
  Compiled take();

private:
  void work();

  const CandidateRuns &measurer;
  std::vector<const Candidate *> candidates;
  std::vector<std::optional<Compiled>> ready;
  size_t begun = 0, taken = 0, ahead;
  bool stopped = false;
  std::mutex guard;
  std::condition_variable changed;
  std::vector<std::thread> threads;
};

} // namespace heddle::runner
