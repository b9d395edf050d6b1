// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second step of a plan: which statements are done once. Statements and variables depend on each other: a
// variable differs by item where work that differs sets it, and work differs where it mentions such a
// variable. Both are found to a fixed point, from statements that may be done once by themselves.
//
// The heads of the structure are evaluated once for all items, so nothing in them may differ. Where a head
// does work for each item it must be taken apart first.
#include "analysis/CallEffects.h"
#include "analysis/OutwardEffects.h"
#include "analysis/StatementShape.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/work/WorkSteps.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::declaredBy;
using analysis::headerOf;
using Role = Work::Role;

namespace {

std::vector<ItemVariable> variablesOf(const WorkPlan &plan, const FunctionDecl *kernel) {
  std::vector<ItemVariable> found;
  const auto add = [&](const VarDecl *variable, const KernelNode *declaredBy) {
    if (!variable->hasLocalStorage() || variable->hasAttr<CUDASharedAttr>())
      return;
    found.push_back({.variable = variable, .declaredBy = declaredBy});
  };
  for (const ParmVarDecl *parameter : kernel->parameters())
    add(parameter, nullptr);
  for (const KernelNode *node : plan.nodes) {
    std::vector<const Stmt *> places = {node->statement};
    if (plan.of(*node).role == Role::Structure)
      places = headerOf(node->statement);
    for (const Stmt *place : places)
      for (const VarDecl *variable : declaredBy(place))
        add(variable, node);
  }
  return found;
}

class RoleSettler {
public:
  RoleSettler(WorkPlan &plan, const WorkQuestion &question)
      : plan(plan), question(question), definitions(question.definitions()), index(plan), nodes(plan) {}

  /// The statement that was done as a whole and must not be, where there is one.
  const Stmt *settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (ItemVariable &entry : plan.variables)
        if (!entry.differs && isSetByItems(entry))
          entry.differs = changed = true;
      for (const KernelNode *node : plan.nodes)
        if (plan.of(*node).role == Role::Once && mentionsItemVariable(*node)) {
          // A branch that all items agree on, and that jumps, would have to be done for each of them: its
          // condition reads what each has of its own.
          if (mustBeStructure(question, node->statement) &&
              !question.forbidden.leaf.contains(node->statement))
            return node->statement;
          plan.of(*node).role = Role::Item;
          changed = true;
        }
    }
    return nullptr;
  }

private:
  /// Some work that differs by item gives the variable a value.
  bool isSetByItems(const ItemVariable &entry) const {
    const VarDecl *variable = entry.variable;
    if (analysis::groupKind(variable->getType()) != analysis::GroupKind::None)
      return false;                       // a handle that is the same for all; barriers need it
    if (!definitions.isTracked(variable)) // a reference
      return entry.declaredBy && plan.of(*entry.declaredBy).role != Role::Once;
    if (definitions.addressEscapes(variable))
      return true;
    for (const source::Definition *definition : definitions.definitionsOf(variable)) {
      // `int m, e;` gives neither a value: one may be counted by a loop of the structure, the other by items.
      if (definition->kind == source::Definition::Kind::Uninitialized)
        continue;
      const KernelNode *node = nodes.setBy(*definition, entry);
      const std::optional<Role> role = node ? std::optional(plan.of(*node).role) : std::nullopt;
      if (role == Role::Item || (role == Role::Structure && !question.uniform.isUniform(*definition)))
        return true;
    }
    return false;
  }

  bool mentionsItemVariable(const KernelNode &node) const {
    const auto isItem = [&](const VarDecl *variable) { return index.findItem(variable) != nullptr; };
    return std::ranges::any_of(plan.usesOf(node).variables(), isItem) ||
           std::ranges::any_of(declaredBy(node.statement), isItem);
  }

  WorkPlan &plan;
  const WorkQuestion &question;
  const source::ReachingDefinitions &definitions;
  const VariableIndex index;
  const NodeIndex nodes;
};

// Heads
// -----------------------------------------------------------------------------------------------------------

/// What the head of a structure does for each item: it declares or changes a variable of which each has its
/// own, or has an effect on something else.
HeadWork headWorkOf(const KernelNode &structure, const WorkPlan &plan, const VariableIndex &index,
                    const WorkQuestion &question) {
  HeadWork work{structure.statement};
  for (const ItemVariable &entry : plan.variables)
    if (entry.differs && entry.declaredBy == &structure)
      work.variables.insert(entry.variable);
  for (const DeclRefExpr *reference : plan.usesOf(structure).locals)
    if (auto *variable = cast<VarDecl>(reference->getDecl());
        index.findItem(variable) && source::isChanged(reference, question.definitions().graph()))
      work.variables.insert(variable);
  for (const Stmt *part : headerOf(structure.statement))
    if (const Stmt *effect = analysis::effectBeyondLocals(plan.tree->unit(), part))
      work.effects.insert(effect);
  return work;
}

/// The variables of the head that differ by item.
std::vector<ItemVariable *> itemsIn(const Uses &uses, const VariableIndex &index) {
  std::vector<ItemVariable *> found;
  for (const VarDecl *variable : uses.variables())
    if (ItemVariable *entry = index.findItem(variable))
      found.push_back(entry);
  return found;
}

} // namespace

Planned settleRoles(WorkPlan plan, const WorkQuestion &question) {
  plan.variables = variablesOf(plan, question.facts.kernel->function);
  if (const Stmt *wrong = RoleSettler(plan, question).settle())
    return WrongChoice{&Forbidden::leaf, wrong};
  return plan;
}

Planned checkHeads(WorkPlan plan, const WorkQuestion &question) {
  const VariableIndex index(plan);
  NeededFirst needed;
  for (const KernelNode *node : plan.nodes) {
    const Work &work = plan.of(*node);
    // All items' votes are asked for at once.
    if (ItemVariable *voted = work.vote ? index.findItem(work.vote->vote) : nullptr)
      voted->isVoted = true;
    if (work.role == Role::Structure && isa<CXXForRangeStmt>(node->statement))
      needed.heads.push_back({node->statement});
  }
  for (const KernelNode *node : plan.nodes) {
    if (plan.of(*node).role != Role::Structure)
      continue;
    const Uses &uses = plan.usesOf(*node);
    const bool usesThreadIndex = uses.mentions(analysis::ThreadBuiltin::Kind::ThreadIdx);
    HeadWork own = headWorkOf(*node, plan, index, question);
    const std::vector<ItemVariable *> items = itemsIn(uses, index);
    if (plan.of(*node).isJammed) {
      if (own.isEmpty() && items.empty() && !usesThreadIndex)
        continue;
      return WrongChoice{&Forbidden::jam, node->statement};
    }
    if (!own.isEmpty()) {
      needed.heads.push_back(std::move(own));
      continue;
    }
    if (usesThreadIndex)
      return legalityFailure(question.location(node->statement),
                             "the condition around a barrier is computed from the thread's index");
    for (ItemVariable *entry : items) // all items agree on what is read here
      entry->inHeader = true;
  }
  if (!needed.heads.empty())
    return needed;
  return plan;
}

} // namespace heddle::transform
