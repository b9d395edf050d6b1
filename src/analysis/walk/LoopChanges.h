// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Environment.h"

#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <optional>
#include <vector>

namespace heddle::analysis::walk {

/// A `for`, `while`, `do` or range-based `for` loop without its initialization.
struct LoopParts {
  const clang::Stmt *statement = nullptr, *body = nullptr;
  const clang::Expr *condition = nullptr, *increment = nullptr;
  bool testsFirst = true;
};

/// One place in a loop where a variable that lives outside of it is changed.
struct Modification {
  const clang::Expr *expression = nullptr;     ///< the assignment or increment; null: an unknown effect
  std::vector<const clang::Expr *> conditions; ///< decide inside the loop whether it happens; null: unknown
  bool isTopLevel = false; ///< happens exactly once in each iteration that reaches the end
};
using Modifications = std::map<Environment::Key, std::vector<Modification>>;

struct LoopChanges {
  Modifications modified;
  bool hasExit = false; ///< a break, return or goto may leave the loop
};

/// What one run of the loop may change. `before` are the values in front of it: it determines which variable a reference
/// names, and which variables exist there.
LoopChanges changesIn(const LoopParts &parts, const Environment &before, const clang::SourceManager &sources);

/// The local variable (and member path) that an lvalue names; a null variable where it is anything else.
Environment::Key keyOf(const clang::Expr *expression, const Environment &environment);

/// `x += c`, `x = x + c`, `++x`: the amount, and whether it is subtracted. Null with `isOne` means 1.
struct Stride {
  const clang::Expr *amount = nullptr;
  bool isOne = false, isNegative = false;
};
/// Nothing where the change of `key` has another form.
std::optional<Stride> strideOf(const clang::Expr *change, const Environment::Key &key,
                               const Environment &environment);

/// -1: the changes only ever make a variable that is not negative smaller (`s >>= 1`); 1: larger; 0: neither
/// is known.
int growthOf(const std::vector<Modification> &changes);

} // namespace heddle::analysis::walk
