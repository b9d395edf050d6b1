// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree is made in one walk over the statements; barriers, which the flow graph has found, are then put
// into the nodes that hold them.
//
//     for (int i = 0; i < n; ++i) {    Loop             own code: i = 0, i < n, ++i
//       tile[t] = in[i];                 Block
//       __syncthreads();                   Statement
//     }                                    Barrier
//
// Facts are those of a node's own code, or of a node with everything inside. Both are made when first asked
// for. Accesses are found by the statement that they are part of; an access of a function that is called
// belongs to the call, and of several calls at one place of the text (in a macro) to each of them.
#include "analysis/KernelTree.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/PureFunctions.h"
#include "analysis/StatementShape.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

using NodeKind = KernelNode::Kind;

bool isBlockBarrier(const Stmt *statement, const ASTContext &context) {
  const Stmt *inner = plainStatement(statement);
  if (auto *expression = dyn_cast<Expr>(inner))
    inner = expression->IgnoreParenImpCasts();
  if (auto *cleanups = dyn_cast<ExprWithCleanups>(inner))
    inner = cleanups->getSubExpr();
  std::optional<Barrier> barrier = barrierAt(inner, context);
  return barrier && barrier->scope == Barrier::Scope::Block && barrier->ordersBlock() && !barrier->votes &&
         !barrier->ofUnknownGroup && !isa<AsmStmt>(inner);
}

/// Computes from its arguments, or loads through them.
static bool isHarmless(const source::Unit &unit, const FunctionDecl *callee) {
  return isLoadFunction(callee) || callee->isTrivial() || callee->isDefaulted() ||
         isPureFunction(unit, callee);
}

/// What is executed without a written call, and is not known to be harmless: constructors,
/// destructors, what a range-based for or a structured binding calls; and calls whose target is not known.
/// Accesses follow written calls only.
static bool isUnseen(const source::Unit &unit, const Executed &executed) {
  using How = Executed::How;
  if (executed.isUnknown())
    return true;
  const bool isWritten = executed.how == How::Call || executed.how == How::Member ||
                         executed.how == How::Operator || executed.how == How::Lambda ||
                         executed.how == How::Conversion;
  // A trivial constructor may have a body, which Clang synthesizes.
  if (isWritten || !executed.function || executed.function->isTrivial())
    return false;
  const FunctionDecl *body = nullptr;
  const bool isUsers = executed.function->hasBody(body) && unit.isUserCode(body->getLocation());
  if (!isUsers)
    return !isHarmless(unit, executed.function);
  const Reach reach = Reach::of(body, unit);
  return !reach.unknown().empty() ||
         llvm::any_of(reach.all(), [](const Reached &each) { return firstOutsideAccess(each) != nullptr; });
}

static bool asksForThread(const source::Unit &unit, const FunctionDecl *function,
                          std::set<const FunctionDecl *> &seen) {
  using Builtin = ThreadBuiltin::Kind;
  if (!seen.insert(function).second)
    return false;
  const Uses uses = Uses::of(function->getBody());
  for (const Uses::Builtin &builtin : uses.builtins)
    if (builtin.what.kind == Builtin::ThreadIdx || builtin.what.kind == Builtin::BlockDim)
      return true;
  return llvm::any_of(calledFunctions(unit, uses),
                      [&](const FunctionDecl *callee) { return asksForThread(unit, callee, seen); });
}

bool asksForThread(const source::Unit &unit, const FunctionDecl *function) {
  std::set<const FunctionDecl *> seen;
  return asksForThread(unit, function, seen);
}

bool KernelNode::isIn(const KernelNode *outer) const {
  for (const KernelNode *at = this; at; at = at->parent)
    if (at == outer)
      return true;
  return false;
}

std::vector<const KernelNode *> KernelNode::all() const {
  std::vector<const KernelNode *> found = {this};
  for (const auto &child : children)
    for (const KernelNode *each : child->all())
      found.push_back(each);
  return found;
}

bool CodeFacts::stores(Array::Space space) const {
  return llvm::any_of(accesses, [&](const Access *a) { return a->isWrite() && a->array->space == space; });
}

bool CodeFacts::loads(Array::Space space) const {
  return llvm::any_of(accesses, [&](const Access *a) { return a->isRead() && a->array->space == space; });
}

// Structure
// -----------------------------------------------------------------------------------------------------------

KernelTree::KernelTree(const Uniformity &uniformity, const BarrierRegions &regions, const Accesses *accesses)
    : uniformity(uniformity), barriers(regions), accesses(accesses) {
  top = build(definitions().graph().function()->getBody(), nullptr);
  placeBarriers();
}

KernelTree::~KernelTree() = default;

const source::ReachingDefinitions &KernelTree::definitions() const { return uniformity.definitions(); }
const source::Unit &KernelTree::unit() const { return uniformity.unit(); }
SourceLocation KernelTree::location(const KernelNode &node) const { return unit().location(node.statement); }

const KernelNode *KernelTree::nodeOf(const Stmt *statement) const {
  auto found = byStatement.find(plainStatement(statement));
  return found == byStatement.end() ? nullptr : found->second;
}

const KernelNode *KernelTree::ownerOf(const Stmt *part) const {
  for (const Stmt *at = part; at; at = definitions().graph().parent(at))
    if (const KernelNode *node = nodeOf(at))
      return node;
  return nullptr;
}

std::vector<const KernelNode *> KernelTree::loopsAroundBarriers() const {
  std::vector<const KernelNode *> loops;
  for (const KernelNode *node : list)
    if (node->kind == NodeKind::Loop && node->holdsBarrier && barriers.isStructured())
      loops.push_back(node);
  return loops;
}

static std::optional<bool> constantCondition(const Expr *condition, const ASTContext &context) {
  bool value = false;
  if (condition->isValueDependent() || !condition->EvaluateAsBooleanCondition(value, context))
    return std::nullopt;
  return value;
}

std::unique_ptr<KernelNode> KernelTree::build(const Stmt *written, const KernelNode *parent) {
  auto node = std::make_unique<KernelNode>();
  const Stmt *statement = plainStatement(written);
  node->written = written;
  node->statement = statement;
  node->parent = parent;
  node->id = unsigned(list.size());
  list.push_back(node.get());
  byStatement[statement] = node.get();
  if (auto *block = dyn_cast<CompoundStmt>(statement)) {
    node->kind = NodeKind::Block;
    for (const Stmt *each : block->body())
      addChild(*node, each);
  } else if (isLoop(statement)) {
    node->kind = NodeKind::Loop;
    auto *overRange = dyn_cast<CXXForRangeStmt>(statement);
    addChild(*node, overRange ? overRange->getBody() : bodyOf(statement));
  } else if (auto *branch = dyn_cast<IfStmt>(statement); branch && branch->getThen()) {
    node->kind = NodeKind::Branch;
    node->constantCondition = constantCondition(branch->getCond(), unit().context());
    addChild(*node, branch->getThen());
    addChild(*node, branch->getElse());
  } else if (auto *choice = dyn_cast<SwitchStmt>(statement)) {
    node->kind = NodeKind::Switch;
    addChild(*node, choice->getBody());
  } else if (auto *label = dyn_cast<SwitchCase>(statement)) {
    node->kind = NodeKind::Case;
    addChild(*node, label->getSubStmt());
  } else if (auto *target = dyn_cast<LabelStmt>(statement)) {
    node->kind = NodeKind::Label;
    addChild(*node, target->getSubStmt());
  } else if (isBlockBarrier(statement, unit().context())) {
    node->kind = NodeKind::Barrier;
  } else if (isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(statement)) {
    node->kind = NodeKind::Jump;
  }
  return node;
}

void KernelTree::addChild(KernelNode &node, const Stmt *statement) {
  if (statement)
    node.children.push_back(build(statement, &node));
}

void KernelTree::placeBarriers() {
  for (const Stmt *holder : barriers.holders()) {
    const KernelNode *owner = ownerOf(holder);
    if (!owner)
      continue;
    KernelNode &node = *byStatement.at(owner->statement);
    node.barriers.push_back(pointAt(node, holder));
    for (const KernelNode *at = owner; at; at = at->parent)
      byStatement.at(at->statement)->holdsBarrier = true;
  }
  // Those of one block of the flow graph have an order there; others go by the text.
  const source::FlowGraph &graph = definitions().graph();
  for (const KernelNode *each : list)
    std::ranges::stable_sort(byStatement.at(each->statement)->barriers,
                             [&](const BarrierPoint &a, const BarrierPoint &b) {
                               auto p = *graph.find(a.at), q = *graph.find(b.at);
                               return p.block == q.block && p.position < q.position;
                             });
}

/// It is all of what the statement does.
static bool isAll(const Stmt *statement, const Stmt *part) {
  auto *expression = dyn_cast<Expr>(statement);
  return statement == part || (expression && expression->IgnoreParenImpCasts() == part) ||
         (expression && isa<ExprWithCleanups>(expression) &&
          cast<ExprWithCleanups>(expression)->getSubExpr()->IgnoreParenImpCasts() == part);
}

BarrierPoint KernelTree::pointAt(const KernelNode &node, const Stmt *holder) const {
  BarrierPoint point;
  point.at = holder;
  if (std::optional<unsigned> number = barriers.numberOf(holder))
    point.barrier = *number;
  else
    point.call = cast<CallExpr>(holder);
  point.part = holder;
  for (const Stmt *up = holder; up && up != node.statement; up = definitions().graph().parent(up))
    point.part = up;
  // What a head begins with is a statement by itself.
  const std::vector<const Stmt *> head = headerOf(node.statement);
  const bool isFirst = isa<ForStmt, IfStmt>(node.statement) && !head.empty() && head[0] == point.part;
  point.statement = isFirst ? point.part : node.statement;
  point.isPartOfStatement = !isAll(point.statement, holder);
  return point;
}

// Facts
// -----------------------------------------------------------------------------------------------------------

std::vector<const Stmt *> ownCode(const KernelNode &node) {
  if (auto *loop = dyn_cast<CXXForRangeStmt>(node.statement))
    return {loop->getInit(), loop->getRangeStmt(), loop->getBeginStmt(),  loop->getEndStmt(),
            loop->getCond(), loop->getInc(),       loop->getLoopVarStmt()};
  switch (node.kind) {
  case NodeKind::Loop:
  case NodeKind::Branch:
  case NodeKind::Switch: return headerOf(node.statement);
  case NodeKind::Block:
  case NodeKind::Case:
  case NodeKind::Label: return {};
  case NodeKind::Barrier:
  case NodeKind::Jump:
  case NodeKind::Statement: break;
  }
  return {node.statement};
}

/// What the code of a node is looked up by.
struct KernelTree::Index {
  /// Numbers of accesses: by the statement, or call, that makes them; by their own expression.
  std::unordered_map<const Stmt *, std::vector<unsigned>> byStatement, byExpression;
  /// Variables that a statement or expression gives a value to.
  std::unordered_map<const Stmt *, std::vector<const VarDecl *>> written;

  void add(const Accesses &all, const source::Unit &unit, const Stmt *body);
  void add(const source::ReachingDefinitions &definitions);
};

void KernelTree::Index::add(const Accesses &all, const source::Unit &unit, const Stmt *body) {
  std::map<std::pair<unsigned, unsigned>, std::vector<const CallExpr *>> calls;
  for (const CallExpr *call : Uses::of(body).calls) {
    const SourceLocation location = unit.location(call);
    calls[{location.line, location.column}].push_back(call);
  }
  for (unsigned i = 0; i < all.all().size(); ++i) {
    const Access &access = all.all()[i];
    if (access.calls.empty()) {
      byStatement[access.statement].push_back(i);
      byExpression[access.expression].push_back(i);
    } else if (auto at = calls.find({access.calls.front().line, access.calls.front().column});
               at != calls.end()) {
      for (const CallExpr *call : at->second)
        byStatement[call].push_back(i);
    }
  }
}

void KernelTree::Index::add(const source::ReachingDefinitions &definitions) {
  for (const VarDecl *variable : definitions.variables())
    for (const source::Definition *definition : definitions.definitionsOf(variable))
      written[definition->statement].push_back(variable);
}

const KernelTree::Index &KernelTree::index() const {
  if (!knownIndex) {
    knownIndex = std::make_unique<Index>();
    knownIndex->add(definitions());
    if (accesses)
      knownIndex->add(*accesses, unit(), top->statement);
  }
  return *knownIndex;
}

CodeFacts KernelTree::factsOf(const std::vector<const Stmt *> &code) const {
  const Index &known = index();
  CodeFacts facts;
  std::set<unsigned> direct, further;
  const auto take = [](const auto &map, const Stmt *part, std::set<unsigned> &into) {
    if (auto found = map.find(part); found != map.end())
      into.insert(found->second.begin(), found->second.end());
  };
  for (const Stmt *part : code) {
    facts.uses.add(part);
    if (part)
      source::forEachEvaluated(part,
                               [&](const Stmt *each) { return take(known.byStatement, each, direct), true; });
  }
  for (const DeclRefExpr *reference : facts.uses.locals)
    if (definitions().isRead(reference))
      facts.reads.insert(cast<VarDecl>(reference->getDecl()));
  for (const Stmt *part : facts.uses.statements) {
    // Those of a head count as the whole statement's elsewhere.
    take(known.byExpression, part, further);
    if (auto found = known.written.find(part); found != known.written.end())
      facts.writes.insert(found->second.begin(), found->second.end());
    for (const VarDecl *variable : declaredBy(part)) // references, too
      if (variable->hasLocalStorage())
        facts.writes.insert(variable);
  }
  for (unsigned i : direct)
    facts.accesses.push_back(&accesses->all()[i]);
  for (unsigned i : further)
    if (!direct.contains(i))
      facts.accesses.push_back(&accesses->all()[i]);
  for (const Uses::Builtin &builtin : facts.uses.builtins)
    facts.asksThread |= builtin.what.kind == ThreadBuiltin::Kind::ThreadIdx;
  facts.unseen = facts.uses.assembly;
  for (const CallExpr *call : facts.uses.calls) {
    const FunctionDecl *callee = calleeOf(call), *body = nullptr;
    const bool isUsers = callee && callee->hasBody(body) && unit().isUserCode(body->getLocation());
    facts.asksThread |= isUsers && analysis::asksForThread(unit(), body);
    if (!isUsers && !facts.unseen && (!callee || !isHarmless(unit(), callee)))
      facts.unseen = call;
  }
  for (const Stmt *part : code)
    for (const Executed &executed : part ? executedBy(part) : std::vector<Executed>())
      if (!facts.unseen && isUnseen(unit(), executed))
        facts.unseen = executed.at ? executed.at : part;
  return facts;
}

const CodeFacts &KernelTree::own(const KernelNode &node) const {
  auto [entry, isNew] = knownOwn.try_emplace(node.id);
  if (!isNew)
    return entry->second;
  // A barrier is known by its kind: what it calls, and the group that it names, have no effect.
  if (node.kind == NodeKind::Barrier)
    entry->second.uses = Uses::of(node.statement);
  else
    entry->second = factsOf(ownCode(node));
  return entry->second;
}

const CodeFacts &KernelTree::whole(const KernelNode &node) const {
  if (node.children.empty())
    return own(node);
  auto [entry, isNew] = knownWhole.try_emplace(node.id);
  if (isNew)
    entry->second = factsOf({node.statement});
  return entry->second;
}

} // namespace heddle::analysis
