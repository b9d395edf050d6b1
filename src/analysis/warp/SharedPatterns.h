// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uniformity.h"
#include "analysis/warp/WarpIndex.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class DeclRefExpr;
} // namespace clang

namespace heddle::analysis {

/// A read or write of one element of a shared array by the lanes of a block of one warp.
struct StripedAccess {
  enum class Kind {
    Own,    ///< the lane's own element of a row; the only one that may be written
    Ahead,  ///< element lane + distance: a shuffle, unless the distance comes to whole rows
    InRow,  ///< an element of one row, at any place in it
    Either, ///< one of two of the first kinds: both are read, and the index says which was meant
  };
  Kind kind = Kind::Own;
  const clang::Expr *expression = nullptr; ///< the whole of `tile[ty][tx]`
  bool isStore = false, isLoad = false;
  WarpIndex distance;                       ///< Own, Ahead: from the lane's number; Either: the first's
  WarpIndex other;                          ///< Either: the second's
  WarpIndex location;                       ///< InRow, where it has a form
  bool hasRunTimeIndex = false;             ///< InRow: the index as written, in an array of one row
  const KnownLoop *splits = nullptr;        ///< InRow: the loop through the rows, to be cut into them
  std::vector<const clang::Expr *> indices; ///< outermost first
  /// The shuffle is executed before this statement, since not all lanes come to the place where its value is
  /// used, or since a loop would repeat it; null where it can be in its place.
  const clang::Stmt *before = nullptr;

  std::set<const KnownLoop *> loops() const;
};

/// A shared array of the kernel and, where all its accesses are fixed patterns, what they are.
struct SharedArray {
  const clang::VarDecl *decl = nullptr;
  std::string name;
  std::string elementType; ///< as declared
  int64_t elementBytes = 0;
  std::vector<int64_t> extents; ///< outermost first
  std::vector<StripedAccess> accesses;
  std::vector<const clang::VarDecl *> aliases; ///< pointers that are another name for it
  std::optional<Diagnostic> whyNot;            ///< why it stays in shared memory

  int64_t elements() const;
  int64_t registersPerLane() const; ///< of 32 bits
};

/// Every shared array that the kernel declares, for a block of 32 threads of this shape.
std::vector<SharedArray> sharedArrays(const source::Kernel &kernel, const Uniformity &uniformity,
                                      const WarpIndices &indices, const clang::ParentMap &parents);

} // namespace heddle::analysis
