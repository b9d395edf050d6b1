// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration (i, j) comes before (i', j') if i < i', or i = i' and j < j'. With the loops interchanged j
// decides first. Two iterations change their order exactly if i < i' and j > j', so that is what no
// dependence may do.
#include "transform/loops/Interchange.h"

#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/loops/LoopWork.h"

#include <clang/AST/Decl.h>

using namespace clang;

namespace heddle::transform {

using analysis::CountedLoop;

namespace {

/// The loop that is all of this loop's body.
const ForStmt *onlyLoopIn(const ForStmt *outer) {
  std::vector<const Stmt *> inside = analysis::statementsOf(outer->getBody());
  return inside.size() == 1 ? dyn_cast<ForStmt>(inside.front()) : nullptr;
}

LegalityFailure whyNotInterchange(const analysis::LoopStudy &study, const CountedLoop &outer,
                                  const CountedLoop &inner) {
  if (LegalityFailure exit = analysis::exitOfLoop(study.unit, inner.body()))
    return exit;
  if (LegalityFailure effect = analysis::reasonAgainstReordering(study.unit, outer.statement))
    return effect;
  if (LegalityFailure varies = study.whyHeadVaries(inner, outer.statement, {inner.variable}))
    return varies;
  for (const analysis::OuterVariable &variable : study.outerVariables(outer.body()))
    if (variable.write)
      return legalityFailure(
          study.unit.location(variable.write),
          "'{}' is carried from one iteration to the next: interchange would change the order of its updates",
          variable.variable->getNameAsString());
  std::vector<const analysis::Access *> accesses = study.accessesIn(inner.body());
  analysis::Iterations turned{analysis::LoopStudy::around(outer.facts),
                              {{outer.facts, outer.facts, 1, {}}, {inner.facts, inner.facts, {}, -1}}};
  if (auto found = study.dependence(accesses, accesses, turned, outer.statement))
    return analysis::refusalOf(
        *found,
        fmt::format("in an earlier iteration of '{}' and a later one of '{}', and would come before it",
                    outer.name(), inner.name()));
  return std::nullopt;
}

LegalityFailure interchange(const LoopTask &task) {
  const analysis::LoopStudy &study = task.study;
  auto *statement = cast<ForStmt>(task.subject);
  std::variant<CountedLoop, Diagnostic> outer = study.counted(statement);
  if (auto *refusal = std::get_if<Diagnostic>(&outer))
    return *refusal;
  const ForStmt *inside = onlyLoopIn(statement);
  if (!inside)
    return legalityFailure(study.unit.location(statement), "its body is not one loop and nothing else");
  std::variant<CountedLoop, Diagnostic> inner = study.counted(inside);
  if (auto *refusal = std::get_if<Diagnostic>(&inner))
    return *refusal;
  if (LegalityFailure reason =
          whyNotInterchange(study, std::get<CountedLoop>(outer), std::get<CountedLoop>(inner)))
    return reason;
  if (!task.edits)
    return std::nullopt;

  source::Rewriter text(study.unit);
  auto headOf = [](const ForStmt *loop) {
    return SourceRange(loop->getInit()->getBeginLoc(), loop->getInc()->getEndLoc());
  };
  const Code outerHead = text.code(headOf(statement)), innerHead = text.code(headOf(inside));
  if (text.failure)
    return text.failure;
  text.replace(task.context.edits, headOf(statement), innerHead);
  text.replace(task.context.edits, headOf(inside), outerHead);
  task.context.done("the loops over '{}' and '{}' at line {} changed places",
                    std::get<CountedLoop>(outer).name(), std::get<CountedLoop>(inner).name(),
                    study.unit.location(statement).line);
  return std::nullopt;
}

} // namespace

PassResult interchangeLoops(Context &context) { return carryOutOn(context, interchange); }

std::vector<const Stmt *> loopsToInterchange(const Kernel &kernel) {
  std::vector<const Stmt *> all = loopsOf(kernel);
  std::erase_if(all, [](const Stmt *loop) { return !onlyLoopIn(cast<ForStmt>(loop)); });
  return all;
}

} // namespace heddle::transform
