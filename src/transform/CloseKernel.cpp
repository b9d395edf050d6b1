// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/CloseKernel.h"

#include "source/OtherLaunches.h"
#include "source/Unit.h"
#include "transform/DirectiveMessage.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace heddle::transform {
namespace {

using LaunchKind = source::OtherLaunches::Kind;

bool refuseKernel(Context &context, const source::OtherLaunches &other) {
  Diagnostic &refusal = context.refuse(other.location, other.why);
  if (other.kind != LaunchKind::AddressTaken && other.kind != LaunchKind::SharedLaunch)
    refusal.withHint(
        "--assume whole-program, where no other file launches it; where one does, heddle opt FILE... "
        "--output-dir DIR transforms the files of a program together");
  return false;
}

/// Where `static` goes: before the return type, which is behind `template <...>` and `__global__`.
clang::SourceLocation returnTypeOf(const Unit &unit, const FunctionDecl *function) {
  const clang::SourceLocation type = function->getReturnTypeSourceRange().getBegin();
  const bool isInFront =
      type.isValid() && unit.sources().isBeforeInTranslationUnit(type, function->getLocation());
  return isInFront ? type : clang::SourceLocation();
}

bool makeStatic(Context &context, const source::OtherLaunches &other) {
  const Kernel &kernel = context.target.first();
  // An explicit specialization has its template's linkage.
  if (kernel.function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return refuseKernel(context, other);
  for (const FunctionDecl *declared : patternOf(kernel.function)->redecls()) {
    const clang::SourceLocation type = returnTypeOf(*kernel.unit, declared);
    if (type.isInvalid())
      return refuseKernel(context, other);
    context.edits.insertBefore(*kernel.unit, type, "static ");
  }
  context.diagnostics
      .warning(kernel.location,
               messageOf(context.directive,
                         fmt::format("'{}' becomes static: another file that launches it will not link",
                                     context.target.name)))
      .withHint("--assume whole-program, if no other file launches it");
  return true;
}

} // namespace

bool closeKernel(Context &context) {
  const std::optional<source::OtherLaunches> other =
      source::otherLaunches(context.program, context.target.instances, context.options.isWholeProgram);
  if (!other)
    return true;
  return other->kind == LaunchKind::ExternalLinkage ? makeStatic(context, *other)
                                                    : refuseKernel(context, *other);
}

bool hasNoOtherLaunches(const Context &context) {
  return !source::otherLaunches(context.program, context.target.instances, context.options.isWholeProgram);
}

} // namespace heddle::transform
