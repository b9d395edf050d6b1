// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/FunctionCopies.h"

#include "source/Rewriter.h"

#include <clang/AST/Decl.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

std::set<unsigned> usedOnlyFor(const source::Unit &unit, const FunctionDecl *kernel,
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

bool insertCopy(Context &context, const source::Unit &unit, const FunctionDecl *function,
                const std::vector<source::Replacement> &parts) {
  source::Rewriter text(unit);
  const source::Code copy = text.code(source::wholeDefinition(unit, function), parts);
  if (text.failure)
    return context.refuse(*text.failure);
  text.insertBehind(context.edits, function->getBody()->getEndLoc(), source::Code::blankLine().add(copy),
                    source::wholeDefinition(unit, function).getBegin());
  return true;
}

} // namespace heddle::transform
