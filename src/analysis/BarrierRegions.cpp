// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three steps, on one function at a time:
//   1. find the barriers among the elements of the flow graph (so dead code has none), and the calls to
//      functions that hold one, which are looked at first;
//   2. look whether goto makes a structure that is no tree;
//   3. ask control dependence which branches decide whether a barrier is reached, and uniformity who agrees
//      on them.
//
// In a kernel a thread that returns is gone, and the hardware's barriers do not wait for it: such branches
// are left out of step 3 and listed as early exits. In a called function a thread that returns goes on in the
// caller, so there they count.
#include "analysis/BarrierRegions.h"

#include "analysis/LoopForest.h"
#include "analysis/ThreadBuiltins.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::analysis {

class BarrierFinder {
public:
  BarrierFinder(BarrierRegions &result, const Uniformity &facts, bool isKernel, Diagnostics &diagnostics,
                std::set<const Uniformity *> &underWay)
      : result(result), facts(facts), graph(facts.definitions().graph()), isKernel(isKernel),
        diagnostics(diagnostics), underWay(underWay) {}

  void run() {
    result.facts = &facts;
    underWay.insert(&facts);
    findBarriers();
    checkStructure();
    checkAgreement();
    if (isKernel)
      findEarlyExits();
    result.everyWayPasses = !result.mayReachWithoutBarrier({graph.entry(), 0}, {graph.exit(), 0});
    underWay.erase(&facts);
  }

private:
  // Step 1
  // ------------------------------------------------------------------------------------------------------

  void findBarriers() {
    result.orderedAt.resize(graph.size());
    for (unsigned block : graph.reversePostorder()) {
      const auto &elements = graph.elements(block);
      for (unsigned i = 0; i < elements.size(); ++i) {
        if (std::optional<Barrier> barrier = barrierAt(elements[i], facts.unit().context()))
          addBarrier(*barrier, {block, i});
        else if (auto *call = dyn_cast<CallExpr>(elements[i]))
          addCall(call, {block, i});
      }
    }
    std::stable_sort(result.barrierList.begin(), result.barrierList.end(),
                     [&](const Barrier &a, const Barrier &b) {
                       return facts.unit().sources().isBeforeInTranslationUnit(a.statement->getBeginLoc(),
                                                                               b.statement->getBeginLoc());
                     });
    for (unsigned i = 0; i < result.barrierList.size(); ++i)
      result.barrierNumber[result.barrierList[i].statement] = i;
  }

  void addBarrier(const Barrier &barrier, source::FlowGraph::Point at) {
    result.barrierList.push_back(barrier);
    if (barrier.ordersBlock())
      result.orderedAt[at.block].push_back(at.position);
    if (barrier.cutsRegion()) {
      result.cuts = true;
      result.cutsAt.push_back(barrier.statement);
    }
  }

  void addCall(const CallExpr *call, source::FlowGraph::Point at) {
    const Uniformity *inside = facts.callee(call);
    if (!inside || underWay.contains(inside))
      return;
    auto regions = std::make_unique<BarrierRegions>();
    BarrierFinder(*regions, *inside, /*isKernel=*/false, diagnostics, underWay).run();
    if (!regions->hasBarrier())
      return;
    result.cuts = true;
    if (regions->alwaysPassesBarrier())
      result.orderedAt[at.block].push_back(at.position);
    result.calls[call] = std::move(regions);
    result.cutsAt.push_back(call);
  }

  // Step 2
  // ------------------------------------------------------------------------------------------------------

  void checkStructure() {
    if (result.cuts && graph.hasGoto()) {
      result.structured = false;
      refuseJumps();
    }
  }
  void refuseJumps() {
    const Stmt *jump = nullptr;
    source::forEachEvaluated(graph.function()->getBody(), [&](const Stmt *statement) {
      if (!jump && isa<GotoStmt, IndirectGotoStmt>(statement))
        jump = statement;
      return !jump;
    });
    diagnostics.refuse(facts.unit().location(jump ? jump : graph.function()->getBody()),
                       "goto in a function with barriers: its regions cannot be distinguished");
  }

  // Step 3
  // ------------------------------------------------------------------------------------------------------

  /// Who has to agree to come to a barrier.
  static Level agreementFor(const Barrier &barrier) {
    if (barrier.ofUnknownGroup) // agreement within the group is enough, and nothing says who that is
      return Level::Thread;
    switch (barrier.scope) {
    case Barrier::Scope::Warp:
    case Barrier::Scope::Async: return Level::Thread;
    case Barrier::Scope::Named: // whole warps take part, not always all of them
      return Level::Warp;
    case Barrier::Scope::Block:
    case Barrier::Scope::Cluster: return Level::Block;
    case Barrier::Scope::Grid: break;
    }
    return Level::Grid;
  }

  void checkAgreement() {
    graph::Dominance control = postDominatorsOf(graph, /*ignoreEarlyReturns=*/isKernel);
    for (const Barrier &barrier : result.barrierList)
      check(control, barrier.statement, agreementFor(barrier), fmt::format("'{}'", barrier.spelling));
    for (const Stmt *holder : result.cutsAt)
      if (auto call = result.calls.find(dyn_cast<CallExpr>(holder)); call != result.calls.end())
        check(control, holder, call->second->neededAgreement(),
              fmt::format("the barrier inside '{}'", calleeOf(call->first)->getNameAsString()));
  }

  void check(const graph::Dominance &control, const Stmt *statement, Level agreement,
             const std::string &what) {
    result.needed = std::min(result.needed, agreement);
    unsigned block = graph.find(statement)->block;
    std::optional<unsigned> worst;
    for (unsigned branch : deciding(control, block))
      if (facts.branchLevelOfBlock(branch) > agreement &&
          (!worst || facts.branchLevelOfBlock(branch) > facts.branchLevelOfBlock(*worst)))
        worst = branch;
    if (!worst)
      return;
    DivergentControl found;
    found.branch = graph.decision(*worst);
    found.level = facts.branchLevelOfBlock(*worst);
    const Expr *condition = graph.condition(*worst);
    if (condition)
      found.why = facts.why(condition);
    Diagnostic &warning = diagnostics.warning(
        facts.unit().location(statement), fmt::format("{} may not be reached by all threads of the {}", what,
                                                      agreement == Level::Grid    ? "grid"
                                                      : agreement == Level::Block ? "block"
                                                                                  : "warp"));
    if (condition)
      warning.note(facts.unit().location(condition),
                   fmt::format("this condition differs by {}", nameOf(found.level)));
    for (const Step &step : found.why)
      warning.note(step.location, step.text);
    result.divergent.emplace(statement, std::move(found));
  }

  /// The branches that decide whether a block is reached, directly or through each other; in order of blocks.
  static std::set<unsigned> deciding(const graph::Dominance &control, unsigned block) {
    std::set<unsigned> found;
    std::vector<unsigned> pending = {block};
    while (!pending.empty()) {
      unsigned at = pending.back();
      pending.pop_back();
      for (unsigned branch : control.frontier(at))
        if (found.insert(branch).second)
          pending.push_back(branch);
    }
    return found;
  }

  /// The blocks from whose end a barrier can still be reached.
  std::vector<bool> blocksBeforeABarrier() const {
    std::vector<bool> before(graph.size());
    std::vector<unsigned> pending;
    for (const Stmt *holder : result.cutsAt)
      for (unsigned previous : graph.predecessors(graph.find(holder)->block))
        pending.push_back(previous);
    while (!pending.empty()) {
      unsigned block = pending.back();
      pending.pop_back();
      if (before[block])
        continue;
      before[block] = true;
      for (unsigned previous : graph.predecessors(block))
        pending.push_back(previous);
    }
    return before;
  }

  void findEarlyExits() {
    if (result.cutsAt.empty())
      return;
    graph::Dominance control = postDominatorsOf(graph);
    std::vector<bool> before = blocksBeforeABarrier();
    for (unsigned block : graph.reversePostorder()) {
      const Stmt *statement = graph.returnOf(block);
      if (!statement || !isa<ReturnStmt>(statement))
        continue;
      // The nearest branch decides; those further out count where it is itself decided on.
      EarlyExit exit;
      bool comesBefore = false;
      for (unsigned branch : deciding(control, block)) {
        comesBefore |= before[branch];
        if (before[branch] && facts.branchLevelOfBlock(branch) > exit.level) {
          exit.level = facts.branchLevelOfBlock(branch);
          exit.why = graph.condition(branch) ? facts.why(graph.condition(branch)) : std::vector<Step>{};
        }
      }
      if (!comesBefore)
        continue;
      exit.statement = statement;
      exit.location = facts.unit().location(statement);
      result.exits.push_back(std::move(exit));
    }
  }

  BarrierRegions &result;
  const Uniformity &facts;
  const source::FlowGraph &graph;
  const bool isKernel;
  Diagnostics &diagnostics;
  std::set<const Uniformity *> &underWay;
};

std::unique_ptr<BarrierRegions> BarrierRegions::of(const Uniformity &kernel, Diagnostics &diagnostics) {
  auto result = std::make_unique<BarrierRegions>();
  std::set<const Uniformity *> underWay;
  source::withDeepStack([&] { BarrierFinder(*result, kernel, true, diagnostics, underWay).run(); });
  return result;
}

const DivergentControl *BarrierRegions::divergence(const Barrier &barrier) const {
  auto found = divergent.find(barrier.statement);
  return found == divergent.end() ? nullptr : &found->second;
}

std::optional<unsigned> BarrierRegions::numberOf(const Stmt *statement) const {
  auto found = barrierNumber.find(statement);
  return found == barrierNumber.end() ? std::nullopt : std::optional(found->second);
}

const BarrierRegions *BarrierRegions::calleeAt(const CallExpr *call) const {
  auto found = calls.find(call);
  return found == calls.end() ? nullptr : found->second.get();
}

bool BarrierRegions::mayReachWithoutBarrier(const Stmt *from, const Stmt *to) const {
  const source::FlowGraph &graph = facts->definitions().graph();
  auto start = graph.extent(from), end = graph.extent(to);
  return start && end && mayReachWithoutBarrier(start->second, end->first);
}

/// The blocks whose first element can be reached from the end of `block` without a barrier.
const std::vector<bool> &BarrierRegions::reachedFromEndOf(unsigned block) const {
  auto [entry, isNew] = reachable.try_emplace(block);
  std::vector<bool> &reached = entry->second;
  if (!isNew)
    return reached;
  const source::FlowGraph &graph = facts->definitions().graph();
  reached.resize(graph.size());
  std::vector<unsigned> pending = {block};
  for (bool first = true; !pending.empty(); first = false) {
    unsigned at = pending.back();
    pending.pop_back();
    if (!first && !orderedAt[at].empty())
      continue;
    for (unsigned next : graph.successors(at))
      if (!reached[next]) {
        reached[next] = true;
        pending.push_back(next);
      }
  }
  return reached;
}

bool BarrierRegions::mayReachWithoutBarrier(source::FlowGraph::Point from,
                                            source::FlowGraph::Point to) const {
  auto barrierIn = [&](unsigned block, unsigned after, unsigned before) {
    return std::any_of(orderedAt[block].begin(), orderedAt[block].end(),
                       [&](unsigned at) { return at > after && at < before; });
  };
  constexpr unsigned last = ~0u;
  if (from.block == to.block && from.position < to.position &&
      !barrierIn(from.block, from.position, to.position))
    return true;
  if (barrierIn(from.block, from.position, last))
    return false;
  bool blockedBefore = std::any_of(orderedAt[to.block].begin(), orderedAt[to.block].end(),
                                   [&](unsigned at) { return at < to.position; });
  return !blockedBefore && reachedFromEndOf(from.block)[to.block];
}

} // namespace heddle::analysis
