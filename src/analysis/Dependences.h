// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

/// Two accesses of different threads of one block that touch the same memory, at least one of them writing.
///
/// CREST's two conditions: (i) they access the same location; (ii) a barrier between them puts them in order.
/// Where (i) holds and (ii) does not, the kernel has a race.
struct Dependence {
  enum class Kind { Flow, Anti, Output };
  Kind kind = Kind::Flow;
  unsigned source = 0, sink = 0; ///< numbers of accesses; where there is an order, the source comes first
  bool isOrdered = false;        ///< a barrier is between them whenever they touch the same location
  bool isAtomic = false;         ///< both are atomic: no race even without a barrier
  /// Proved to happen for some launch. Otherwise it could not be excluded, and `reason` says what is in the
  /// way.
  bool isCertain = false;
  std::string reason;
  /// Sink's thread minus source's: the constant distance in each dimension, where it is one.
  std::array<std::optional<int64_t>, 3> distance;
  /// The sign of that distance where all instances agree: -1, 0, 1.
  std::array<std::optional<int>, 3> direction;

  bool isRace() const { return !isOrdered && !isAtomic; }
};

const char *nameOf(Dependence::Kind kind);

/// Limits on the work spent, so that a generated kernel with thousands of accesses ends in time.
struct DependenceLimits {
  unsigned pairs = 3000; ///< questions of the form "may these two touch the same location"
  unsigned long operationsPerQuestion = 60000; ///< isl's, each well under a microsecond
  unsigned long operations = 6'000'000;        ///< spent on questions that were too hard, all together
};

/// Dependences between threads of a block through shared and global memory.
///
/// Accesses with the same form in the same region are looked at once. What is not affine is assumed to
/// depend, and says so. Different pointer parameters are taken not to overlap; `assumptions` lists where that
/// was used.
class Dependences {
public:
  static Dependences of(const Accesses &accesses, const DependenceLimits &limits = {});

  const std::vector<Dependence> &all() const { return list; }
  std::vector<const Dependence *> races() const;
  /// Groups of accesses that share array, form, region and guards; a dependence names the first of each
  /// group.
  const std::vector<std::vector<unsigned>> &groups() const { return groupList; }
  const std::vector<std::string> &assumptions() const { return assumptionList; }
  /// What was left out for lack of time; empty where all pairs were looked at.
  const std::string &leftOut() const { return leftOutText; }

private:
  friend class DependenceFinder;
  std::vector<Dependence> list;
  std::vector<std::vector<unsigned>> groupList;
  std::vector<std::string> assumptionList;
  std::string leftOutText;
};

/// A message for each race that is certain, with both source locations.
std::vector<Diagnostic> raceReports(const Accesses &accesses, const Dependences &dependences);

} // namespace heddle::analysis
