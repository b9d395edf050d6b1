// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The third step of a plan: statements that are done for each item gather in work loops, up to the next
// barrier, piece of structure, or work that is done once and cannot move up before them.
//
//     x = in[t];                    once:  n = size[0];
//     n = size[0];          =>      loop:  x = in[t]; y = x * n;
//     y = x * n;
//
// An item that returns leaves its work loop only: the others go on, and later work loops ask which items are
// still there.
#include "analysis/StatementShape.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/work/NodeEffects.h"
#include "transform/work/WorkSteps.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::breaksOut;
using analysis::continuesOut;
using analysis::isLoop;
using analysis::jumpsOf;
using Role = Work::Role;

namespace {

class SegmentMaker {
public:
  SegmentMaker(WorkPlan &plan, const WorkQuestion &question)
      : plan(plan), question(question), definitions(question.definitions()), nodes(plan) {}

  /// The statement that should not be done once, where there is one.
  const Stmt *make(WorkBody &body) {
    std::vector<const KernelNode *> open;
    for (size_t i = 0; i < body.nodes.size(); ++i) {
      const KernelNode *node = body.nodes[i];
      const Role role = plan.of(*node).role;
      if (role == Role::Item) {
        open.push_back(node);
        continue;
      }
      const bool movesUp =
          role == Role::Once && mayMoveBefore(plan, *node, open, question.facts,
                                              [&](const KernelNode &each) { return writtenBy(each); });
      if (!movesUp && role == Role::Once && isOfInterestOnlyTo(*node, body, i))
        return node->statement;
      if (!movesUp)
        close(body, open);
      body.segments.push_back({Work::once, {node}});
      for (const WorkBody *inner : plan.bodiesOf(*node))
        if (const Stmt *wrong = make(plan.bodies.at(inner->owner->id)))
          return wrong;
    }
    close(body, open);
    return nullptr;
  }

private:
  void close(WorkBody &body, std::vector<const KernelNode *> &open) {
    if (open.empty())
      return;
    const unsigned number = unsigned(plan.groups.size());
    plan.groups.push_back({open, plan.of(*open.front()).parent, false, false, false});
    for (const KernelNode *node : open)
      plan.of(*node).group = number;
    body.segments.push_back({number, std::move(open)});
    open.clear();
  }

  Variables writtenBy(const KernelNode &node) const {
    Variables found;
    for (const ItemVariable &entry : plan.variables) {
      if (entry.declaredBy == &node)
        found.insert(entry.variable);
      if (definitions.isTracked(entry.variable))
        for (const source::Definition *definition : definitions.definitionsOf(entry.variable))
          if (nodes.setBy(*definition, entry) == &node)
            found.insert(entry.variable);
    }
    return found;
  }

  /// The variables it sets are mentioned only in the body's statements from `position` up to the next
  /// barrier.
  bool isOfInterestOnlyTo(const KernelNode &node, const WorkBody &body, size_t position) const {
    if (jumpsOf(node.statement).any())
      return false;
    std::set<const KernelNode *> near;
    for (size_t i = 0; i < body.nodes.size(); ++i) {
      const Role role = plan.of(*body.nodes[i]).role;
      const bool cuts = role == Role::Structure || role == Role::Fixed;
      if (cuts && i > position)
        break;
      if (cuts)
        near.clear();
      else
        near.insert(body.nodes[i]);
    }
    const Variables writes = writtenBy(node);
    return std::ranges::none_of(plan.nodes, [&](const KernelNode *other) {
      return !near.contains(other) && meet(writes, mentionedBy(plan, *other));
    });
  }

  WorkPlan &plan;
  const WorkQuestion &question;
  const source::ReachingDefinitions &definitions;
  const NodeIndex nodes;
};

// Returns
// -----------------------------------------------------------------------------------------------------------

/// The work loop that nothing follows at the kernel's end but a return.
unsigned lastGroup(const WorkPlan &plan) {
  const auto &segments = plan.root().segments;
  for (size_t i = segments.size(); i-- > 0;)
    if (segments[i].group != Work::once || !isa<ReturnStmt>(segments[i].nodes.front()->statement))
      return segments[i].group;
  return Work::once;
}

/// In a loop that items return from, work loops before that place meet them again in the next iteration.
void markLoop(WorkPlan &plan, const KernelNode *structure) {
  const KernelNode *outermost = nullptr;
  for (const KernelNode *at = structure; at; at = plan.of(*at).parent)
    if (isLoop(at->statement))
      outermost = at;
  for (WorkPlan::Group &group : plan.groups)
    for (const KernelNode *at = group.parent; at; at = plan.of(*at).parent)
      group.checksActive |= at == outermost;
}

void markReturns(WorkPlan &plan) {
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    WorkPlan::Group &group = plan.groups[i];
    group.isLast = !group.parent && lastGroup(plan) == i;
    const bool returns = std::ranges::any_of(
        group.nodes, [&](const KernelNode *node) { return !plan.usesOf(*node).returns.empty(); });
    group.checksActive = plan.needsActive;
    group.exits = returns && !group.isLast;
    if (group.exits && isInLoop(plan, group.parent))
      markLoop(plan, group.parent);
    plan.needsActive |= group.exits;
  }
}

/// The work loop (or the structure itself) is the last thing in its body but for a jump of the same kind.
bool endsBody(const WorkPlan &plan, const KernelNode &node, unsigned group, bool breaks) {
  for (const WorkBody *body : plan.bodiesOf(*plan.of(node).parent))
    for (size_t i = 0; i < body->segments.size(); ++i) {
      const WorkBody::Segment &segment = body->segments[i];
      if (std::ranges::find(segment.nodes, &node) == segment.nodes.end() &&
          (group == Work::once || segment.group != group))
        continue;
      if (i + 1 == body->segments.size())
        return true;
      const Stmt *next = body->segments[i + 1].nodes.front()->statement;
      return breaks ? isa<BreakStmt>(next) : isa<ContinueStmt>(next);
    }
  return false;
}

/// After the node's work loop nothing is done up to the end of the innermost structure of a kind, which a
/// jump leaves.
template <class IsTarget>
bool isLastIn(const WorkPlan &plan, const KernelNode &node, const IsTarget &isTarget, bool breaks) {
  unsigned group = plan.of(node).group;
  for (const KernelNode *at = &node; plan.of(*at).parent; at = plan.of(*at).parent) {
    const KernelNode *parent = plan.of(*at).parent;
    if (!endsBody(plan, *at, group, breaks))
      return false;
    if (isTarget(parent->statement))
      return true;
    if (breaks && isLoop(parent->statement))
      return false;
    group = Work::once;
  }
  return false;
}

/// An item that leaves an iteration, or a switch, by itself goes on with the next item of its work loop. So
/// nothing may lie between that work loop and the end of what it leaves.
bool mayLeave(const WorkPlan &plan, const KernelNode &node) {
  const auto isSwitch = [](const Stmt *around) { return isa<SwitchStmt>(around); };
  return (breaksOut(node.statement).empty() || isLastIn(plan, node, isSwitch, true)) &&
         (continuesOut(node.statement).empty() || isLastIn(plan, node, isLoop, false));
}

} // namespace

bool isInLoop(const WorkPlan &plan, const KernelNode *structure) {
  for (; structure; structure = plan.of(*structure).parent)
    if (isLoop(structure->statement))
      return true;
  return false;
}

Planned makeSegments(WorkPlan plan, const WorkQuestion &question) {
  if (const Stmt *wrong = SegmentMaker(plan, question).make(plan.bodies.at(plan.tree->root().id)))
    return WrongChoice{&Forbidden::once, wrong};
  return plan;
}

Planned findExits(WorkPlan plan, const WorkQuestion &question) {
  markReturns(plan);
  for (const ItemVariable &entry : plan.variables)
    if (plan.needsActive && entry.inHeader)
      return legalityFailure(
          question.location(entry.declaredBy ? entry.declaredBy->statement : plan.tree->root().statement),
          "whether a barrier is reached depends on '{}', and some threads may have returned before it is set",
          entry.variable->getNameAsString());
  for (const KernelNode *node : plan.nodes)
    if (plan.of(*node).role == Role::Item && !mayLeave(plan, *node))
      return legalityFailure(
          question.location(node->statement),
          "individual threads leave here, and code follows that these threads must not execute");
  return plan;
}

} // namespace heddle::transform
