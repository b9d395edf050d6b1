// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/FlowGraph.h"

#include "graph/Graph.h"

#include <llvm/Support/thread.h>

#include <algorithm>

using namespace clang;

namespace heddle::source {

/// Touched only as far as it is used. Clang needs about 1.5 KiB for one term of a sum; this allows 300,000.
static constexpr unsigned deepStackBytes = 512u << 20;
static thread_local bool onDeepStack = false;

void withDeepStack(const std::function<void()> &work) {
  if (onDeepStack)
    return work();
  llvm::thread deep(std::optional<unsigned>(deepStackBytes), [&] {
    onDeepStack = true;
    work();
  });
  deep.join();
}

std::vector<const Stmt *> evaluatedChildren(const Stmt *statement) {
  std::vector<const Stmt *> result;
  auto add = [&](const Stmt *child) {
    if (child)
      result.push_back(child);
  };
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr, RequiresExpr>(statement))
    return result;
  if (auto *lambda = dyn_cast<LambdaExpr>(statement)) {
    for (const Expr *capture : lambda->capture_inits())
      add(capture);
    return result;
  }
  if (auto *argument = dyn_cast<CXXDefaultArgExpr>(statement)) {
    add(argument->getExpr());
    return result;
  }
  if (auto *initializer = dyn_cast<CXXDefaultInitExpr>(statement)) {
    add(initializer->getExpr());
    return result;
  }
  for (const Stmt *child : statement->children())
    add(child);
  return result;
}

void forEachEvaluated(const Stmt *root, const std::function<bool(const Stmt *)> &visit) {
  std::vector<const Stmt *> pending = {root};
  while (!pending.empty()) {
    const Stmt *statement = pending.back();
    pending.pop_back();
    if (!visit(statement))
      continue;
    std::vector<const Stmt *> children = evaluatedChildren(statement);
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
}

FlowGraph::FlowGraph() = default;
FlowGraph::~FlowGraph() = default;

std::unique_ptr<FlowGraph> FlowGraph::build(const FunctionDecl *function) {
  const FunctionDecl *defined = nullptr;
  if (!function->hasBody(defined) || !defined->doesThisDeclarationHaveABody())
    return nullptr;
  std::unique_ptr<FlowGraph> graph(new FlowGraph);
  graph->owner = defined;
  withDeepStack([&] {
    CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    options.AddInitializers = true;
    options.AddCXXDefaultInitExprInCtors = true;
    graph->cfg = CFG::buildCFG(defined, defined->getBody(), &defined->getASTContext(), options);
  });
  if (!graph->cfg)
    return nullptr;
  graph->takeBlocks();
  graph->numberBlocks();
  graph->linkParents();
  return graph;
}

/// What the branch at the end of a block looks at. For `if (a && b)` the block that evaluates b ends in the
/// `if`, whose own condition is `a && b`; what is decided there is b, the last thing evaluated.
static const Expr *decidedOn(const CFGBlock &block, const std::vector<const Stmt *> &elements) {
  const Stmt *terminator = block.getTerminatorStmt();
  if (!terminator || isa<CXXTryStmt, GotoStmt>(terminator))
    return nullptr;
  if (!elements.empty())
    if (auto *last = dyn_cast<Expr>(elements.back()); last && block.getTerminatorCondition())
      return last;
  return dyn_cast_or_null<Expr>(block.getTerminatorCondition());
}

void FlowGraph::takeBlocks() {
  blocks.resize(cfg->getNumBlockIDs());
  entryBlock = cfg->getEntry().getBlockID();
  exitBlock = cfg->getExit().getBlockID();
  const auto *body = dyn_cast<CompoundStmt>(owner->getBody());
  const Stmt *lastOfBody = body && !body->body_empty() ? body->body_back() : nullptr;
  for (const CFGBlock *from : *cfg) {
    Block &block = blocks[from->getBlockID()];
    for (const CFGElement &element : *from) {
      if (std::optional<CFGStmt> statement = element.getAs<CFGStmt>())
        block.elements.push_back(statement->getStmt());
      else if (std::optional<CFGInitializer> initializer = element.getAs<CFGInitializer>())
        block.elements.push_back(initializer->getInitializer()->getInit());
    }
    for (const CFGBlock::AdjacentBlock &edge : from->succs())
      if (const CFGBlock *to = edge.getReachableBlock())
        if (std::vector<unsigned> &list = block.successors; !llvm::is_contained(list, to->getBlockID()))
          list.push_back(to->getBlockID());
    block.terminator = from->getTerminatorStmt();
    if (block.terminator && isa<GotoStmt, IndirectGotoStmt>(block.terminator))
      sawGoto = true;
    if (block.successors.size() > 1)
      block.condition = decidedOn(*from, block.elements);
    if (!block.elements.empty() &&
        ((isa<ReturnStmt>(block.elements.back()) && block.elements.back() != lastOfBody) ||
         from->hasNoReturnElement()))
      block.returnStatement = block.elements.back();
  }
}

void FlowGraph::numberBlocks() {
  graph::Adjacency successors;
  for (const Block &block : blocks)
    successors.push_back(block.successors);
  order = graph::reversePostorder(successors, entryBlock);
  for (unsigned number : order)
    blocks[number].reachable = true;
  for (unsigned number : order) {
    for (unsigned next : blocks[number].successors)
      blocks[next].predecessors.push_back(number);
    for (unsigned i = 0; i < blocks[number].elements.size(); ++i)
      points.emplace(blocks[number].elements[i], Point{number, i});
  }
  // A declaration of several variables is split into one statement each; the user's own represents the first.
  for (auto [synthetic, written] : cfg->synthetic_stmts())
    if (auto at = points.find(synthetic); at != points.end()) {
      auto [known, isNew] = points.emplace(written, at->second);
      if (!isNew && known->second.block == at->second.block)
        known->second.position = std::min(known->second.position, at->second.position);
    }
}

void FlowGraph::linkParents() {
  auto link = [&](const Stmt *root) {
    forEachEvaluated(root, [&](const Stmt *statement) {
      for (const Stmt *child : evaluatedChildren(statement))
        parents.emplace(child, statement);
      return true;
    });
  };
  if (auto *constructor = dyn_cast<CXXConstructorDecl>(owner))
    for (const CXXCtorInitializer *initializer : constructor->inits())
      link(initializer->getInit());
  link(owner->getBody());
}

std::optional<FlowGraph::Point> FlowGraph::find(const Stmt *statement) const {
  if (auto *expression = dyn_cast<Expr>(statement))
    statement = expression->IgnoreParens(); // parentheses have no element of their own
  auto found = points.find(statement);
  return found == points.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::pair<FlowGraph::Point, FlowGraph::Point>> FlowGraph::extent(const Stmt *statement) const {
  std::vector<unsigned> numberOf(blocks.size());
  for (unsigned i = 0; i < order.size(); ++i)
    numberOf[order[i]] = i;
  auto before = [&](Point a, Point b) {
    return std::pair(numberOf[a.block], a.position) < std::pair(numberOf[b.block], b.position);
  };
  std::optional<std::pair<Point, Point>> result;
  forEachEvaluated(statement, [&](const Stmt *part) {
    if (std::optional<Point> at = find(part)) {
      if (!result)
        result = {*at, *at};
      result->first = std::min(result->first, *at, before);
      result->second = std::max(result->second, *at, before);
    }
    return true;
  });
  return result;
}

const Expr *loopCondition(const Stmt *statement) {
  if (auto *loop = dyn_cast<ForStmt>(statement))
    return loop->getCond();
  if (auto *loop = dyn_cast<WhileStmt>(statement))
    return loop->getCond();
  if (auto *loop = dyn_cast<DoStmt>(statement))
    return loop->getCond();
  return nullptr;
}

/// The condition of a statement that decides by one; null for others.
static const Expr *conditionOf(const Stmt *statement) {
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return branch->getCond();
  if (auto *choice = dyn_cast<ConditionalOperator>(statement))
    return choice->getCond();
  return loopCondition(statement);
}

const Stmt *FlowGraph::decision(unsigned block) const {
  const Stmt *outermost = blocks[block].terminator;
  auto isLogical = [](const Stmt *s) {
    return isa<BinaryOperator>(s) && cast<BinaryOperator>(s)->isLogicalOp();
  };
  if (!outermost || !isLogical(outermost))
    return outermost;
  for (const Stmt *at = outermost, *up = parent(at); up; at = up, up = parent(at)) {
    if (conditionOf(up) == at)
      return up;
    if (isLogical(up))
      outermost = up;
    else if (!isa<ParenExpr, ImplicitCastExpr, ExprWithCleanups>(up) &&
             !(isa<UnaryOperator>(up) && cast<UnaryOperator>(up)->getOpcode() == UO_LNot))
      break;
  }
  return outermost;
}

const Stmt *FlowGraph::parent(const Stmt *statement) const {
  auto found = parents.find(statement);
  return found == parents.end() ? nullptr : found->second;
}

} // namespace heddle::source
