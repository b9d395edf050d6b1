// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/ReachingDefinitions.h"

#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::analysis {

struct StateWrites;

/// What kind of memory a pointer points into.
enum class Memory {
  ReadOnly, ///< global or constant memory that no thread writes while the kernel runs
  Shared,   ///< the block's
  Local,    ///< the thread's own
  Written,  ///< global memory that the kernel writes, or may write through another pointer
  Unknown,
};

/// The variables that a pointer may have been made from: parameters, globals, __shared__ and local arrays. A
/// null entry represents 'something else'.
using Roots = std::set<const clang::VarDecl *>;

/// Traces pointers of one function back to the variables they were made from, without regard to order, and
/// finds which of those the function writes.
class MemoryRoots {
public:
  /// `parameters`: for a called function, what its pointer parameters point to; empty for a kernel. `state`:
  /// what other functions of the kernel write.
  MemoryRoots(const source::ReachingDefinitions &definitions, std::vector<Memory> parameters,
              const StateWrites *state);

  Roots rootsOf(const clang::Expr *pointer) const;
  /// The roots of what an lvalue lies in: `a` of `a[i].x`, those of p for `*p`.
  Roots rootsOfLvalue(const clang::Expr *lvalue) const;
  Memory memoryOf(const Roots &roots) const;

private:
  void addRoots(const clang::Expr *pointer, Roots &roots, std::set<const clang::VarDecl *> &seen) const;
  void addLvalueRoots(const clang::Expr *lvalue, Roots &roots, std::set<const clang::VarDecl *> &seen) const;
  void findWrites();
  Memory memoryOf(const clang::VarDecl *root) const;
  bool mayBeWritten(const clang::VarDecl *root) const;

  const source::ReachingDefinitions &definitions;
  std::vector<Memory> parameterMemory;
  const StateWrites *state;
  Roots written;
};

} // namespace heddle::analysis
