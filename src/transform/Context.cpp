// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Context.h"

#include "transform/CloseKernel.h"
#include "transform/Registry.h"

namespace heddle::transform {
namespace {

/// Directives that change what a launch must look like, and so make sure that all of them are seen.
bool changesLaunches(const Directive &directive) {
  const DirectiveRule *rule = directiveRule(directive.name);
  return !rule || !rule->keepsLaunches || !rule->keepsLaunches(directive);
}

} // namespace

analysis::FactOptions Context::factOptions() const {
  analysis::FactOptions wanted;
  wanted.block = options.block;
  wanted.arch = options.arch;
  // What launches here say does not hold for those that are not seen.
  wanted.launches = changesLaunches(directive) || hasNoOtherLaunches(*this) ? analysis::LaunchesSeen::All
                                                                            : analysis::LaunchesSeen::Some;
  wanted.isWholeProgram = options.isWholeProgram;
  wanted.pointersDoNotOverlap = options.pointersDoNotOverlap;
  return wanted;
}

const analysis::KernelFacts &Context::facts(const source::Kernel &kernel) {
  std::unique_ptr<analysis::KernelFacts> &facts = known[&kernel];
  if (!facts)
    facts = analysis::KernelFacts::of(program, kernel, factOptions());
  return *facts;
}

analysis::LaunchFacts Context::pointersOf(const source::Kernel &kernel) const {
  analysis::LaunchFacts facts;
  facts.pointers = analysis::pointersApart(program, kernel, factOptions());
  return facts;
}

Diagnostic &Context::refuse(Place place, const std::string &reason) {
  Diagnostic &refusal = diagnostics.refuse(std::move(place), fmt::format("{}: {}", directive.str(), reason));
  if (directive.place.file != "<command line>")
    refusal.note(directive.place, "asked for here");
  return refusal;
}

void Context::refuse(const Diagnostic &refusal) {
  Diagnostic &added = refuse(refusal.place, refusal.text);
  added.notes.insert(added.notes.begin(), refusal.notes.begin(), refusal.notes.end());
  added.hint = refusal.hint;
}

Diagnostic &Context::done(const std::string &what) {
  return diagnostics.add(Voice::Done, target.first().place, fmt::format("{} [{}]", what, directive.str()));
}

Diagnostic &Context::kept(Place place, const std::string &why) {
  return diagnostics.add(Voice::Kept, std::move(place), fmt::format("{} [{}]", why, directive.str()));
}

Diagnostic &Context::assumed(Place place, const std::string &what) {
  return diagnostics.warning(std::move(place), fmt::format("assumed: {} [{}]", what, directive.str()));
}

std::optional<Needs> firstNeeded(Context &context, const source::Kernel &kernel,
                                 std::initializer_list<Normalization> all) {
  for (Normalization normalization : all)
    if (std::optional<Needs> needed = normalization(context, kernel))
      return needed;
  return std::nullopt;
}

} // namespace heddle::transform
