// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/ArrayTable.h"
#include "analysis/walk/LoopChanges.h"
#include "analysis/walk/ThreadIndices.h"
#include "analysis/walk/ValueScope.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <set>

namespace heddle::analysis::walk {

// Values that hold in every iteration of a loop, and values after it, from what the loop changes. Functions
// here take an environment and return values; they change neither the environment nor the findings.

using Values = std::map<Environment::Key, Value>;

/// What a summary has to ask: an expression with the changed variables unknown, and the value of a variable
/// that nothing was assigned to.
struct LoopQuestions {
  llvm::function_ref<Value(const clang::Expr *)> evaluate;
  llvm::function_ref<Value(const Environment::Key &)> initial;
};

/// At the head of the body, in every iteration.
struct LoopHead {
  Values values; ///< of the changed variables that have a form
  Guards guards; ///< those of the surroundings, and bounds of variables that only grow or shrink
};

/// The changed variables on which all threads agree in every iteration. `inKernel`: a parameter without a
/// value is the kernel's own, and so the same for all threads.
std::set<Environment::Key> uniformVariables(const Modifications &modified, const Environment &before,
                                            bool inKernel, const clang::ASTContext &context,
                                            ThreadIndices &indices);

/// The values at the head. `start` are the changed variables' values in front of the loop, and in `now` they
/// are unknown. Describes the counting variable, its start and its step in `loop`.
LoopHead headOf(Loop &loop, const LoopParts &parts, const Modifications &modified,
                const std::set<Environment::Key> &uniform, const Values &start, const Environment &now,
                const Guards &guards, const LoopQuestions &ask, ArrayTable &arrays, const ValueScope &scope);

/// Describes in `loop` what its condition compares the counting variable with, and the trip count where it is
/// a constant. `now` has the values at the head.
void describeBound(Loop &loop, const LoopParts &parts, const Environment &now, const LoopQuestions &ask);

/// The trip count of a loop with a known start, step, bound and comparison, where it is a constant.
std::optional<int64_t> tripCount(const Loop &loop, bool testsFirst);

/// What the changed variables have after the loop. `atHead` has a value for each of them; `goesOn` is the
/// loop's condition; `scope` is that after the loop.
Values valuesBehind(const Loop &loop, bool testsFirst, const Modifications &modified, const Values &atHead,
                    const Condition &goesOn, const ValueScope &scope);

} // namespace heddle::analysis::walk
