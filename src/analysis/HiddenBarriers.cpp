// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/HiddenBarriers.h"

#include "analysis/Execution.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {
namespace {

/// BarrierRegions look into functions, members, operators, lambdas and conversions of the user's.
bool isFollowed(const Reached &reached) {
  if (reached.isLibrary)
    return false;
  for (const Reached *at = &reached; at->from; at = at->from)
    if (at->step.how > Executed::How::Conversion)
      return false;
  return true;
}

} // namespace

std::vector<HiddenBarrier> hiddenBarriers(const source::Kernel &kernel) {
  const source::Unit &unit = *kernel.unit;
  const Reach reach = Reach::of(kernel.function, unit);
  std::vector<HiddenBarrier> found;
  for (const Reached &reached : reach.all()) {
    if (!reached.from || isFollowed(reached))
      continue;
    const Stmt *start = reached.inKernel();
    const SourceLocation executedAt =
        start ? unit.location(start) : unit.location(kernel.function->getEndLoc());
    for (const Stmt *code : reached.code())
      source::forEachEvaluated(code, [&](const Stmt *part) {
        if (std::optional<Barrier> barrier = barrierAt(part, unit.context()))
          found.push_back({*barrier, unit.location(part), reached.hiddenStep().str(), executedAt});
        return true;
      });
  }
  std::ranges::stable_sort(found, [&](const HiddenBarrier &a, const HiddenBarrier &b) {
    return unit.sources().isBeforeInTranslationUnit(a.barrier.statement->getBeginLoc(),
                                                    b.barrier.statement->getBeginLoc());
  });
  return found;
}

} // namespace heddle::analysis
