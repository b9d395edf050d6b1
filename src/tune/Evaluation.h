// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"
#include "tune/Configuration.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::tune {

/// What was found out about a configuration.
struct Evaluation {
  Configuration configuration;
  runner::Result result;
  std::string digest; ///< of the program it gave; empty where it gave none
  std::string sameAs; ///< id of an earlier candidate that is the very same program; empty for none
};

/// Called for each evaluation as soon as it is known; false: enough, begin no other.
using Heard = std::function<bool(const Evaluation &)>;

/// Proposes configurations while others are being evaluated. Empty: none until further results are known.
using More = std::function<std::vector<Configuration>()>;

/// Carries configurations out and measures them. One process does them one after the other; ranks of MPI share them.
class Executor {
public:
  virtual ~Executor() = default;
  /// Evaluates each, in any order. `heard` is called from the caller's own thread.
  virtual void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) = 0;
  /// Evaluates what `more` has, as long as it has something. An executor that can begins some before others are heard.
  virtual void evaluateAll(const More &more, const Heard &heard) {
    bool goesOn = true;
    for (std::vector<Configuration> next; goesOn && !isEnough() && !(next = more()).empty();)
      evaluate(next, [&](const Evaluation &evaluation) { return goesOn = heard(evaluation); });
  }
  /// From now on the executor begins nothing, and gives up what it waits for, once this is true.
  void stopWhen(std::function<bool()> condition) { isEnough = std::move(condition); }
  /// Called again and again while the executor waits; must return at once.
  void whileWaiting(std::function<void()> work) { meanwhile = std::move(work); }

protected:
  std::function<void()> meanwhile = [] {};
  std::function<bool()> isEnough = [] { return false; };
};

} // namespace heddle::tune
