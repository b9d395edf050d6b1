// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"
#include "tune/Candidate.h"

#include <string>

namespace heddle::tune {

/// Finds out how long a candidate takes, and whether it computes what the baseline computes.
///
/// Whatever a candidate does (hang, crash, produces something else, not compile) becomes a Result with a
/// status and a reason; a measurer never throws for it, never waits longer than the problem's limits, and
/// leaves no process behind.
class Measurer {
public:
  virtual ~Measurer() = default;

  /// "NVIDIA H200", "sm_90 (model)"; results of other devices are not taken from a cache.
  virtual std::string device() const = 0;
  /// Times are a model's, not a clock's.
  virtual bool predicts() const = 0;
  /// Compiles and runs the baseline, which all others are compared with. Called once, before any other. What
  /// is wrong with it is wrong with the whole search.
  virtual runner::Result measureBaseline(const Candidate &baseline) = 0;
  /// `id` of the result is the candidate's.
  virtual runner::Result measure(const Candidate &candidate) = 0;
  /// Begins what `measure` would have to wait for, such as a compiler, and does not wait.
  virtual void beginToPrepare(const Candidate &) {}
  /// False while something that beginToPrepare() began for it is at work.
  virtual bool isPrepared(const Candidate &) { return true; }
};

} // namespace heddle::tune
