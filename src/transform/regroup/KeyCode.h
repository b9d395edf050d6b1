// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace clang {
class CallExpr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// Code that is executed once more, to find a thread's key.
class KeyCode {
public:
  explicit KeyCode(const source::Unit &unit) : unit(unit) {}

  /// Without writing anything, and with no function that asks which thread it is.
  bool mayBeDoneTwice(const clang::Stmt *code) const;

private:
  bool makesNoObjects(const clang::Stmt *code) const;
  bool isHarmless(const clang::CallExpr *call) const;
  bool mayBeDoneTwice(const clang::FunctionDecl *function) const;

  const source::Unit &unit;
};

/// Why a key is of no use, though it compiles.
struct KeyFault {
  std::string text, hint;
};
/// `function`: the name of the function that returns the key.
std::optional<KeyFault> faultOfKey(const source::Unit &unit, const std::string &function);

} // namespace heddle::transform
