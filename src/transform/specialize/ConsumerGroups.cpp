// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several groups of consumers share the computation on one tile, each with all threads of the original block. That is right
// where the computation is a parallel loop: its iterations are distributed round-robin over the groups.
//
//     for (int i = 0; i < 4; ++i)              for (int i = group; i < 4; i += 2)
//       sums[i] += a[i] * tile[i];      =>       sums[i / 2] += a[i] * tile[i];
//
// 1. In each iteration of a tile loop, what has an effect or sets a variable that outlives it must be a counted loop without
//    barriers, early exits and dependences between its iterations.
// 2. Arrays of a thread that such loops fill get one part per group; every mention must be the element of the loop's counter.
//    Loops elsewhere that go through these arrays are distributed in the same way.
// 3. Other effects happen once: the outermost statement without barriers or distributed loops around them is executed by the
//    first group alone. It must not set what is used later.
//
// Not handled: reductions over the distributed loop, counters that do not start at 0.
#include "transform/specialize/ConsumerGroups.h"

#include "analysis/StatementShape.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::CountedLoop;
using analysis::jumpsOf;

namespace {

using analysis::Access;
using analysis::Array;
using NodeKind = KernelNode::Kind;

class GroupSplitter {
public:
  GroupSplitter(const RoleView &view, const RoleSplit &split) : view(view), split(split) {}

  std::variant<GroupSplit, Diagnostic> find() {
    for (const TileLoop &loop : split.loops)
      if (!distributeIterations(loop))
        return *trouble;
    if (!dealLoopsOfArrays() || !checkArrays() || !takeTheRest())
      return *trouble;
    return result;
  }

private:
  bool refuse(SourceLocation location, const std::string &why) {
    trouble = legalityFailure(std::move(location), "several consumer groups: " + why);
    trouble->hint = "consumers=1";
    return false;
  }
  bool refuse(const KernelNode &node, const std::string &why) { return refuse(view.location(node), why); }

  bool hasEffect(const KernelNode &node) const {
    return view.facts(node).unseen || llvm::any_of(view.facts(node).accesses, [](const Access *access) {
             return access->isWrite() && access->array->space != Array::Space::Local;
           });
  }
  /// Sets something that lives longer than the iteration.
  const VarDecl *carries(const KernelNode &node, const Stmt *within) const {
    for (const VarDecl *variable : view.facts(node).writes)
      if (!view.study.isInside(variable, within))
        return variable;
    return nullptr;
  }

  bool isDistributed(const Stmt *loop) const {
    return std::ranges::any_of(result.loops, [&](const CountedLoop &each) { return each.statement == loop; });
  }
  bool isInDistributed(const KernelNode &node) const {
    for (const KernelNode *at = &node; at; at = at->parent)
      if (isDistributed(at->statement))
        return true;
    return false;
  }

  bool distributeIterations(const TileLoop &loop) {
    bool found = false;
    for (size_t i = loop.fill + 1; i < loop.release; ++i) {
      const KernelNode &statement = *loop.statement(i);
      if (!split.consumer.contains(&statement) || statement.kind == NodeKind::Barrier)
        continue;
      const bool matters = llvm::any_of(view.all(statement), [&](const KernelNode *node) {
        return split.consumer.contains(node) && (hasEffect(*node) || carries(*node, loop.body->statement));
      });
      if (!matters)
        continue;
      if (statement.kind != NodeKind::Loop)
        return refuse(statement,
                      "the computation on a tile is not a loop that could be distributed among them");
      if (!deal(statement))
        return false;
      found = true;
    }
    return found || refuse(*loop.loop, "there is no loop over the tile to distribute among them");
  }

  bool deal(const KernelNode &node) {
    auto *statement = dyn_cast<ForStmt>(node.statement);
    if (!statement)
      return refuse(node, "this is not a counted loop");
    auto counted = view.study.countedByAll(statement);
    if (auto *refused = std::get_if<Diagnostic>(&counted))
      return refuse(refused->location, refused->text);
    const CountedLoop &loop = std::get<CountedLoop>(counted);
    if (loop.countsDown)
      return refuse(node, "this loop counts down");
    for (const KernelNode *inner : view.all(node))
      if (inner->kind == NodeKind::Barrier)
        return refuse(*inner, "a barrier in the loop that would be distributed among them");
    if (jumpsOf(loop.body()).any())
      return refuse(node, "this loop may be left early");
    for (const analysis::OuterVariable &outer : view.study.outerVariables(loop.body()))
      if (outer.write)
        return refuse(
            view.study.unit.location(outer.write),
            fmt::format("'{}' is carried from one iteration to the next", outer.variable->getNameAsString()));
    if (!isParallel(loop))
      return false;
    result.loops.push_back(loop);
    takeArrays(node, loop);
    return true;
  }

  bool isParallel(const CountedLoop &loop) {
    std::vector<const Access *> accesses;
    for (const Access *access : view.study.accessesIn(loop.body()))
      if (access->array->space != Array::Space::Local)
        accesses.push_back(access);
    analysis::Iterations iterations{analysis::LoopStudy::around(loop.facts),
                                    {{loop.facts, loop.facts, 1, std::nullopt}}};
    if (auto found = view.study.dependence(accesses, accesses, iterations, loop.statement)) {
      Diagnostic refusal = analysis::refusalOf(*found, "so iterations have to stay in their order");
      return refuse(refusal.location, refusal.text);
    }
    return true;
  }

  /// Arrays of the thread's own that live longer than the loop: they must have an element for each iteration.
  void takeArrays(const KernelNode &node, const CountedLoop &loop) {
    for (const KernelNode *inner : view.all(node))
      for (const VarDecl *variable : view.facts(*inner).writes)
        if (variable->getType()->isArrayType() && !view.study.isInside(variable, loop.statement))
          result.arrays.insert(variable);
  }

  /// Loops elsewhere that go through those arrays: they are distributed the same way.
  bool dealLoopsOfArrays() {
    for (const KernelNode *node : view.nodes()) {
      auto *statement = dyn_cast<ForStmt>(node->statement);
      if (!statement || isInDistributed(*node) || split.loopOf(node) || !mentionsArrays(*node) ||
          holdsTileLoop(*node))
        continue;
      if (!deal(*node))
        return false;
    }
    return true;
  }
  bool holdsTileLoop(const KernelNode &node) const {
    return std::ranges::any_of(split.loops, [&](const TileLoop &loop) { return loop.loop->isIn(&node); });
  }
  bool mentionsArrays(const KernelNode &node) const {
    return llvm::any_of(view.all(node), [&](const KernelNode *each) {
      return view.facts(*each).uses.mentionsAny(
          [&](const VarDecl *variable) { return result.arrays.contains(variable); });
    });
  }

  bool checkArrays() {
    for (const KernelNode *node : view.nodes())
      for (const DeclRefExpr *reference : view.facts(*node).uses.locals)
        if (auto *array = cast<VarDecl>(reference->getDecl());
            result.arrays.contains(array) && !takeElement(*node, reference))
          return refuse(view.study.unit.location(reference),
                        fmt::format("'{}' does not have an element for each iteration that is distributed",
                                    array->getNameAsString()));
    return true;
  }

  /// `sums[i]`, i being the variable of a distributed loop around.
  bool takeElement(const KernelNode &node, const DeclRefExpr *reference) {
    const Stmt *up = view.study.parent(reference);
    while (up && isa<CastExpr, ParenExpr>(up))
      up = view.study.parent(up);
    auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(up);
    auto *index = subscript ? dyn_cast<DeclRefExpr>(subscript->getIdx()->IgnoreParenImpCasts()) : nullptr;
    if (!index)
      return false;
    for (const CountedLoop &loop : result.loops) {
      const bool isAround = node.isIn(view.nodeOf(loop.statement));
      const bool startsAtZero = loop.facts->start.constant() == 0 && loop.constantStep() == 1;
      if (isAround && index->getDecl() == loop.variable && startsAtZero) {
        result.elements.push_back({subscript->getIdx(), loop.variable});
        return true;
      }
    }
    return false;
  }

  /// Effects outside of distributed loops happen once: the first group sees to them.
  bool takeTheRest() {
    for (const KernelNode *node : view.nodes()) {
      const bool isOfInterest = split.consumer.contains(node) && hasEffect(*node) &&
                                !isInDistributed(*node) && node->kind != NodeKind::Barrier &&
                                !isa<DeclStmt>(node->statement); // of shared arrays
      if (isOfInterest && !giveToFirstGroup(*node))
        return false;
    }
    return true;
  }

  bool giveToFirstGroup(const KernelNode &node) {
    const KernelNode *outermost = &node;
    for (const KernelNode *up = node.parent; up; up = up->parent) {
      const bool isSimple = llvm::all_of(view.all(*up), [&](const KernelNode *each) {
        return each->kind != NodeKind::Barrier && each->kind != NodeKind::Jump &&
               !isDistributed(each->statement);
      });
      if ((up->kind != NodeKind::Branch && up->kind != NodeKind::Block && up->kind != NodeKind::Loop) ||
          !isSimple || !up->parent)
        break;
      outermost = up;
    }
    if (llvm::any_of(view.all(*outermost),
                     [&](const KernelNode *each) { return carries(*each, outermost->statement); }))
      return refuse(node, "this has a side effect, so only one group may execute it, and it sets a variable "
                          "that all groups use later");
    result.firstGroupOnly.insert(outermost);
    return true;
  }

  const RoleView &view;
  const RoleSplit &split;
  GroupSplit result;
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<GroupSplit, Diagnostic> splitAmongGroups(const RoleView &view, const RoleSplit &split) {
  return GroupSplitter(view, split).find();
}

} // namespace heddle::transform
