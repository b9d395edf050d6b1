// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel to a plan for merged threads, in four steps, each of which takes the plan so far and gives it
// back with what it decides:
//
//   1. Tree (WorkTree.cpp). Statements that hold a barrier stay as structure around the others; so do uniform
//      branches that jump out of the structure, and uniform loops in which merged threads read the same
//      elements (then the work loop goes inside, and the loads are shared). Everything else is done as a whole.
//   2. Roles (WorkRoles.cpp). A statement that does the same for all work items may be done once. That fails
//      where one of its variables is also set by work that differs: then it is done for each item as well.
//      Repeated until nothing changes.
//   3. Segments (WorkSegments.cpp). Statements between two barriers become one work loop. Work done once moves
//      up before the loop where nothing in between depends on it; where it cannot, it cuts the loop in two, or
//      joins it if nothing else needs its results.
//   4. Variables (WorkVariables.cpp). What is mentioned in one work loop only is not changed. Else it is
//      recomputed in each (cheap, never changed) or kept in an array with an element for each item.
//
// Where the head of a loop or branch around a barrier does work of step 2's kind for each item, there is no
// plan yet: the head must be taken apart first (HeadWork).
//
// Steps 2 and 3 can show that an earlier choice was wrong (a loop's header needs a value that differs by
// item); the choice is then forbidden and planning starts again.
#include "transform/work/WorkPlan.h"

#include "source/ReachingDefinitions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/work/WorkSteps.h"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

unsigned itemsOf(const std::vector<Axis> &axes) {
  unsigned items = 1;
  for (const Axis &axis : axes)
    items *= axis.factor;
  return items;
}

std::vector<const WorkBody *> WorkPlan::bodiesOf(const KernelNode &node) const {
  std::vector<const WorkBody *> found;
  if (of(node).role != Work::Role::Structure)
    return found;
  if (node.kind == KernelNode::Kind::Block)
    return {&bodies.at(node.id)};
  for (const auto &child : node.children)
    if (auto body = bodies.find(child->id); body != bodies.end())
      found.push_back(&body->second);
  return found;
}

const Uses &WorkPlan::usesOf(const KernelNode &node) const {
  static const Uses none;
  const Work &decided = of(node);
  // A range-based loop's head is taken apart before there is a plan.
  if (decided.role == Work::Role::Structure)
    return isa<CXXForRangeStmt>(node.statement) ? none : tree->own(node).uses;
  const bool isMark =
      decided.role == Work::Role::Fixed && !decided.vote && node.kind != KernelNode::Kind::Jump;
  return isMark ? none : tree->whole(node).uses;
}

SourceRange WorkPlan::rangeOf(const KernelNode &node) const {
  if (auto *label = dyn_cast<SwitchCase>(node.statement))
    return {label->getBeginLoc(), label->getColonLoc()};
  return source::wholeStatement(tree->unit(), node.statement);
}

const ItemVariable *WorkPlan::find(const VarDecl *variable) const {
  for (const ItemVariable &entry : variables)
    if (entry.variable == variable)
      return &entry;
  return nullptr;
}

SourceLocation WorkQuestion::location(const Stmt *statement) const {
  return facts.uniformity->unit().location(statement);
}

VariableIndex::VariableIndex(WorkPlan &plan) {
  for (ItemVariable &entry : plan.variables)
    known[entry.variable] = &entry;
}

ItemVariable *VariableIndex::find(const VarDecl *variable) const {
  auto found = known.find(variable);
  return found == known.end() ? nullptr : found->second;
}

ItemVariable *VariableIndex::findItem(const VarDecl *variable) const {
  ItemVariable *found = find(variable);
  return found && found->differs ? found : nullptr;
}

NodeIndex::NodeIndex(const WorkPlan &plan) {
  for (const KernelNode *node : plan.nodes)
    for (const Stmt *inside : plan.usesOf(*node).statements)
      known[inside] = node;
}

const KernelNode *NodeIndex::find(const Stmt *part) const {
  auto found = known.find(part);
  return found == known.end() ? nullptr : found->second;
}

const KernelNode *NodeIndex::setBy(const source::Definition &definition, const ItemVariable &entry) const {
  using Kind = source::Definition::Kind;
  // The flow graph takes `int a, b;` apart: its statements are not those of the text.
  if (definition.kind == Kind::Declaration || definition.kind == Kind::Uninitialized)
    return entry.declaredBy;
  return find(definition.statement);
}

std::variant<WorkPlan, Diagnostic, NeededFirst> planWork(const KernelFacts &facts,
                                                         const std::vector<Axis> &axes) {
  bool mergesBlocks =
      std::ranges::any_of(axes, [](const Axis &axis) { return axis.dimension == Axis::grid; });
  const analysis::UniformWork uniform(facts, mergesBlocks ? analysis::Level::Grid : analysis::Level::Block);
  const std::vector<analysis::DiscardedCode> discarded = analysis::discardedCode(facts.kernel->function);
  Forbidden forbidden;
  for (;;) {
    const WorkQuestion question{facts, axes, uniform, forbidden, discarded};
    Planned planned = cutTree(question);
    for (auto *step : {settleRoles, checkHeads, makeSegments, findExits, settleVariables})
      if (auto *plan = std::get_if<WorkPlan>(&planned))
        planned = step(std::move(*plan), question);
    if (auto *plan = std::get_if<WorkPlan>(&planned))
      return std::move(*plan);
    if (auto *refused = std::get_if<Diagnostic>(&planned))
      return *refused;
    if (auto *needed = std::get_if<NeededFirst>(&planned))
      return std::move(*needed);
    const WrongChoice &wrong = std::get<WrongChoice>(planned);
    (forbidden.*wrong.of).insert(wrong.statement);
  }
}

} // namespace heddle::transform
