// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/UniformWork.h"
#include "support/LegalityFailure.h"
#include "transform/work/WorkPlan.h"

#include <unordered_map>

namespace heddle::transform {

/// Choices that turned out wrong in an earlier attempt at a plan.
struct Forbidden {
  std::set<const clang::Stmt *> jam;  ///< loops that work loops must not go into
  std::set<const clang::Stmt *> once; ///< statements to be done for each item
  std::set<const clang::Stmt *> leaf; ///< branches with jumps that must not get into a work loop
};

/// What all steps of planning know. Nothing of it changes in an attempt.
struct WorkQuestion {
  const KernelFacts &facts;
  const std::vector<Axis> &axes;
  const analysis::UniformWork &uniform;
  const Forbidden &forbidden;
  const std::vector<analysis::DiscardedCode> &discarded;

  const source::ReachingDefinitions &definitions() const { return facts.uniformity->definitions(); }
  SourceLocation location(const clang::Stmt *statement) const;
};

/// A step shows that a choice was wrong: planning starts again without it.
struct WrongChoice {
  std::set<const clang::Stmt *> Forbidden::*of;
  const clang::Stmt *statement = nullptr;
};

/// What a step makes of a plan: the plan with what the step decides; or why there is none, yet.
using Planned = std::variant<WorkPlan, WrongChoice, Diagnostic, NeededFirst>;

/// Step 1: which statements are cut open, and which are done as a whole.
Planned cutTree(const WorkQuestion &question);
/// A branch that all items agree on and that leaves the structure around it: its jump must not end up in a
/// work loop.
bool mustBeStructure(const WorkQuestion &question, const clang::Stmt *statement);

/// Step 2: which are done once, and which variables differ by item.
Planned settleRoles(WorkPlan plan, const WorkQuestion &question);
/// What the structure itself evaluates must be the same for all items, and not be set elsewhere.
Planned checkHeads(WorkPlan plan, const WorkQuestion &question);

/// Step 3: work loops, and items that leave them early.
Planned makeSegments(WorkPlan plan, const WorkQuestion &question);
Planned findExits(WorkPlan plan, const WorkQuestion &question);

/// Some loop is around the structure, or is it.
bool isInLoop(const WorkPlan &plan, const KernelNode *structure);

/// Step 4: how variables that differ by item are kept.
Planned settleVariables(WorkPlan plan, const WorkQuestion &question);
/// What the elements of an array are that keeps the variable for each item; a refusal where it cannot be kept.
std::variant<ItemStorage, Diagnostic> storageOf(const ItemVariable &entry, const WorkQuestion &question);

/// The variables of a plan by their declarations.
class VariableIndex {
public:
  explicit VariableIndex(WorkPlan &plan);
  ItemVariable *find(const clang::VarDecl *variable) const;
  /// One that differs by work item.
  ItemVariable *findItem(const clang::VarDecl *variable) const;

private:
  std::unordered_map<const clang::VarDecl *, ItemVariable *> known;
};

/// The decisions of a plan by the code that they are about.
class NodeIndex {
public:
  explicit NodeIndex(const WorkPlan &plan);
  /// Whose statement, or head, this is or is part of; null for what the structure itself is made of.
  const KernelNode *find(const clang::Stmt *part) const;
  /// The statement that makes a definition; null for what a parameter begins with.
  const KernelNode *setBy(const source::Definition &definition, const ItemVariable &entry) const;

private:
  std::unordered_map<const clang::Stmt *, const KernelNode *> known;
};

} // namespace heddle::transform
