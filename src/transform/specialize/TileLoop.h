// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleTree.h"

namespace heddle::transform {

/// A loop that brings a tile into shared memory, meets, computes on it and meets again.
///
///     for (...) {                          for (...) {
///       load          loadBegin              __syncthreads();      before
///       __syncthreads();   fill              load                  loadBegin
///       compute                              __syncthreads();      fill
///       __syncthreads();   release           compute
///     }                                    }                       release: behind the last statement
struct TileLoop {
  RoleNode *loop = nullptr;
  RoleNode *body = nullptr;
  /// Places among the body's statements.
  size_t loadBegin = 0, fill = 0, release = 0;
  std::optional<size_t> before;
  std::set<const clang::VarDecl *> tiles; ///< the shared arrays that are loaded

  RoleNode *statement(size_t index) const { return body->children[index].get(); }
  /// The body's statement that a node is (in).
  std::optional<size_t> indexOf(const RoleNode *node) const;
  bool isInLoad(const RoleNode *node) const;
  /// Between the barriers that say that the tile is full and that it may be overwritten.
  bool isInCompute(const RoleNode *node) const;
};

/// The tile loops of a kernel, in the order of the text; a refusal where there is none, or one has several
/// loads.
std::variant<std::vector<TileLoop>, Diagnostic> findTileLoops(const RoleTree &tree);

/// The node's own text stores to one of these arrays, or declares one of them.
bool storesTo(const RoleNode &node, const std::set<const clang::VarDecl *> &arrays);
bool declaresOneOf(const RoleNode &node, const std::set<const clang::VarDecl *> &arrays);

/// Shared variables that the node mentions, whether it reads or writes them or takes their address.
std::set<const clang::VarDecl *> sharedMentions(const RoleNode &node);

} // namespace heddle::transform
