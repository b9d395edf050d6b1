// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Auto.h"

#include "transform/Registry.h"
#include "transform/Targets.h"

namespace heddle::transform {
PassResult chooseAutomatically(Context &context) {
  const Kernel &kernel = context.target.first();
  if (!context.options.arch || !context.facts(kernel).threadsPerBlock()) {
    const bool differs = context.facts(kernel).launchesDisagree;
    Diagnostic &kept = context.kept(
        kernel.location, fmt::format("'{}': its {}", context.target.name,
                                     differs ? "launches have different blocks" : "block is not known"));
    if (!differs)
      kept.withHint("give it with --block X,Y,Z");
    return Unchanged();
  }
  // Candidates are compiled one by one, which wants the kernel in the file itself.
  if (!isInMainFile(kernel))
    return Needs{"in-place", Needs::InPlaceOfInclude{kernel.location.file}};
  std::string whyNone;
  for (const DirectiveRule &rule : directiveRules()) {
    if (!rule.suggest)
      continue;
    auto answer = rule.suggest(context);
    if (auto *needed = std::get_if<Needs>(&answer))
      return *needed;
    const Suggestion &suggestion = std::get<Suggestion>(answer);
    if (!suggestion.directive.empty()) {
      context.done("'{}': {}", context.target.name, suggestion.why);
      return Edited{.next = suggestion.directive};
    }
    if (whyNone.empty())
      whyNone = suggestion.why;
  }
  context.kept(kernel.location, fmt::format("'{}': {}", context.target.name, whyNone));
  return Unchanged();
}

} // namespace heddle::transform
