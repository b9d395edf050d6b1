// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Evaluation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

/// One thing that could be chosen, with its values: {"coarsen.x", {"1", "2", "4"}}.
struct Dimension {
  std::string name;
  std::vector<std::string> values;
};

/// A whole search, for output.
struct Report {
  std::string program;   ///< the file, as given
  std::string arguments; ///< of the program, as one would type them
  std::vector<std::string>
      spaceText;                     ///< "-d \"coarsen x=1|2|4\"", "--flag \"-maxrregcount=32|64\"", as given
  std::vector<std::string> notTried; ///< what -d auto could not offer, with the reason
  std::vector<Dimension> dimensions;
  uint64_t spaceSize = 0;             ///< distinct configurations, the baseline among them
  std::string strategy, budget, seed; ///< budget empty: none
  std::string device;                 ///< "NVIDIA H200", "sm_90 (model)"
  bool predicted = false;             ///< no clock was read: times are a model's
  double seconds = 0;                 ///< the whole search, this run
  uint64_t fromCache = 0;             ///< results that were there before
  uint64_t unkept = 0;                ///< results that the disk would not take

  struct Entry {
    Evaluation evaluation;
    double atSeconds = 0; ///< since the search began; 0 for what was in the cache
    bool fromCache = false;
    std::optional<double> predictedMicros; ///< the model's, where a clock was read too
    std::optional<double> bestMicros;      ///< the least of all up to this one
    std::string settings;                  ///< JSON object: a value for each dimension, as T4 wants it
    double decideSeconds = 0;              ///< its share of the time that the strategy took to choose
    std::string whyNotChosen;              ///< although its launch beats the baseline's; else empty
  };
  std::vector<Entry> entries; ///< in the order they were found out; the baseline is the first
  std::optional<size_t> best; ///< index of the fastest that was measured
  /// All launches of the program together with the baseline and with the winner, in microseconds, where candidates were timed
  /// by one launch alone.
  std::optional<std::pair<double, double>> wholeProgram;
  /// What is written, where it is not the winner's configuration alone: that of several kernels together.
  std::optional<Configuration> chosen;

  /// A kernel of a program of which several are tuned, each by itself.
  struct Kernel {
    std::string name;
    double share = 0;     ///< of all launches of the baseline, from 0 to 1
    bool isOfTime = true; ///< the share is of time, measured or predicted, else of instructions
    uint64_t launches = 0;
    std::string whyNot;                        ///< why it was not tuned; else empty
    size_t tried = 0;                          ///< configurations
    std::string best;                          ///< the configuration of the winner, for this kernel
    double baselineMicros = 0, bestMicros = 0; ///< of one launch
  };
  std::vector<Kernel>
      kernels; ///< the one that takes longest first, which `entries` are of; empty where there is only one

  std::string baselineText, winnerText; ///< the winner's: carried out, not the one with pragmas

  const Entry &baseline() const { return entries.front(); }
  /// What people should know of a baseline that fails the static check; else empty.
  std::string warning() const {
    return entries.empty() ? "" : warningOf(baseline().evaluation.result.failsCheck);
  }
  static std::string warningOf(const std::string &failsCheck) {
    return failsCheck.empty() ? ""
                              : "the baseline fails the static check: " + failsCheck +
                                    "; candidates are compared only by running them, not statically";
  }
  /// What the output is made of; there must be a winner.
  const Configuration &written() const { return chosen ? *chosen : winner()->evaluation.configuration; }
  const Entry *winner() const { return best ? &entries[*best] : nullptr; }
  /// How many times as fast as the baseline; 0 where there is no winner.
  double speedup() const {
    const Entry *fastest = winner();
    return fastest && fastest->evaluation.result.micros > 0
               ? baseline().evaluation.result.micros / fastest->evaluation.result.micros
               : 0;
  }
};

} // namespace heddle::tune
