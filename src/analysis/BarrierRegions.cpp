// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three steps, on one function at a time:
//   1. find the barriers among the elements of the flow graph (so dead code has none), and the calls to
//   functions that
//      hold one, whose regions are built first;
//   2. mark every statement around them as holding a barrier, and build the tree: statements that are not
//   marked
//      gather in regions, marked ones become structure;
//   3. ask control dependence which branches decide whether a barrier is reached, and uniformity who agrees
//   on them.
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
#include <unordered_set>

using namespace clang;

namespace heddle::analysis {

using Kind = RegionNode::Kind;

class RegionBuilder {
public:
  RegionBuilder(BarrierRegions &result, const Uniformity &facts, bool isKernel, Diagnostics &diagnostics,
                std::set<const Uniformity *> &underWay)
      : result(result), facts(facts), graph(facts.definitions().graph()), isKernel(isKernel),
        diagnostics(diagnostics), underWay(underWay) {}

  void run() {
    result.facts = &facts;
    underWay.insert(&facts);
    findBarriers();
    markHolders();
    buildTree();
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
      barrierNumber[result.barrierList[i].statement] = i;
  }

  void addBarrier(const Barrier &barrier, source::FlowGraph::Point at) {
    result.barrierList.push_back(barrier);
    if (barrier.ordersBlock())
      result.orderedAt[at.block].push_back(at.position);
    if (barrier.cutsRegion()) {
      result.cuts = true;
      holders.push_back(barrier.statement);
    }
  }

  void addCall(const CallExpr *call, source::FlowGraph::Point at) {
    const Uniformity *inside = facts.callee(call);
    if (!inside || underWay.contains(inside))
      return;
    auto regions = std::make_shared<BarrierRegions>();
    RegionBuilder(*regions, *inside, /*isKernel=*/false, diagnostics, underWay).run();
    if (!regions->hasBarrier())
      return;
    result.cuts = true;
    if (regions->alwaysPassesBarrier())
      result.orderedAt[at.block].push_back(at.position);
    calls[call] = std::move(regions);
    holders.push_back(call);
  }

  // Step 2
  // ------------------------------------------------------------------------------------------------------

  void markHolders() {
    for (const Stmt *holder : holders)
      for (const Stmt *at = holder; at && holding.insert(at).second;)
        at = graph.parent(at);
  }
  bool holds(const Stmt *statement) const { return statement && holding.contains(statement); }

  void buildTree() {
    result.rootNode = std::make_unique<RegionNode>();
    if (result.cuts && hasJumps()) {
      result.structured = false;
      refuseJumps();
      addToRegion(*result.rootNode, graph.function()->getBody());
      return;
    }
    addStatement(*result.rootNode, graph.function()->getBody());
  }

  bool hasJumps() const { return graph.hasGoto(); }
  void refuseJumps() {
    const Stmt *jump = nullptr;
    source::forEachEvaluated(graph.function()->getBody(), [&](const Stmt *statement) {
      if (!jump && isa<GotoStmt, IndirectGotoStmt>(statement))
        jump = statement;
      return !jump;
    });
    diagnostics.refuse(facts.unit().place(jump ? jump : graph.function()->getBody()),
                       "goto in a function with barriers: its regions cannot be told apart");
  }

  /// Puts a statement at the end of a sequence: into the region there, or as structure of its own.
  void addStatement(RegionNode &sequence, const Stmt *statement) {
    if (!statement)
      return;
    if (auto *attributed = dyn_cast<AttributedStmt>(statement); attributed && holds(statement))
      return addStatement(sequence, attributed->getSubStmt());
    if (auto *label = dyn_cast<LabelStmt>(statement); label && holds(statement))
      return addStatement(sequence, label->getSubStmt());
    if (auto *compound = dyn_cast<CompoundStmt>(statement);
        compound && (holds(statement) || statement == graph.function()->getBody())) {
      for (const Stmt *child : compound->body())
        addStatement(sequence, child);
      return;
    }
    if (!holds(statement))
      return addToRegion(sequence, statement);
    if (auto *branch = dyn_cast<IfStmt>(statement))
      return addIf(sequence, branch);
    if (auto *choice = dyn_cast<SwitchStmt>(statement))
      return addSwitch(sequence, choice);
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement))
      return addLoop(sequence, statement);
    addHolders(sequence, statement, statement);
  }

  void addToRegion(RegionNode &sequence, const Stmt *statement) {
    if (isa<NullStmt>(statement))
      return;
    if (sequence.children.empty() || sequence.children.back()->kind != Kind::Region) {
      RegionNode &region = add(sequence, Kind::Region, nullptr);
      region.region = unsigned(result.regionList.size());
      result.regionList.push_back(&region);
    }
    sequence.children.back()->statements.push_back(statement);
    result.regionByStatement[statement] = sequence.children.back().get();
  }

  static RegionNode &add(RegionNode &parent, Kind kind, const Stmt *statement) {
    parent.children.push_back(std::make_unique<RegionNode>());
    parent.children.back()->kind = kind;
    parent.children.back()->statement = statement;
    return *parent.children.back();
  }

  /// The barriers and calls inside one statement or expression, in the order they are evaluated.
  void addHolders(RegionNode &sequence, const Stmt *within, const Stmt *statement) {
    if (!holds(within))
      return;
    std::vector<std::pair<source::FlowGraph::Point, const Stmt *>> found;
    source::forEachEvaluated(within, [&](const Stmt *part) {
      if (!holds(part))
        return false;
      if (barrierNumber.contains(part) || calls.contains(dyn_cast<CallExpr>(part)))
        found.push_back({*graph.find(part), part});
      return true;
    });
    std::stable_sort(found.begin(), found.end(), [&](const auto &a, const auto &b) {
      return a.first.block == b.first.block && a.first.position < b.first.position;
    });
    for (auto [at, part] : found) {
      auto *call = dyn_cast<CallExpr>(part);
      auto callee = calls.find(call);
      RegionNode &node = add(sequence, callee == calls.end() ? Kind::Barrier : Kind::Call, statement);
      node.isPartOfStatement = !isAll(statement, part);
      if (callee != calls.end()) {
        node.call = call;
        node.callee = callee->second;
      } else {
        node.barrier = barrierNumber.at(part);
      }
    }
  }

  static bool isAll(const Stmt *statement, const Stmt *part) {
    auto *expression = dyn_cast<Expr>(statement);
    return statement == part || (expression && expression->IgnoreParenImpCasts() == part) ||
           (expression && isa<ExprWithCleanups>(expression) &&
            cast<ExprWithCleanups>(expression)->getSubExpr()->IgnoreParenImpCasts() == part);
  }

  void addIf(RegionNode &sequence, const IfStmt *branch) {
    addStatement(sequence, branch->getInit());
    addHolders(sequence,
               branch->getConditionVariableDeclStmt() ? branch->getConditionVariableDeclStmt()
                                                      : static_cast<const Stmt *>(branch->getCond()),
               branch);
    RegionNode &node = add(sequence, Kind::Branch, branch);
    node.constantCondition = constantCondition(branch->getCond());
    addStatement(add(node, Kind::Sequence, branch->getThen()), branch->getThen());
    addStatement(add(node, Kind::Sequence, branch->getElse()), branch->getElse());
  }

  std::optional<bool> constantCondition(const Expr *condition) const {
    bool value = false;
    if (condition->isValueDependent() ||
        !condition->EvaluateAsBooleanCondition(value, facts.unit().context()))
      return std::nullopt;
    return value;
  }

  void addSwitch(RegionNode &sequence, const SwitchStmt *choice) {
    addHolders(sequence, choice->getCond(), choice);
    RegionNode &node = add(sequence, Kind::Branch, choice);
    auto *body = dyn_cast<CompoundStmt>(choice->getBody());
    RegionNode *at = nullptr;
    auto addCase = [&](const Stmt *statement) {
      while (auto *label = dyn_cast<SwitchCase>(statement)) {
        if (!at || !at->children.empty() || at->statement == nullptr)
          at = &add(node, Kind::Sequence, label); // `case 1: case 2:` share one
        statement = label->getSubStmt();
      }
      if (at)
        addStatement(*at, statement);
    };
    if (!body)
      return addCase(choice->getBody());
    for (const Stmt *statement : body->body())
      addCase(statement);
  }

  void addLoop(RegionNode &sequence, const Stmt *loop) {
    const Stmt *condition = nullptr, *body = nullptr, *step = nullptr;
    if (auto *forLoop = dyn_cast<ForStmt>(loop)) {
      if (holds(forLoop->getInit()))
        addStatement(sequence, forLoop->getInit());
      condition = forLoop->getCond();
      body = forLoop->getBody();
      step = forLoop->getInc();
    } else if (auto *whileLoop = dyn_cast<WhileStmt>(loop)) {
      condition = whileLoop->getCond();
      body = whileLoop->getBody();
    } else if (auto *doLoop = dyn_cast<DoStmt>(loop)) {
      body = doLoop->getBody();
      step = doLoop->getCond(); // evaluated behind the body
    } else {
      body = cast<CXXForRangeStmt>(loop)->getBody();
    }
    RegionNode &node = add(sequence, Kind::Loop, loop);
    if (holds(condition))
      addHolders(add(node, Kind::Sequence, condition), condition, loop);
    addStatement(add(node, Kind::Sequence, body), body);
    if (holds(step))
      addHolders(add(node, Kind::Sequence, step), step, loop);
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
    source::Dominance control = postDominatorsOf(graph, /*ignoreEarlyReturns=*/isKernel);
    for (const Barrier &barrier : result.barrierList)
      check(control, barrier.statement, agreementFor(barrier), fmt::format("'{}'", barrier.spelling));
    for (const Stmt *holder : holders)
      if (auto call = calls.find(dyn_cast<CallExpr>(holder)); call != calls.end())
        check(control, holder, call->second->neededAgreement(),
              fmt::format("the barrier inside '{}'", calleeOf(call->first)->getNameAsString()));
  }

  void check(const source::Dominance &control, const Stmt *statement, Level agreement,
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
        facts.unit().place(statement), fmt::format("{} may not be reached by all threads of the {}", what,
                                                   agreement == Level::Grid    ? "grid"
                                                   : agreement == Level::Block ? "block"
                                                                               : "warp"));
    if (condition)
      warning.note(facts.unit().place(condition),
                   fmt::format("this condition differs by {}", nameOf(found.level)));
    for (const Step &step : found.why)
      warning.note(step.place, step.text);
    result.divergent.emplace(statement, std::move(found));
  }

  /// The branches that decide whether a block is reached, directly or through each other; in order of blocks.
  static std::set<unsigned> deciding(const source::Dominance &control, unsigned block) {
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
    for (const Stmt *holder : holders)
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
    if (holders.empty())
      return;
    source::Dominance control = postDominatorsOf(graph);
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
      exit.place = facts.unit().place(statement);
      result.exits.push_back(std::move(exit));
    }
  }

  BarrierRegions &result;
  const Uniformity &facts;
  const source::FlowGraph &graph;
  const bool isKernel;
  Diagnostics &diagnostics;
  std::set<const Uniformity *> &underWay;
  std::vector<const Stmt *> holders;
  std::unordered_set<const Stmt *> holding;
  std::unordered_map<const CallExpr *, std::shared_ptr<const BarrierRegions>> calls;
  std::unordered_map<const Stmt *, unsigned> barrierNumber;
};

std::unique_ptr<BarrierRegions> BarrierRegions::of(const Uniformity &kernel, Diagnostics &diagnostics) {
  auto result = std::make_unique<BarrierRegions>();
  std::set<const Uniformity *> underWay;
  source::withDeepStack([&] { RegionBuilder(*result, kernel, true, diagnostics, underWay).run(); });
  return result;
}

const DivergentControl *BarrierRegions::divergence(const Barrier &barrier) const {
  auto found = divergent.find(barrier.statement);
  return found == divergent.end() ? nullptr : &found->second;
}

const RegionNode *BarrierRegions::regionOf(const Stmt *statement) const {
  for (const Stmt *at = statement; at; at = facts->definitions().graph().parent(at))
    if (auto found = regionByStatement.find(at); found != regionByStatement.end())
      return found->second;
  return nullptr;
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
