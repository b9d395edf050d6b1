// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"

#include <unordered_map>
#include <vector>

namespace clang {
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::source {
struct Definition;
}

namespace heddle::analysis {

/// Answers what of a kernel is the same for all threads (or blocks) that are merged into one.
class UniformWork {
public:
  /// `agreed`: Block where threads are merged, Grid where blocks are.
  UniformWork(const KernelFacts &facts, Level agreed);

  /// True where doing this once has the effect of doing it for each of them: it changes nothing but local
  /// variables, to values that all agree on, and uses no thread index.
  bool isUniformWork(const clang::Stmt *statement) const;
  /// True where all take the same way at this branch or loop.
  bool agreeOn(const clang::Stmt *branch) const;
  /// Every value that the definition gives its variable is the same for all of them.
  bool isUniform(const source::Definition &definition) const;
  /// A value that can be computed anywhere again: arithmetic on indices, constants and variables that never
  /// change. For a reference: the same of its address.
  bool isCheapAndStable(const clang::VarDecl *variable) const;

private:
  bool isReached(const clang::Stmt *statement) const;
  bool isAllowed(const clang::Stmt *part) const;
  bool isPureCall(const clang::Expr *call, int depth) const;
  bool definesUniform(const void *statement) const;
  bool isStable(const clang::Expr *expression, bool isAddress, unsigned &operations) const;

  const KernelFacts &facts;
  Level agreed;
  /// By statement; those of declarations by variable.
  std::unordered_map<const void *, std::vector<const source::Definition *>> definitionsBy;
};

} // namespace heddle::analysis
