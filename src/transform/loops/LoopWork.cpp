// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/LoopWork.h"

#include "analysis/Uses.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/SeparateNames.h"
#include "transform/loops/LoopSubject.h"

#include <clang/AST/Decl.h>

using namespace clang;

namespace heddle::transform {

using analysis::DiscardedCode;
using analysis::discardedCode;

namespace {

/// What stands in the text but not in the tree that is looked at.
Obstacle hiddenText(const LoopStudy &study, const Stmt *subject) {
  if (source::hasConditionalText(study.unit, subject->getSourceRange()))
    return obstacle(study.unit.place(subject),
                    "there is an #if or another directive of the preprocessor inside");
  for (const DiscardedCode &hidden : discardedCode(study.kernel.function))
    if (partsOf(subject).contains(hidden.branch))
      return obstacle(study.unit.place(hidden.branch),
                      "'if constexpr' leaves out code here that another instantiation may take");
  return std::nullopt;
}

Obstacle workOn(Context &context, const source::Kernel &kernel,
                const std::function<Obstacle(const LoopTask &)> &work) {
  LoopStudy study(kernel, context.pointersOf(kernel));
  if (Obstacle general = study.generalObstacle())
    return general;
  std::variant<const Stmt *, Diagnostic> subject = subjectOf(context, kernel);
  if (auto *none = std::get_if<Diagnostic>(&subject))
    return *none;
  const Stmt *statement = std::get<const Stmt *>(subject);
  if (Obstacle hidden = hiddenText(study, statement))
    return hidden;
  return work({context, study, statement, &kernel == &context.target.first()});
}

} // namespace

PassResult carryOutOn(Context &context, const std::function<Obstacle(const LoopTask &)> &work) {
  if (std::optional<Needs> needed = separateNames(context, context.target.first()))
    return *needed;
  for (const source::Kernel *instance : context.target.instances)
    if (Obstacle found = workOn(context, *instance, work)) {
      context.refuse(*found);
      return Refused();
    }
  return context.edited();
}

} // namespace heddle::transform
