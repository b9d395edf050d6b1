// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the parts of the checker put what they find.
#pragma once

#include "check/Launch.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace heddle::check {

/// One side of a race.
struct Side {
  const LaunchFacts *launch = nullptr; ///< null: gone
  uint64_t block = 0;
  unsigned thread = 0;
  uint32_t instrId = 0;
  bool write = false;
  bool atomic = false;
  bool copy = false; ///< by an asynchronous copy
};

/// Makes findings of rules, locations and texts, and remembers what has been reported: the same rule for the same
/// instructions is counted, not repeated. Any host thread may call it.
class Reporter {
public:
  Reporter(const InstructionTable &table, FindingList &list) : instructions(table), findings(list) {}

  /// Whether these instructions have not been reported yet under this rule; if they have, it is counted. It is asked
  /// before words are made, which is slow.
  bool isNew(Rule rule, uint32_t a, uint32_t b);
  /// The same where nothing is to be reported now.
  bool wasReported(Rule rule, uint32_t a, uint32_t b);

  void report(Rule rule, const LaunchFacts &launch, uint32_t instrId, std::string text,
              uint32_t otherInstrId = 0, std::string otherText = {}, std::string hint = {});
  /// Reports it where it is new. `detail` takes the place of "nothing orders the two".
  void reportRace(Rule rule, const Side &x, const Side &y, const std::string &what, std::string hint,
                  std::string detail = {});
  void add(Finding finding);
  /// Of an instruction alone: it follows from something else that has been found since.
  void withdraw(Rule rule, uint32_t instrId);

  SourceLocation locationOf(uint32_t instrId) const { return instructions.of(instrId); }

private:
  std::string keyOf(Rule rule, uint32_t a, uint32_t b) const;
  std::string raceHint(const Side &a, const Side &b, std::string hint) const;

  const InstructionTable &instructions;
  FindingList &findings;
  std::mutex guard; ///< of what follows
  std::map<std::tuple<Rule, uint32_t, uint32_t>, std::string> reported;
};

} // namespace heddle::check
