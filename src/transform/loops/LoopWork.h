// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/loops/LoopStudy.h"
#include "source/Render.h"
#include "transform/Context.h"

#include <functional>

namespace heddle::transform {

/// One instantiation of the kernel with the loop or branch that the directive speaks of.
struct LoopTask {
  Context &context;
  const analysis::LoopStudy &study;
  const clang::Stmt *subject;
  bool edits; ///< of several instantiations, which share their text, one edits and the others only check
};

/// The loop that a directive on loops speaks of, where it counts and no other pragma is for it.
std::variant<analysis::CountedLoop, Diagnostic> countedSubject(const LoopTask &task);

/// The replacements that give mentions of locals other names; those for which `nameOf` has none stay.
std::vector<Replacement>
renamed(const clang::Stmt *code,
        const std::function<std::optional<std::string>(const clang::DeclRefExpr *)> &nameOf);

/// Lets `work` check each instantiation of the kernel and edit the first.
PassResult carryOutOn(Context &context, const std::function<LegalityFailure(const LoopTask &)> &work);

} // namespace heddle::transform
