// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleSplit.h"

#include <array>
#include <cstdint>

namespace heddle::transform {

/// What a subscript of a tile runs over when all threads and iterations have stored: a loop's variable or a
/// thread's index, from `least` on, `count` values.
struct BoxVariable {
  const clang::VarDecl *variable = nullptr; ///< null: the thread's index
  unsigned dimension = 0;                   ///< of the thread's index
  int64_t least = 0, count = 0;

  bool operator==(const BoxVariable &other) const {
    return variable == other.variable && dimension == other.dimension;
  }
};

/// A tile that is stored in whole rows, each of them contiguous in global memory as well.
struct BulkForm {
  /// One, for a tile of one row or one that is counted through (`tile[i / 16][i % 16]`); or row and column.
  std::vector<BoxVariable> variables;
  bool isCounted = false; ///< by one variable through all rows
  int64_t rows = 1, rowElements = 0;
  std::vector<int64_t> offsets; ///< added to the variables in the tile's subscripts, row and column
  std::vector<const clang::Expr *> guards; ///< what must hold for an element to be loaded
  /// A guard speaks of row and column together: all four corners have to be looked at, not two.
  bool isSkew = false;
};

/// How a store to a tile can be made.
struct CopyForm {
  const KernelNode *node = nullptr;
  const clang::Expr *target = nullptr;    ///< tile[y][x]
  const clang::Expr *source = nullptr;    ///< the element of global memory; null where a value is computed
  const clang::Expr *condition = nullptr; ///< of `c ? element : other`; null without
  const clang::Expr *otherwise = nullptr;
  bool otherwiseIsZero = false;
  bool sourceLoads = false; ///< the element's address is loaded from memory itself
  std::string whyNotAsync;  ///< empty where cp.async can do it
  std::optional<BulkForm> bulk;
  std::string whyNotBulk;
};

/// The forms of all stores to tiles, in the order of the text. `block`: the block's size.
std::vector<CopyForm> copyForms(const RoleView &view, const RoleSplit &split,
                                const std::array<int64_t, 3> &block);

} // namespace heddle::transform
