// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in a statement that is done for each work item: the item's index instead of the thread's, the
// item's element instead of a variable that goes from one work loop to another, the next item instead of a
// return.
#include "transform/work/ItemText.h"

#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::breaksOut;

using Role = Work::Role;

ItemText::ItemText(const Unit &unit, const WorkPlan &plan, const ItemIndices &indices,
                   const CallChanges &calls, Names &names)
    : unit(unit), plan(plan), indices(indices), calls(calls), names(names) {
  for (const ItemVariable &entry : plan.variables)
    if (!entry.declaredBy)
      parameterNames[entry.variable] = names.fresh(entry.variable->getNameAsString() + "Item");
  if (plan.needsActive) {
    activeName = names.fresh("active");
    leftName = names.fresh("itemsLeft");
  }
}

bool ItemText::isUsedIn(const ItemVariable &entry, unsigned group) {
  return std::ranges::find(entry.groups, group) != entry.groups.end();
}

std::vector<Replacement> ItemText::editsOf(const KernelNode &node) {
  auto *declarations = dyn_cast<DeclStmt>(node.statement);
  if (plan.of(node).role == Role::Item && declarations && mustRewrite(*declarations, node))
    return {{plan.rangeOf(node), rewritten(*declarations, node)}};
  if (plan.of(node).vote)
    return {{plan.of(node).vote->call->getSourceRange(), joinedVote(*plan.of(node).vote)}};
  std::vector<Replacement> edits = replacements(plan.usesOf(node), plan.of(node).role == Role::Structure);
  if (plan.of(node).role != Role::Item)
    return edits;
  for (const Stmt *jump : breaksOut(node.statement)) // of a switch around the work loop
    edits.push_back({jump->getSourceRange(), "continue"});
  for (const ReturnStmt *statement : plan.usesOf(node).returns)
    edits.push_back({source::wholeStatement(unit, statement), leaving(statement, node)});
  return edits;
}

std::vector<Replacement> ItemText::editsOfPattern(const Uses &uses) {
  std::vector<Replacement> edits = replacementsIn(unit, uses, indices, calls);
  for (const DeclRefExpr *reference : uses.locals)
    for (const ItemVariable &entry : plan.variables)
      if (entry.variable->getLocation() == reference->getDecl()->getLocation() &&
          (!entry.declaredBy || entry.keep == Keep::Array))
        edits.push_back({reference->getSourceRange(), mentionOf(entry, indices.subscripts())});
  if (!uses.returns.empty())
    refuse(uses.returns.front(),
           "another instantiation returns here, and this one does not ('if constexpr')");
  return edits;
}

void ItemText::refuse(const Stmt *where, std::string why, std::string hint) {
  if (!refused)
    refused = legalityFailure(unit.location(where), std::move(why)).withHint(std::move(hint));
}

std::string ItemText::nameOf(const ItemVariable &entry) const {
  auto renamed = parameterNames.find(entry.variable);
  return renamed == parameterNames.end() ? entry.variable->getNameAsString() : renamed->second;
}

std::string ItemText::rendered(SourceRange range, const std::vector<Replacement> &parts) {
  source::Rewriter text(unit);
  std::string result = text.text(range, parts);
  if (!refused)
    refused = text.failure;
  return result;
}

std::string ItemText::renderedItem(const Expr *expression) {
  return rendered(expression->getSourceRange(), replacements(Uses::of(expression), false));
}

std::vector<Replacement> ItemText::replacements(const Uses &uses, bool inHeader) {
  std::vector<Replacement> parts = replacementsIn(unit, uses, indices, calls);
  std::set<unsigned> seen;
  for (const DeclRefExpr *reference : uses.locals) {
    const ItemVariable *entry = plan.find(cast<VarDecl>(reference->getDecl()));
    if (!entry || !seen.insert(reference->getLocation().getRawEncoding()).second)
      continue;
    if (!entry->declaredBy || entry->keep == Keep::Array)
      parts.push_back({reference->getSourceRange(),
                       mentionOf(*entry, inHeader ? indices.firstSubscripts() : indices.subscripts())});
  }
  return parts;
}

/// An item's own, in an expression.
std::string ItemText::mentionOf(const ItemVariable &entry, const std::string &subscripts) const {
  if (entry.keep != Keep::Array)
    return nameOf(entry);
  switch (entry.storage) {
  case ItemStorage::Elements: return nameOf(entry) + subscripts;
  case ItemStorage::Pointers: return "(*" + nameOf(entry) + subscripts + ")";
  case ItemStorage::Slots: return nameOf(entry) + subscripts + ".value";
  }
  return {};
}

/// True where `continue` would go on with a loop of the user's instead of the work loop.
bool ItemText::isInsideLoop(const Stmt *at, const KernelNode &node) const {
  return std::ranges::any_of(plan.usesOf(node).statements, [&](const Stmt *each) {
    return analysis::isLoop(each) && Uses::of(each).statements.contains(at);
  });
}

/// What a return of one work item becomes.
std::string ItemText::leaving(const ReturnStmt *statement, const KernelNode &node) {
  std::string jump = "continue;";
  if (isInsideLoop(statement, node)) {
    std::string &label = labels[plan.of(node).group];
    if (label.empty())
      label = names.fresh("nextItem");
    jump = "goto " + label + ";";
  }
  if (!plan.groups[plan.of(node).group].exits)
    return jump;
  return fmt::format("{{ {}{} = false; --{}; {} }}", activeName, indices.subscripts(), leftName, jump);
}

/// One vote of a thread for all its items. Threads that vote are counted, so items are counted one by one.
std::string ItemText::joinedVote(const BlockVote &vote) {
  const std::string function = rendered(vote.call->getCallee()->getSourceRange(), {});
  const std::string name = vote.vote->getNameAsString();
  const bool isCounted = vote.kind == BlockVote::Kind::Count;
  const bool isAlike = !plan.find(vote.vote), someDoNot = plan.needsActive || indices.presence(0);
  if (isAlike && (!isCounted || !someDoNot))
    return fmt::format("{}{}({})", isCounted ? fmt::format("{} * ", indices.items()) : "", function, name);
  const std::string between = isCounted ? " + " : vote.kind == BlockVote::Kind::Any ? " | " : " & ";
  const std::vector<std::string> all = indices.allSubscripts();
  std::vector<std::string> votes;
  for (unsigned item = 0; item < all.size(); ++item) {
    const std::string each = ofItem(vote, name + (isAlike ? "" : all[item]), all[item], item);
    votes.push_back(isCounted ? fmt::format("{}({})", function, each) : each);
  }
  const std::string joined = llvm::join(votes, between);
  return isCounted ? joined : fmt::format("{}({})", function, joined);
}

/// An item that has returned, or that there is none of, does not vote: what it left behind does not count.
std::string ItemText::ofItem(const BlockVote &vote, const std::string &value, const std::string &subscripts,
                             unsigned item) const {
  std::string votes;
  if (std::optional<std::string> presence = indices.presence(item))
    votes = *presence;
  if (plan.needsActive)
    votes += (votes.empty() ? "" : " && ") + activeName + subscripts;
  if (votes.empty())
    return value;
  return vote.kind == BlockVote::Kind::All ? fmt::format("(!({}) || {})", votes, value)
                                           : fmt::format("({} && {})", votes, value);
}

bool ItemText::isMovedFrom(const VarDecl *variable, const KernelNode &node) const {
  const ItemVariable *entry = plan.find(variable);
  if (!entry)
    return isUniformLocal(variable);
  return entry->keep == Keep::Array ||
         (entry->keep == Keep::Recompute && !isUsedIn(*entry, plan.of(node).group));
}

/// One that is the same for all items although it is declared along with others that are not.
bool ItemText::isUniformLocal(const VarDecl *variable) const {
  return !plan.find(variable) && variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>() &&
         !variable->getInit(); // in code that is never reached nothing is known of the others
}

/// Some of the variables declared here become arrays, or are not needed in this work loop.
bool ItemText::mustRewrite(const DeclStmt &declarations, const KernelNode &node) const {
  return std::ranges::any_of(analysis::declaredBy(&declarations),
                             [&](const VarDecl *variable) { return isMovedFrom(variable, node); });
}

/// The statement without what was moved elsewhere; arrays are declared before the work loop.
std::string ItemText::rewritten(const DeclStmt &declarations, const KernelNode &node) {
  std::vector<std::string> parts;
  for (const VarDecl *variable : analysis::declaredBy(&declarations)) {
    const ItemVariable *entry = plan.find(variable);
    if (isUniformLocal(variable))
      arrays[plan.of(node).group].push_back({node.id, declarationOf(variable)});
    if (!entry)
      continue;
    if (entry->keep == Keep::Array)
      becomeArray(*entry, node, parts);
    else if (entry->keep == Keep::Plain || isUsedIn(*entry, plan.of(node).group))
      parts.push_back(declarationOf(variable));
  }
  return llvm::join(parts, " ");
}

void ItemText::becomeArray(const ItemVariable &entry, const KernelNode &node,
                           std::vector<std::string> &parts) {
  std::string name = nameOf(entry);
  std::optional<std::string> declared = arrayOf(entry, name + indices.extents());
  if (!declared)
    return refuse(node.statement,
                  fmt::format("the type of '{}' differs by instantiation and cannot be declared here", name),
                  "give it a type instead of auto");
  if (entry.storage != ItemStorage::Elements) {
    arrays[plan.of(node).group].push_back({node.id, *declared + ";"});
    parts.push_back(entry.storage == ItemStorage::Pointers ? binding(entry) : construction(entry));
    return;
  }
  // What begins as zero can say so where it is declared.
  bool isZero = entry.variable->getInit() && isZeroLiteral(entry.variable->getInit());
  arrays[plan.of(node).group].push_back({node.id, *declared + (isZero ? " = {};" : ";")});
  if (isZero)
    return;
  if (std::string assigned = assignment(entry.variable, name + indices.subscripts(), node); !assigned.empty())
    parts.push_back(assigned);
}

/// The declaration of what the items have of a variable.
std::optional<std::string> ItemText::arrayOf(const ItemVariable &entry, const std::string &declarator) {
  if (entry.storage == ItemStorage::Pointers)
    return source::declarePointerTo(unit, entry.variable, declarator);
  if (entry.storage == ItemStorage::Elements)
    return source::declareAs(unit, entry.variable, declarator);
  // No constructor runs before that of the object itself, and none but that.
  std::optional<std::string> value = source::redeclare(unit, entry.variable, "value");
  const std::string slot = names.fresh(nameOf(entry) + "Slot");
  return value ? std::optional(
                     fmt::format("union {0} {{ __device__ {0}() {{}} {1}; }} {2}", slot, *value, declarator))
               : std::nullopt;
}

/// "p[kx] = &(s[threadX]);" of `float &p = s[threadIdx.x];`.
std::string ItemText::binding(const ItemVariable &entry) {
  return fmt::format("{}{} = &({});", nameOf(entry), indices.subscripts(),
                     renderedItem(entry.variable->getInit()));
}

/// "new (&p[kx].value) Point(1, 2);" of `Point p(1, 2);`.
std::string ItemText::construction(const ItemVariable &entry) {
  const VarDecl *variable = entry.variable;
  const std::string location = fmt::format("new ((void *)&{}) ", mentionOf(entry, indices.subscripts()));
  const std::string type = source::declareAs(unit, variable, "").value_or("");
  const Expr *value = variable->getInit();
  auto *made = value ? dyn_cast<CXXConstructExpr>(value->IgnoreImplicit()) : nullptr;
  const bool isCall = variable->getInitStyle() != VarDecl::CInit;
  if (!value || (made && made->getNumArgs() == 0 && variable->getInitStyle() == VarDecl::CallInit))
    return location + type + ";";
  if (isCall && made && made->getParenOrBraceRange().isValid())
    return location + type + rendered(made->getParenOrBraceRange(), replacements(Uses::of(value), false)) +
           ";";
  const std::string written = renderedItem(value);
  return written.starts_with("{") ? location + type + written + ";"
                                  : fmt::format("{}{}({});", location, type, written);
}

bool ItemText::isZeroLiteral(const Expr *value) const {
  value = value->IgnoreParenImpCasts();
  if (auto *list = dyn_cast<InitListExpr>(value)) { // `= {}` of an array
    const InitListExpr *written = list->getSyntacticForm() ? list->getSyntacticForm() : list;
    return written->getNumInits() == 0 && list->getType()->isArrayType();
  }
  if (auto *number = dyn_cast<FloatingLiteral>(value))
    return number->getValue().isPosZero();
  auto *number = dyn_cast<IntegerLiteral>(value);
  auto *truth = dyn_cast<CXXBoolLiteralExpr>(value);
  return (number && number->getValue() == 0) || (truth && !truth->getValue()) ||
         isa<CXXNullPtrLiteralExpr>(value);
}

/// "x[kx] = 1;" of `int x = 1;`, nothing of `int x;`.
std::string ItemText::assignment(const VarDecl *variable, const std::string &target, const KernelNode &node) {
  const Expr *value = variable->getInit();
  if (!value)
    return {};
  auto *construction = dyn_cast<CXXConstructExpr>(value->IgnoreImplicit());
  if (construction && construction->getNumArgs() == 0 && variable->getInitStyle() == VarDecl::CallInit)
    return {}; // each element of the array is made the same way
  if (variable->getType()->isArrayType())
    return arrayAssignment(variable, target, node);
  bool isList = isa<InitListExpr>(value->IgnoreImplicit()) || variable->getInitStyle() == VarDecl::ListInit;
  if (isList || (construction && variable->getInitStyle() == VarDecl::CallInit)) {
    std::optional<std::string> type = source::declareAs(unit, variable, "");
    SourceRange written = value->getSourceRange();
    if (construction && construction->getParenOrBraceRange().isValid())
      written = construction->getParenOrBraceRange();
    std::string list = rendered(written, replacements(Uses::of(value), false));
    return target + " = " + llvm::StringRef(type.value_or("")).rtrim().str() + list + ";";
  }
  return target + " = " + renderedItem(value) + ";";
}

std::string ItemText::arrayAssignment(const VarDecl *variable, const std::string &target,
                                      const KernelNode &node) {
  auto *list = dyn_cast<InitListExpr>(variable->getInit()->IgnoreImplicit());
  auto *type = unit.context().getAsConstantArrayType(variable->getType());
  if (!list || !type || type->getElementType()->isArrayType()) {
    refuse(node.statement,
           fmt::format(
               "the array '{}' is live across work loops, and its first values cannot be written one by one",
               variable->getNameAsString()));
    return {};
  }
  std::vector<std::string> parts;
  uint64_t size = type->getSize().getZExtValue();
  const InitListExpr *written = list->getSyntacticForm() ? list->getSyntacticForm() : list;
  for (unsigned i = 0; i < written->getNumInits(); ++i)
    parts.push_back(fmt::format("{}[{}] = {};", target, i, renderedItem(written->getInit(i))));
  if (written->getNumInits() < size)
    parts.push_back(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {3}[{0}] = {{}};", names.fresh("j"),
                                written->getNumInits(), size, target));
  return llvm::join(parts, " ");
}

/// A declaration of this one variable, with its value.
std::string ItemText::declarationOf(const VarDecl *variable) {
  std::optional<std::string> declared = source::redeclare(unit, variable, variable->getNameAsString());
  if (!declared) {
    refused = legalityFailure(unit.location(variable->getLocation()),
                              "the type of '{}' cannot be written down again", variable->getNameAsString())
                  .withHint("give it a type instead of auto");
    return {};
  }
  if (!variable->getInit())
    return *declared + ";";
  std::string value = renderedItem(variable->getInit());
  if (variable->getInitStyle() == VarDecl::ListInit)
    return *declared + value + ";";
  return *declared + " = " + value + ";";
}

} // namespace heddle::transform
