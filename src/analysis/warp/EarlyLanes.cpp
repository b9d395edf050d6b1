// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Like the early exits of BarrierRegions, for the lanes of a warp: a return counts where a branch decides on
// it that lanes take differently, and from which a meeting can still be reached.
#include "analysis/warp/EarlyLanes.h"

#include "analysis/Barriers.h"
#include "analysis/CallEffects.h"
#include "analysis/LoopForest.h"
#include "analysis/Uses.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::analysis {

namespace {

class LaneWatch {
public:
  explicit LaneWatch(const Uniformity &uniformity)
      : unit(uniformity.unit()), uniformity(uniformity), graph(uniformity.definitions().graph()) {}

  std::optional<EarlyLanes> run() {
    const std::vector<const Stmt *> syncAfter = syncsAhead();
    const graph::Dominance control = postDominatorsOf(graph);
    for (unsigned block : graph.reversePostorder()) {
      auto *statement = dyn_cast_or_null<ReturnStmt>(graph.returnOf(block));
      if (!statement)
        continue;
      for (unsigned branch : decidingOn(control, block))
        if (syncAfter[branch] && uniformity.branchLevelOfBlock(branch) == Level::Thread)
          return EarlyLanes{statement, syncAfter[branch]};
    }
    return std::nullopt;
  }

private:
  bool isWarpSync(const Stmt *element) {
    if (std::optional<Barrier> barrier = barrierAt(element, unit.context()))
      return true;
    auto *call = dyn_cast<CallExpr>(element);
    const FunctionDecl *callee = call ? calleeOf(call) : nullptr;
    if (!callee)
      return false;
    llvm::StringRef name = callee->getIdentifier() ? callee->getName() : "";
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call))
      if (groupKind(member->getImplicitObjectArgument()->getType()) != GroupKind::None)
        return true;
    if (name.starts_with("__") && name.contains("_sync"))
      return true;
    return callee->hasBody() && unit.isUserCode(callee->getLocation()) && meets(callee);
  }

  bool meets(const FunctionDecl *function) {
    const bool isNew = known.try_emplace(function, false).second;
    if (isNew) {
      const Uses uses = Uses::of(function->getBody());
      const bool found = std::any_of(uses.statements.begin(), uses.statements.end(),
                                     [&](const Stmt *statement) { return isWarpSync(statement); });
      known[function] = found;
    }
    return known[function];
  }

  /// For each block, a meeting that can be reached from its end.
  std::vector<const Stmt *> syncsAhead() {
    std::vector<const Stmt *> ahead(graph.size(), nullptr);
    for (unsigned block = 0; block < graph.size(); ++block)
      for (const Stmt *element : graph.elements(block))
        if (isWarpSync(element)) {
          spread(ahead, block, element);
          break;
        }
    return ahead;
  }
  void spread(std::vector<const Stmt *> &ahead, unsigned from, const Stmt *pair) {
    std::vector<unsigned> pending(graph.predecessors(from));
    while (!pending.empty()) {
      const unsigned block = pending.back();
      pending.pop_back();
      if (ahead[block])
        continue;
      ahead[block] = pair;
      pending.insert(pending.end(), graph.predecessors(block).begin(), graph.predecessors(block).end());
    }
  }

  static std::set<unsigned> decidingOn(const graph::Dominance &control, unsigned block) {
    std::set<unsigned> found;
    std::vector<unsigned> pending = {block};
    while (!pending.empty()) {
      const unsigned at = pending.back();
      pending.pop_back();
      for (unsigned branch : control.frontier(at))
        if (found.insert(branch).second)
          pending.push_back(branch);
    }
    return found;
  }

  const source::Unit &unit;
  const Uniformity &uniformity;
  const source::FlowGraph &graph;
  std::map<const FunctionDecl *, bool> known;
};

} // namespace

std::optional<EarlyLanes> earlyLanesOf(const Uniformity &uniformity) { return LaneWatch(uniformity).run(); }

} // namespace heddle::analysis
