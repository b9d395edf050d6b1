// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Producers load tiles up to all stages ahead of the consumers. In the original, a load comes after every store of earlier
// iterations; run ahead, it may come before. Example: a time loop around the tile loop, with buffers exchanged at its end.
//
//     for (int t = 0; t < steps; ++t) {
//       for (...) { load tile from a; __syncthreads(); store to b; __syncthreads(); }
//       __syncthreads();                      <- both roles must synchronize here: the next time step loads what this one stored
//       swap(a, b);
//     }
//
// For each pair of a consumer's store and a producer's load of global memory, and each loop around both:
// 1. Ask isl whether a later iteration of that loop may load what was stored, in the same iterations of the outer loops.
// 2. `c ? a : b` against `c ? b : a` of arrays that do not overlap is known to be disjoint within an iteration.
// 3. Where they may overlap, a barrier of that loop's own body between store and load becomes one for both roles. If the loop is
//    the tile loop, or there is no such barrier, the directive is refused.
//
// Quadratic in the accesses of a kernel, with one question to isl each.
#include "transform/specialize/GlobalOrder.h"

#include "analysis/PointersApart.h"
#include "analysis/StatementShape.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/FoldingSet.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;
using analysis::namedVariable;
using NodeKind = KernelNode::Kind;

bool isGlobal(const Access &access) {
  return access.array->space == Array::Space::Global || access.array->space == Array::Space::Unknown;
}

/// A read or write with the statement it is part of.
struct Touch {
  const KernelNode *node = nullptr;
  const Access *access = nullptr;
};

/// The local pointer variable that an access goes through; null for others.
const VarDecl *pointerOf(const Access &access) {
  const Expr *at = access.expression;
  while (at) {
    at = at->IgnoreParenImpCasts();
    if (auto *subscript = dyn_cast<ArraySubscriptExpr>(at))
      at = subscript->getBase();
    else if (auto *unary = dyn_cast<UnaryOperator>(at))
      at = unary->getSubExpr();
    else if (auto *member = dyn_cast<MemberExpr>(at))
      at = member->getBase();
    else if (auto *sum = dyn_cast<BinaryOperator>(at); sum && sum->isAdditiveOp())
      at = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
    else
      break;
  }
  return namedVariable(at);
}

/// `(c ? a : b) + ...`
const ConditionalOperator *choiceOf(const Expr *value) {
  while (value) {
    value = value->IgnoreParenImpCasts();
    if (auto *choice = dyn_cast<ConditionalOperator>(value))
      return choice;
    auto *sum = dyn_cast<BinaryOperator>(value);
    if (!sum || !sum->isAdditiveOp())
      return nullptr;
    value = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
  }
  return nullptr;
}

class GlobalOrderFinder {
public:
  GlobalOrderFinder(const RoleView &view, const RoleSplit &split) : view(view), split(split) {}

  std::variant<GlobalOrder, Diagnostic> find() {
    std::vector<Touch> loads = touches(split.producer, false), stores = touches(split.consumer, true);
    for (const Touch &store : stores)
      for (const Touch &load : loads)
        if (!consider(store, load))
          return *trouble;
    return order;
  }

private:
  std::vector<Touch> touches(const std::set<const KernelNode *> &nodes, bool writes) const {
    std::vector<Touch> found;
    for (const KernelNode *node : view.nodes()) // in the order of the text
      for (const Access *access : view.facts(*node).accesses)
        if (nodes.contains(node) && isGlobal(*access) && (writes ? access->isWrite() : access->isRead()))
          found.push_back({node, access});
    return found;
  }

  bool consider(const Touch &store, const Touch &load) {
    std::vector<const KernelNode *> common = commonLoops(*store.node, *load.node);
    for (size_t i = 0; i < common.size(); ++i)
      if (mayMeet(store, load, common, i) && !separate(store, load, *common[i]))
        return false;
    const bool isBefore = view.study.unit.sources().isBeforeInTranslationUnit(
        store.node->statement->getBeginLoc(), load.node->statement->getBeginLoc());
    const TileLoop *loop = split.loopOf(store.node);
    const bool isApart = isBefore && (!loop || loop != split.loopOf(load.node));
    return !isApart || !mayMeet(store, load, common, std::nullopt) || separateInOrder(store, load);
  }

  static std::vector<const KernelNode *> commonLoops(const KernelNode &a, const KernelNode &b) {
    std::vector<const KernelNode *> loops;
    for (const KernelNode *at = a.parent; at; at = at->parent)
      if (at->kind == NodeKind::Loop && b.isIn(at))
        loops.insert(loops.begin(), at);
    return loops;
  }

  /// A load of a later iteration of common[carrier] (or of the same iterations of all, after the store)
  /// reads what was stored.
  bool mayMeet(const Touch &store, const Touch &load, const std::vector<const KernelNode *> &common,
               std::optional<size_t> carrier) const {
    if (areComplementary(store, load, carrier ? common[*carrier] : nullptr))
      return false;
    analysis::Iterations iterations;
    iterations.threads = analysis::Threads::Any;
    for (size_t i = 0; i < carrier.value_or(common.size()); ++i)
      if (const analysis::Loop *loop = view.study.accesses().loopOf(common[i]->statement))
        iterations.same.push_back(loop);
    if (carrier) {
      const analysis::Loop *loop = view.study.accesses().loopOf(common[*carrier]->statement);
      if (!loop || !loop->counter)
        return true;
      iterations.apart.push_back({loop, loop, 1, std::nullopt});
    }
    return view.study.dependence({store.access}, {load.access}, iterations, view.root().statement)
        .has_value();
  }

  /// `from = c ? a : b` and `to = c ? b : a`, made in the same iteration: what goes through one is not in the
  /// other. `carrier` is the loop whose iterations differ.
  bool areComplementary(const Touch &store, const Touch &load, const KernelNode *carrier) const {
    const VarDecl *to = pointerOf(*store.access), *from = pointerOf(*load.access);
    if (!to || !from || to == from || !view.isFixed(to) || !view.isFixed(from))
      return false;
    // Made inside the loop that goes on, they would be exchanged.
    if (carrier &&
        (view.study.isInside(to, carrier->statement) || view.study.isInside(from, carrier->statement)))
      return false;
    const ConditionalOperator *a = choiceOf(to->getInit()), *b = choiceOf(from->getInit());
    if (!a || !b || !isSame(a->getCond(), b->getCond()))
      return false;
    const VarDecl *a1 = namedVariable(a->getTrueExpr()), *a2 = namedVariable(a->getFalseExpr());
    const VarDecl *b1 = namedVariable(b->getTrueExpr()), *b2 = namedVariable(b->getFalseExpr());
    const auto *one = dyn_cast_or_null<ParmVarDecl>(a1), *other = dyn_cast_or_null<ParmVarDecl>(a2);
    return one && other && one != other && a1 == b2 && a2 == b1 &&
           !analysis::mayOverlap(one, other, view.study.accesses().launch());
  }

  bool isSame(const Expr *a, const Expr *b) const {
    llvm::FoldingSetNodeID one, other;
    a->Profile(one, view.study.unit.context(), true);
    b->Profile(other, view.study.unit.context(), true);
    return one == other;
  }

  // Barriers to meet at
  // -------------------------------------------------------------------------------------------------------

  /// A barrier of the loop's own body, on the way from the store to the next iteration's load.
  bool separate(const Touch &store, const Touch &load, const KernelNode &loop) {
    const bool isIteration =
        std::ranges::any_of(split.loops, [&](const TileLoop &t) { return t.loop == &loop; });
    const KernelNode &body = *loop.children[0];
    if (isIteration || body.kind != NodeKind::Block)
      return refuse(store, load, isIteration);
    const size_t from = childWith(body, *store.node), to = childWith(body, *load.node);
    bool found = false;
    for (size_t i = 0; i < body.children.size(); ++i)
      if (body.children[i]->kind == NodeKind::Barrier && (i > from || i < to)) {
        order.meets.insert(body.children[i].get());
        found = true;
      }
    return found || refuse(store, load, false);
  }

  bool separateInOrder(const Touch &store, const Touch &load) {
    const KernelNode *block = store.node->parent;
    while (block && !(block->kind == NodeKind::Block && load.node->isIn(block)))
      block = block->parent;
    if (!block)
      return refuse(store, load, false);
    const size_t from = childWith(*block, *store.node), to = childWith(*block, *load.node);
    for (size_t i = from + 1; i < to; ++i)
      if (block->children[i]->kind == NodeKind::Barrier) {
        order.meets.insert(block->children[i].get());
        return true;
      }
    return refuse(store, load, false);
  }

  static size_t childWith(const KernelNode &block, const KernelNode &node) {
    for (size_t i = 0; i < block.children.size(); ++i)
      if (node.isIn(block.children[i].get()))
        return i;
    return 0;
  }

  bool refuse(const Touch &store, const Touch &load, bool isIteration) {
    trouble = legalityFailure(
        store.access->location,
        "this stores to '{}' what {} may load: producers, who run ahead, would load too early",
        store.access->text, isIteration ? "a later iteration" : "a later tile loop");
    const Array &stored = *store.access->array, &loaded = *load.access->array;
    const bool areNamed = stored.decl && loaded.decl;
    trouble->note(load.access->location,
                  &stored != &loaded && areNamed
                      ? fmt::format("the load is here: '{}' and '{}' may overlap", stored.name, loaded.name)
                      : "the load is here");
    if (!areNamed)
      trouble->hint = "what one of them points to could not be determined: use a variable for each array";
    else if (&stored != &loaded)
      trouble->hint = analysis::waysToDistinguish;
    return false;
  }

  const RoleView &view;
  const RoleSplit &split;
  GlobalOrder order;
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<GlobalOrder, Diagnostic> orderOfGlobalMemory(const RoleView &view, const RoleSplit &split) {
  return GlobalOrderFinder(view, split).find();
}

} // namespace heddle::transform
