// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/SymbolicWalk.h"

#include "analysis/Execution.h"
#include "analysis/Order.h"
#include "analysis/walk/CallTable.h"
#include "analysis/walk/Statements.h"
#include "source/FlowGraph.h"

using namespace clang;

namespace heddle::analysis {
namespace {

using walk::Path;

/// Constructors, destructors and calls that the language makes are not followed. Where they reach memory, and
/// where nothing is known of a call, the list of accesses is not complete.
void noteHiddenCode(Path &path) {
  using How = Executed::How;
  const Reach reach = Reach::of(path.kernel.function, path.unit);
  auto locationIn = [&](const Reached &reached) {
    return reached.inKernel() ? reached.inKernel() : path.kernel.function->getBody();
  };
  for (const Reached &reached : reach.unknown())
    walk::noteGap(locationIn(reached), fmt::format("what is executed by {} is not known", reached.step.str()),
                  path);
  for (const Reached &reached : reach.all()) {
    bool isFollowed = true;
    for (const Reached *at = &reached; at->from; at = at->from)
      isFollowed &= at->step.how <= How::Conversion || at->step.how == How::DefaultArgument;
    if (!isFollowed && !reached.isLibrary && firstOutsideAccess(reached))
      walk::noteGap(locationIn(reached),
                    fmt::format("{} reaches memory, which is not analyzed", reached.hiddenStep().str()),
                    path);
  }
}

} // namespace

walk::Findings SymbolicWalk::follow(const source::Kernel &kernel, const LaunchFacts &facts,
                                    SymbolTable &symbols) {
  const source::Unit &unit = *kernel.unit;
  walk::Findings found;
  walk::ArrayTable arrays(unit.context(), facts);
  walk::ThreadIndices indices(facts, symbols);
  walk::BlockBarriers blockBarriers(unit.context());
  Path path{kernel, unit, unit.context(), facts, symbols, arrays, indices, blockBarriers, found};
  path.sequence = found.root.get();
  path.frames.push_back({.function = kernel.function});
  if (const Stmt *body = kernel.function->getBody())
    source::withDeepStack([&] {
      walk::follow(body, path);
      noteHiddenCode(path);
    });

  const std::vector<unsigned> renumbered = mergeRegions(*found.root, found.regions, found.regions);
  for (Access &access : found.accesses)
    access.region = renumbered[access.region];
  found.arrays = arrays.take();
  found.usedDimensions = indices.used();
  return found;
}

void SymbolicWalk::fill(Accesses &accesses, walk::Findings findings) {
  accesses.accessList = std::move(findings.accesses);
  accesses.arrayList = std::move(findings.arrays);
  accesses.loopList = std::move(findings.loops);
  accesses.root = std::move(findings.root);
  accesses.regionCount = findings.regions;
  accesses.barrierCount = findings.barriers;
  accesses.usedDimensions = findings.usedDimensions;
  accesses.values = std::move(findings.values);
  accesses.conditions = std::move(findings.conditions);
  accesses.gapList = std::move(findings.gaps);
}

} // namespace heddle::analysis
