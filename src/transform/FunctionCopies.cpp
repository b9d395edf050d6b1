// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/FunctionCopies.h"

#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

std::set<unsigned> usedOnlyFor(const Unit &unit, const FunctionDecl *kernel,
                               const std::vector<const FunctionDecl *> &functions) {
  source::Mentions mentions(unit);
  std::set<unsigned> ours = {source::Mentions::key(kernel)};
  for (const FunctionDecl *each : functions)
    ours.insert(source::Mentions::key(each));
  auto hasOtherUsers = [&](const FunctionDecl *function) {
    const auto &users = mentions.of(function);
    const bool isDeclaredOnce = function->getFirstDecl() == function->getMostRecentDecl();
    return !isDeclaredOnce || !std::includes(ours.begin(), ours.end(), users.begin(), users.end());
  };
  for (bool removes = true; removes;) {
    removes = false;
    for (const FunctionDecl *each : functions)
      if (ours.contains(source::Mentions::key(each)) && hasOtherUsers(each))
        removes = ours.erase(source::Mentions::key(each)) > 0;
  }
  return ours;
}

const std::string &CopyNames::of(const FunctionDecl *function) {
  std::string &name = known[source::Mentions::key(function)];
  if (name.empty())
    name = names.fresh(function->getNameAsString() + ending);
  return name;
}

bool CopyNames::isFirstCopy(const FunctionDecl *function) {
  return copied.insert(source::Mentions::key(function)).second;
}

std::optional<Replacement> inFrontOfArguments(const Unit &unit, SourceRange callee, const std::string &text) {
  llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
  size_t at = source::tokensOf(unit, callee).end;
  if (at + 1 >= all.size() || all[at].kind() != tok::l_paren)
    return std::nullopt;
  bool isOnly = all[at + 1].kind() == tok::r_paren;
  return Replacement{SourceRange(all[at].location(), all[at].location()), "(" + text + (isOnly ? "" : ", ")};
}

std::vector<Replacement> changedCalls(const Unit &unit, const Uses &uses, const CallChanges &calls) {
  std::vector<Replacement> parts;
  for (const CallExpr *call : uses.calls) {
    const FunctionDecl *callee = analysis::calleeOf(call);
    auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (!callee || !name || !calls.contains(callee))
      continue;
    const auto &[other, arguments] = calls.at(callee);
    if (other != callee->getNameAsString())
      parts.push_back({name->getLocation(), other});
    if (!arguments.empty())
      if (auto part = inFrontOfArguments(unit, name->getSourceRange(), arguments))
        parts.push_back(*part);
  }
  return parts;
}

std::vector<Replacement> changedHead(const Unit &unit, const FunctionDecl *function, const std::string &name,
                                     const std::string &parameters) {
  std::vector<Replacement> parts;
  if (name != function->getNameAsString())
    parts.push_back({function->getLocation(), name});
  if (!parameters.empty())
    if (auto part = inFrontOfArguments(unit, function->getLocation(), parameters))
      parts.push_back(*part);
  return parts;
}

bool mayTakeParameter(Context &context, const Unit &unit, const FunctionDecl *function, const char *asked) {
  const SourceLocation location = unit.location(function->getLocation());
  const std::string name = function->getNameAsString();
  if (isa<CXXMethodDecl>(function) || !function->getIdentifier())
    return context.refuse(
        location, "'{}' reads the {} and is a member function, which cannot be given another parameter", name,
        asked);
  return !function->getLocation().isMacroID() ||
         context.refuse(location, "'{}' reads the {} and is defined by a macro", name, asked);
}

void replaceParts(Context &context, const Unit &unit, const std::vector<Replacement> &parts) {
  for (const Replacement &part : parts)
    context.edits.replace(unit, part.part, part.text);
}

bool insertCopy(Context &context, const Unit &unit, const FunctionDecl *function,
                const std::vector<Replacement> &parts) {
  source::Rewriter text(unit);
  const Code copy = text.code(source::wholeDefinition(unit, function), parts);
  if (text.failure)
    return context.refuse(*text.failure);
  text.insertBehind(context.edits, function->getBody()->getEndLoc(), Code::blankLine().add(copy),
                    source::wholeDefinition(unit, function).getBegin());
  return true;
}

} // namespace heddle::transform
