// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelTree.h"

#include <cstdint>

namespace heddle::analysis {

/// A variable whose value from before a barrier is used after it.
struct LiveValue {
  const clang::VarDecl *variable = nullptr;
  Level level = Level::Grid; ///< of the values that live across
  int64_t bytes = 0;         ///< of the whole variable
  unsigned registers = 0;    ///< of 32 bits
  bool isParameter = false;

  bool differsByThread() const { return level > Level::Block; }
};

/// What lives across one barrier, or across one call of a function with barriers.
struct LiveAcross {
  const clang::Stmt *barrier = nullptr;
  std::vector<LiveValue> values; ///< in order of declaration

  unsigned registers() const;         ///< of all
  unsigned registersByThread() const; ///< of those that differ by thread
  const LiveValue *find(const clang::VarDecl *variable) const;
};

/// For each barrier that cuts regions, in the order of the text, and each call that holds one: the locals and
/// parameters that live across. A value used again around a loop counts. References count as what they are,
/// an address; __shared__ variables are not in it.
std::vector<LiveAcross> liveAcrossBarriers(const Uniformity &facts, const KernelTree &tree);

} // namespace heddle::analysis
