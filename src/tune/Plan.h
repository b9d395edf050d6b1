// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Cache.h"
#include "tune/Maker.h"
#include "tune/Space.h"

#include <functional>
#include <map>

namespace heddle::tune {

/// A folder with everything that a machine with a GPU and without Heddle needs to measure candidates:
///
///     manifest.json, candidates/ID/NAME.cu      for heddle-runner, which writes results.jsonl beside them
///     treeN/                                    the program's other files
///     runtime/heddle/, timing/                  headers that candidates include; the library that times them
///     plan.json                                 what is not for the runner: configurations that gave nothing, or
///     nothing new
///
/// A folder may be written again, with more candidates: results that lie there stay, under the names of what
/// they are results of.
class Plan {
public:
  Plan(const Problem &problem, std::filesystem::path folder);

  /// Takes the next configuration with what was made of it. The first must be the baseline.
  void add(const Configuration &configuration, const Made &made);
  /// Candidates that the runner will have to measure.
  size_t size() const { return candidates.size(); }
  /// What the static check holds against the baseline; empty for nothing.
  std::string baselineFails() const { return entries.empty() ? "" : entries.front().result.failsCheck; }

  /// Empty, or what is in the way.
  std::string write() const;

  unsigned warmUps = 3, rounds = 21;
  unsigned copies = 0; ///< the program ends after so many copies from the device; 0: by itself

private:
  std::string writeManifest() const;
  void writeEntries() const;
  std::string copyOurFiles() const;
  std::string copyArguments() const;

  const Problem &problem;
  std::filesystem::path folder;
  std::vector<Candidate> candidates;
  std::vector<Kept> entries; ///< of every configuration; status Lost: the runner will report it
  std::map<std::string, std::string> known; ///< id by digest
};

/// Makes configurations and writes the plan of them, the baseline first. `made` gets how many are done. Empty, or
/// what is in the way.
std::string writePlanOf(const std::vector<Configuration> &configurations, Maker &maker, Plan &plan,
                        const std::function<void(size_t made, size_t of)> &made);

/// The results of a plan that was measured elsewhere.
struct Collected {
  std::map<std::string, Kept> byId; ///< everything that is known of the plan's configurations
  size_t missing = 0;               ///< configurations without a result yet
  std::string device;               ///< of those that were measured
};
/// Nothing, and `error`, where the folder is no plan of this problem.
std::optional<Collected> collect(const std::filesystem::path &folder, const Problem &problem,
                                 std::string &error);

/// Puts results into a cache, as if it had been measured here; what the cache holds already is not
/// changed. Gives how many were new. Only configurations of the space are known by more than their words, so only
/// those are taken.
size_t takeOver(const Collected &collected, const Space &space, const Problem &problem, Cache &cache);

} // namespace heddle::tune
