// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "arch/Arch.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace heddle::report {

/// A directive that the facts about a kernel suggest, after it was tried.
struct Opportunity {
  std::string directive;
  std::vector<std::string> arguments; ///< of `heddle opt`, for the same
  std::string why;                    ///< what the facts promise
  std::optional<Diagnostic> refusal;  ///< why it is not offered
  /// The share of loads that each original thread executes less, where that is what is to be gained.
  std::optional<double> sharedLoadsSaved, globalLoadsSaved;
  unsigned registersBefore = 0;
  std::optional<unsigned> registersAfter; ///< from the same source, ptxas or the estimate; nothing: not known

  /// `-k heat -d "coarsen x=2 map=blocked"`, to be pasted into a command.
  std::string words() const;
  /// What there is to say about it: the promise, or why it is not offered.
  std::string text() const;
};

/// One readable page about a kernel: launch, regions, barriers, shared memory, accesses with reuse, divergent
/// branches with their cause, registers, occupancy, opportunities, findings.
std::string analyzeText(const analysis::KernelFacts &facts, const arch::Arch &arch,
                        const std::vector<Opportunity> &opportunities);

/// The same facts for programs. The layout is "heddle.analyze/1": docs/analyze.md describes it. No opportunities: they were not tried.
nlohmann::ordered_json analyzeJson(const analysis::KernelFacts &facts, const arch::Arch &arch,
                                   const std::optional<std::vector<Opportunity>> &opportunities);

} // namespace heddle::report
