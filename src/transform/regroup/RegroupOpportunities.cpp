// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/regroup/RegroupOpportunities.h"

#include <clang/AST/Stmt.h>
#include <fmt/format.h>

#include <algorithm>

namespace heddle::transform {
namespace {

using analysis::DivergentBranch;

bool threadsDependOnEachOther(const KernelFacts &facts) {
  const bool sharesMemory = std::ranges::any_of(facts.accesses->arrays(), [](const auto &array) {
    return array->space == analysis::Array::Space::Shared;
  });
  return facts.regions->hasBarrier() || sharesMemory || !facts.dependences().races().empty();
}

bool differsByThread(const KernelFacts::BranchInFunction &each, DivergentBranch::Kind kind) {
  return each.branch->kind == kind && each.branch->level == analysis::Level::Thread;
}

/// How often it runs follows from the thread's index alone: neighbours hardly differ.
bool isCounted(const KernelFacts &facts, const clang::Stmt *statement) {
  const analysis::Loop *loop = facts.accesses->loopOf(statement);
  return loop && !loop->variable.empty() && loop->start && loop->bound && *loop->bound;
}

} // namespace

std::vector<Opportunity> regroupOpportunities(const KernelFacts &facts) {
  if (threadsDependOnEachOther(facts))
    return {};
  for (const KernelFacts::BranchInFunction &each : facts.divergentBranches)
    if (differsByThread(each, DivergentBranch::Kind::Switch) && each.function.empty())
      return {{{"regroup by=branch"},
               fmt::format("threads take different cases at line {}", each.branch->location.line)}};
  for (const KernelFacts::BranchInFunction &each : facts.divergentBranches)
    if (differsByThread(each, DivergentBranch::Kind::Loop) && !isCounted(facts, each.branch->statement))
      return {{{"regroup"},
               fmt::format("the trip count of the loop at line {} differs between threads: it depends on "
                           "loaded data",
                           each.branch->location.line)}};
  return {};
}

} // namespace heddle::transform
