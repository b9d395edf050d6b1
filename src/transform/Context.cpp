// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Context.h"

#include "transform/CloseKernel.h"
#include "transform/DirectiveMessage.h"
#include "transform/Registry.h"

#include <algorithm>

namespace heddle::transform {
namespace {

/// Directives that change what a launch must look like, and so make sure that all of them are seen.
bool changesLaunches(const Directive &directive) {
  const DirectiveRule *rule = directiveRule(directive.name);
  return !rule || !rule->keepsLaunches || !rule->keepsLaunches(directive);
}

} // namespace

std::vector<const source::Launch *> Context::launches() const {
  std::vector<const source::Launch *> found;
  for (const source::Launch &launch : program.launches())
    if (launch.kernel && std::ranges::any_of(target.instances, [&](const Kernel *instance) {
          return instance->mangledName == launch.kernel->mangledName;
        }))
      found.push_back(&launch);
  return found;
}

bool Context::keepsLaunches() const { return !changesLaunches(directive); }

analysis::FactOptions Context::factOptions() const {
  analysis::FactOptions wanted;
  // Launches in the file know their block, or were made to compare it with --block (StatedBlock.h).
  const bool isStated = options.block && !options.isBlockLaunched;
  if (!isStated || launches().empty())
    wanted.block = options.block;
  wanted.arch = options.arch;
  // What launches here say does not hold for those that are not seen. With --block there are none: the kernel is closed.
  wanted.launches = isStated || changesLaunches(directive) || hasNoOtherLaunches(*this)
                        ? analysis::LaunchesSeen::All
                        : analysis::LaunchesSeen::Some;
  wanted.isWholeProgram = options.isWholeProgram;
  wanted.pointersDoNotOverlap = options.pointersDoNotOverlap;
  return wanted;
}

const KernelFacts &Context::facts(const Kernel &kernel) {
  std::unique_ptr<KernelFacts> &facts = known[&kernel];
  if (!facts)
    facts = KernelFacts::of(program, kernel, factOptions());
  return *facts;
}

analysis::LaunchFacts Context::pointersOf(const Kernel &kernel) const {
  analysis::LaunchFacts facts;
  facts.pointers = analysis::pointersApart(program, kernel, factOptions());
  return facts;
}

Refusal Context::refuse(SourceLocation location, const std::string &reason) {
  Diagnostic &refusal = diagnostics.refuse(std::move(location), messageOf(directive, reason));
  if (directive.location.file != "<command line>")
    refusal.note(directive.location, "asked for here");
  return Refusal(refusal);
}

Refusal Context::refuse(const Diagnostic &refusal) {
  Diagnostic &added = refuse(refusal.location, refusal.text);
  added.notes.insert(added.notes.begin(), refusal.notes.begin(), refusal.notes.end());
  added.hint = refusal.hint;
  return Refusal(added);
}

std::optional<std::string> Context::textOf(const Unit &unit, clang::SourceRange range) {
  source::Rendered text = source::render(unit, range);
  if (auto *refused = std::get_if<Diagnostic>(&text))
    return refuse(*refused);
  return std::get<std::string>(text);
}

Diagnostic &Context::done(const std::string &what) {
  return diagnostics.add(Severity::Done, target.first().location, messageOf(directive, what));
}

Diagnostic &Context::kept(SourceLocation location, const std::string &why) {
  return diagnostics.add(Severity::Kept, std::move(location), messageOf(directive, "left unchanged: " + why));
}

Diagnostic &Context::notApplied(std::string_view stage, SourceLocation location, const std::string &why) {
  return diagnostics.add(Severity::Kept, std::move(location),
                         messageOf(directive, fmt::format("stage {} not applied: {}", stage, why)));
}

Diagnostic &Context::assumed(SourceLocation location, const std::string &what) {
  return diagnostics.warning(std::move(location), messageOf(directive, "assumed: " + what));
}

std::optional<Needs> firstNeeded(Context &context, const Kernel &kernel,
                                 std::initializer_list<Normalization> all) {
  for (Normalization normalization : all)
    if (std::optional<Needs> needed = normalization(context, kernel))
      return needed;
  return std::nullopt;
}

} // namespace heddle::transform
