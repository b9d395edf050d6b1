// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/LaunchParameter.h"

#include "analysis/EvaluatedAgain.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/FunctionCopies.h"
#include "transform/LaunchEdits.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

/// Every declaration of the target, by the place of its name.
std::set<clang::SourceLocation> declarationsOf(const Kernel &kernel) {
  std::set<clang::SourceLocation> locations;
  const FunctionDecl *function = patternOf(kernel.function);
  for (const FunctionDecl *each : function->redecls())
    locations.insert(each->getLocation());
  if (const FunctionTemplateDecl *pattern = function->getDescribedFunctionTemplate())
    for (const auto *each : pattern->redecls())
      locations.insert(each->getTemplatedDecl()->getLocation());
  return locations;
}

/// An argument of the launch that assigns something, which the new argument would be evaluated before or after; null for none.
const Expr *changingArgument(const source::Launch &launch) {
  const auto arguments = launch.call->arguments();
  const auto found = std::ranges::find_if(arguments, [&](const Expr *argument) {
    return argument->HasSideEffects(launch.unit->context(), false);
  });
  return found == arguments.end() ? nullptr : *found;
}

} // namespace

bool addParameter(Context &context, const LaunchParameter &parameter) {
  const Kernel &kernel = context.target.first();
  for (const Kernel *instance : context.target.instances)
    if (TemplateSpecializationKind kind = instance->function->getTemplateSpecializationKind();
        isTemplateExplicitInstantiationOrSpecialization(kind))
      return context.refuse(instance->location,
                            "the kernel needs its {} as an argument, and an explicit {} states what it takes",
                            parameter.of,
                            kind == TSK_ExplicitSpecialization ? "specialization" : "instantiation");
  for (clang::SourceLocation name : declarationsOf(kernel)) {
    auto part =
        inFrontOfArguments(*kernel.unit, SourceRange(name, name), parameter.type + " " + parameter.name);
    if (!part)
      return context.refuse(kernel.unit->location(name),
                            "this declaration cannot be given another parameter");
    context.edits.replace(*kernel.unit, part->part, part->text);
  }
  return true;
}

bool addLaunchArgument(Context &context, const source::Launch &launch, const LaunchParameter &parameter,
                       const std::string &argument) {
  auto *call = dyn_cast<CUDAKernelCallExpr>(launch.call);
  if (!call)
    return context
        .refuse(launch.location,
                "the kernel needs its {} as an argument, and this launch passes its arguments by address",
                parameter.of)
        .withHint(parameter.hint);
  const bool hasArguments = call->getNumArgs() > 0 && !isa<CXXDefaultArgExpr>(call->getArg(0));
  const clang::SourceLocation first = hasArguments ? call->getArg(0)->getBeginLoc() : call->getRParenLoc();
  context.edits.insertBefore(*launch.unit, first, argument + (hasArguments ? ", " : ""));
  return true;
}

std::optional<std::string> repeatedShape(Context &context, const source::Launch &launch,
                                         const source::LaunchShape &shape) {
  std::string text = writtenShape(context, shape);
  if (text.empty() || !analysis::mayBeEvaluatedAgain(shape.expr))
    return context
        .refuse(launch.location, "'{}' would be evaluated twice, and may have another value the second time",
                shape.text)
        .withHint("give it a name before the launch");
  if (const Expr *changing = changingArgument(launch))
    return context
        .refuse(launch.unit->location(changing),
                "'{}' would be evaluated twice, and this argument has a side effect that may come between",
                shape.text)
        .withHint("make it a statement before or after the launch");
  return text;
}

} // namespace heddle::transform
