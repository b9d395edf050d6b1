// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of a plan: how variables that differ by item get from one work loop to another. They are
// settled from the last declared to the first: what a variable begins with mentions earlier ones only, and
// counts in every work loop in which the variable is recomputed.
#include "analysis/StatementShape.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "transform/NamedTypes.h"
#include "transform/work/WorkSteps.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <unordered_set>

using namespace clang;

namespace heddle::transform {

using analysis::DiscardedCode;
using Role = Work::Role;

namespace {

class VariableSettler {
public:
  VariableSettler(WorkPlan &plan, const WorkQuestion &question)
      : plan(plan), question(question), definitions(question.definitions()), index(plan), nodes(plan),
        groups(plan.variables.size()) {}

  void settle() {
    addMentionsOfItems();
    addMentionsOfDiscarded();
    for (size_t i = plan.variables.size(); i-- > 0;)
      settle(plan.variables[i], groups[i]);
    keepWhatIsPointedTo();
    for (size_t i = 0; i < plan.variables.size(); ++i)
      plan.variables[i].groups.assign(groups[i].begin(), groups[i].end());
  }

private:
  // Which work loops mention which variables
  // ---------------------------------------------------------------------------------------------------------

  void addMention(const VarDecl *variable, const std::set<unsigned> &where) {
    if (const ItemVariable *entry = index.find(variable))
      groups[entry - plan.variables.data()].insert(where.begin(), where.end());
  }

  /// Of all statements but what variables begin with.
  void addMentionsOfItems() {
    for (const KernelNode *node : plan.nodes) {
      if (plan.of(*node).role != Role::Item)
        continue;
      const Uses &uses = plan.usesOf(*node);
      const std::unordered_set<const Stmt *> later = firstValuesIn(*node);
      for (const DeclRefExpr *reference : uses.locals)
        if (!later.contains(reference))
          addMention(cast<VarDecl>(reference->getDecl()), {plan.of(*node).group});
      for (const VarDecl *whole : uses.boundVariables())
        addMention(whole, {plan.of(*node).group});
    }
  }

  /// The mentions in what variables of the statement begin with, where those differ by item: they
  /// count where the variable is computed, which may be elsewhere.
  std::unordered_set<const Stmt *> firstValuesIn(const KernelNode &node) const {
    std::unordered_set<const Stmt *> found;
    for (const VarDecl *variable : analysis::declaredBy(node.statement))
      if (index.findItem(variable))
        found.merge(Uses::of(variable->getInit()).statements);
    return found;
  }

  /// Of what another instantiation takes: its variables have the places of this one's.
  void addMentionsOfDiscarded() {
    for (const DiscardedCode &code : question.discarded)
      for (const DeclRefExpr *reference : code.uses.locals)
        for (size_t i = 0; i < plan.variables.size(); ++i)
          if (const KernelNode *node = nodes.find(code.branch);
              node && plan.variables[i].variable->getLocation() == reference->getDecl()->getLocation())
            groups[i].insert(plan.of(*node).group);
  }

  // How it is kept
  // ---------------------------------------------------------------------------------------------------------

  void settle(ItemVariable &entry, const std::set<unsigned> &mentioned) {
    entry.declaredIn = entry.declaredBy ? plan.of(*entry.declaredBy).group : Work::once;
    if (!entry.differs)
      return;
    if (livesElsewhere(entry, mentioned))
      entry.keep = mayRecompute(entry) ? Keep::Recompute : Keep::Array;
    // Only earlier variables are in its first value, and those are settled after it. What a header mentions
    // is its own business.
    if (entry.declaredIn == Work::once || !entry.variable->getInit())
      return;
    const Uses value = Uses::of(entry.variable->getInit());
    const std::set<unsigned> where =
        entry.keep == Keep::Recompute ? mentioned : std::set<unsigned>{entry.declaredIn};
    for (const VarDecl *variable : value.variables())
      addMention(variable, where);
  }

  bool livesElsewhere(const ItemVariable &entry, const std::set<unsigned> &mentioned) const {
    if (entry.inHeader || entry.isVoted)
      return true;
    if (entry.declaredBy)
      return std::ranges::any_of(mentioned, [&](unsigned group) { return group != entry.declaredIn; });
    // A parameter comes from outside: what a work loop in a loop makes of it is there in the next iteration.
    return mentioned.size() > 1 || std::ranges::any_of(mentioned, [&](unsigned group) {
             return group != Work::once && isInLoop(plan, plan.groups[group].parent);
           });
  }

  bool mayRecompute(const ItemVariable &entry) const {
    return !entry.inHeader && !entry.isVoted && entry.declaredBy &&
           (question.uniform.isCheapAndStable(entry.variable) || isSetWhereRead(entry.variable)) &&
           isReadAlikeEverywhere(entry.variable);
  }

  /// True for `float t;` where each work loop that reads it has set it before, in the same iteration of what
  /// is around it: nothing goes from one to another. As no read sees the variable as declared, a value is set
  /// on every way from the work loop's beginning to the read.
  bool isSetWhereRead(const VarDecl *variable) const {
    if (!definitions.isTracked(variable) || definitions.addressEscapes(variable) || variable->getInit() ||
        isInDiscarded(variable))
      return false;
    for (const DeclRefExpr *reference : definitions.referencesTo(variable)) {
      const KernelNode *reader = nodes.find(reference);
      if (!reader || plan.of(*reader).role != Role::Item)
        return false;
      if (!definitions.isRead(reference))
        continue;
      for (const source::Definition *definition : definitions.reaching(reference)) {
        const KernelNode *setter = nodes.find(definition->statement);
        if (definition->kind == source::Definition::Kind::Uninitialized || !setter ||
            plan.of(*setter).group != plan.of(*reader).group)
          return false;
      }
    }
    return true;
  }

  bool isInDiscarded(const VarDecl *variable) const {
    return std::ranges::any_of(question.discarded, [&](const DiscardedCode &code) {
      return code.uses.mentionsAny(
          [&](const VarDecl *each) { return each->getLocation() == variable->getLocation(); });
    });
  }

  /// No other variable has its name, or a name that its value is made of: it can be written down in any
  /// block.
  bool isReadAlikeEverywhere(const VarDecl *variable) const {
    const auto isOnlyOne = [&](const VarDecl *wanted) {
      return std::ranges::none_of(plan.variables, [&](const ItemVariable &entry) {
        return entry.variable != wanted && entry.variable->getName() == wanted->getName();
      });
    };
    if (!isOnlyOne(variable))
      return false;
    if (!variable->getInit())
      return true;
    return std::ranges::all_of(Uses::of(variable->getInit()).locals, [&](const DeclRefExpr *reference) {
      return isOnlyOne(cast<VarDecl>(reference->getDecl()));
    });
  }

  /// A pointer or reference that goes from one work loop to another may point to a variable: it must live as
  /// long.
  void keepWhatIsPointedTo() {
    const bool mayPoint = std::ranges::any_of(plan.variables, [](const ItemVariable &entry) {
      const QualType type = entry.variable->getType();
      return entry.differs && entry.keep == Keep::Array && !type->isArithmeticType() &&
             !type->isEnumeralType();
    });
    if (!mayPoint)
      return;
    for (ItemVariable &entry : plan.variables) {
      const bool isNamedByOthers =
          (definitions.isTracked(entry.variable) && definitions.addressEscapes(entry.variable)) ||
          isReferredTo(entry.variable);
      if (entry.differs && isNamedByOthers)
        entry.keep = Keep::Array;
    }
  }

  /// A reference that is kept is bound to it, or to a part of it.
  bool isReferredTo(const VarDecl *variable) const {
    return std::ranges::any_of(plan.variables, [&](const ItemVariable &entry) {
      const Expr *value = entry.variable->getInit();
      const bool isKept = entry.keep == Keep::Array && entry.variable->getType()->isReferenceType() && value;
      const std::optional<source::LocalPlace> location = isKept ? source::localPlace(value) : std::nullopt;
      return location && location->variable == variable;
    });
  }

  WorkPlan &plan;
  const WorkQuestion &question;
  const source::ReachingDefinitions &definitions;
  const VariableIndex index;
  const NodeIndex nodes;
  std::vector<std::set<unsigned>> groups; ///< work loops that mention each variable
};

} // namespace

Planned settleVariables(WorkPlan plan, const WorkQuestion &question) {
  VariableSettler(plan, question).settle();
  std::erase_if(plan.variables, [](const ItemVariable &entry) { return !entry.differs; });
  NeededFirst needed;
  for (ItemVariable &entry : plan.variables) {
    if (entry.keep == Keep::Plain)
      continue;
    if (isa<DecompositionDecl>(entry.variable))
      return legalityFailure(question.location(entry.declaredBy->statement),
                             "the names of a structured binding are used on both sides of a barrier")
          .withHint("declare a variable for each part");
    if (entry.keep == Keep::Array) {
      auto storage = storageOf(entry, question);
      if (auto *refused = std::get_if<Diagnostic>(&storage))
        return *refused;
      entry.storage = std::get<ItemStorage>(storage);
    }
    // `struct { int a, b; } pair;` and similar types cannot be declared again as they are.
    auto *declarations = entry.declaredBy ? dyn_cast<DeclStmt>(entry.declaredBy->statement) : nullptr;
    if (declarations && typeDefinedBy(declarations))
      needed.nameless.push_back(declarations);
  }
  if (!needed.nameless.empty())
    return needed;
  return plan;
}

} // namespace heddle::transform
