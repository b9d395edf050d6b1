// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Context.h"

namespace heddle::transform {

const analysis::KernelFacts &Context::facts(const source::Kernel &kernel) {
  std::unique_ptr<analysis::KernelFacts> &facts = known[&kernel];
  if (!facts) {
    analysis::FactOptions wanted;
    wanted.block = options.block;
    wanted.arch = options.arch;
    facts = analysis::KernelFacts::of(program, kernel, wanted);
  }
  return *facts;
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

} // namespace heddle::transform
