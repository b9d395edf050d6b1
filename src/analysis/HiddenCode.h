// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/ThreadBuiltins.h"
#include "source/Kernel.h"
#include "support/Diagnostics.h"

#include <functional>
#include <optional>
#include <set>

namespace heddle::analysis {

/// What a directive changes about the threads of a kernel.
struct ChangedThreads {
  /// Uses of this built-in variable must be replaced in the text.
  std::function<bool(const ThreadBuiltin &)> index;
  bool shared = false; ///< declarations of shared memory must be replaced as well

  /// Changed is each component of these.
  static ChangedThreads of(std::set<ThreadBuiltin::Kind> kinds, bool shared = false);
};

/// The first reason why code that a kernel executes, but that no written call leads to, keeps threads from
/// being renumbered: a constructor, destructor, operator, default argument, library function or the like that
/// reads an index which the directive changes, or waits at a barrier; or a call of which nothing is known.
///
/// Functions that are called by name are not looked at here: they can be given further parameters.
std::optional<Diagnostic> failureInHiddenCode(const source::Kernel &kernel, const ChangedThreads &changed);

} // namespace heddle::analysis
