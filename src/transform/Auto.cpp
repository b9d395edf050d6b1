// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Auto.h"

#include "source/Unit.h"
#include "transform/Registry.h"

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

namespace heddle::transform {
namespace {

bool isInMainFile(const source::Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.isWrittenInMainFile(sources.getExpansionLoc(kernel.function->getLocation()));
}

} // namespace

bool chooseAutomatically(Context &context) {
  const source::Kernel &kernel = context.target.first();
  if (!context.options.arch || !context.facts(kernel).threadsPerBlock()) {
    context
        .kept(kernel.place, fmt::format("'{}' stays as it is: its block is not known", context.target.name))
        .withHint("--block X,Y,Z says it");
    return true;
  }
  // Candidates are compiled one by one, which wants the kernel in the file itself.
  if (!isInMainFile(kernel)) {
    context.preparation.insertAfter(*kernel.unit, kernel.function->getBody()->getEndLoc(), "");
    return true;
  }
  std::string whyNone;
  for (const DirectiveRule &rule : directiveRules()) {
    if (!rule.suggest)
      continue;
    Suggestion suggestion = rule.suggest(context);
    if (!context.preparation.empty() || context.preparedText)
      return true;
    if (!suggestion.directive.empty()) {
      context.done(fmt::format("'{}': {}", context.target.name, suggestion.why));
      context.handsOverTo = suggestion.directive;
      return true;
    }
    if (whyNone.empty())
      whyNone = suggestion.why;
  }
  context.kept(kernel.place, fmt::format("'{}' stays as it is: {}", context.target.name, whyNone));
  return true;
}

} // namespace heddle::transform
