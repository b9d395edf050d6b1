// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/LoopWork.h"

#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/SeparateNames.h"
#include "transform/loops/LoopSubject.h"

#include <clang/AST/Decl.h>

#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::DiscardedCode;
using analysis::discardedCode;

namespace {

/// What is in the text but not in the tree that is looked at.
LegalityFailure hiddenText(const analysis::LoopStudy &study, const Stmt *subject) {
  if (source::hasConditionalText(study.unit, subject->getSourceRange()))
    return legalityFailure(study.unit.location(subject),
                           "there is an #if or another directive of the preprocessor inside");
  for (const DiscardedCode &hidden : discardedCode(study.kernel.function))
    if (analysis::partsOf(subject).contains(hidden.branch))
      return legalityFailure(study.unit.location(hidden.branch),
                             "'if constexpr' leaves out code here that another instantiation may take");
  return std::nullopt;
}

LegalityFailure workOn(Context &context, const Kernel &kernel,
                       const std::function<LegalityFailure(const LoopTask &)> &work) {
  analysis::LoopStudy study(kernel, context.pointersOf(kernel));
  if (LegalityFailure general = study.generalFailure())
    return general;
  std::variant<const Stmt *, Diagnostic> subject = subjectOf(context, kernel);
  if (auto *none = std::get_if<Diagnostic>(&subject))
    return *none;
  const Stmt *statement = std::get<const Stmt *>(subject);
  if (LegalityFailure hidden = hiddenText(study, statement))
    return hidden;
  return work({context, study, statement, &kernel == &context.target.first()});
}

} // namespace

std::variant<analysis::CountedLoop, Diagnostic> countedSubject(const LoopTask &task) {
  auto counted = task.study.counted(cast<ForStmt>(task.subject));
  if (counted.index() == 0 && isa_and_nonnull<AttributedStmt>(task.study.parent(task.subject)))
    return legalityFailure(task.study.unit.location(task.subject),
                           "another pragma for this loop precedes it");
  return counted;
}

std::vector<Replacement>
renamed(const Stmt *code, const std::function<std::optional<std::string>(const DeclRefExpr *)> &nameOf) {
  std::vector<Replacement> parts;
  std::set<clang::SourceLocation> seen; // a mention may be there several times, in what a list is made of
  for (const DeclRefExpr *mention : Uses::of(code).locals)
    if (std::optional<std::string> name = nameOf(mention); name && seen.insert(mention->getLocation()).second)
      parts.push_back({mention->getLocation(), *name});
  return parts;
}

PassResult carryOutOn(Context &context, const std::function<LegalityFailure(const LoopTask &)> &work) {
  if (std::optional<Needs> needed = separateNames(context, context.target.first()))
    return *needed;
  for (const Kernel *instance : context.target.instances)
    if (LegalityFailure found = workOn(context, *instance, work))
      return context.refuse(*found);
  return context.edited();
}

} // namespace heddle::transform
