// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelView.h"

#include <variant>

namespace heddle::analysis {

/// A loop that brings a tile into shared memory, meets, computes on it and reconverges.
///
///     for (...) {                          for (...) {
///       load          loadBegin              __syncthreads();      before
///       __syncthreads();   fill              load                  loadBegin
///       compute                              __syncthreads();      fill
///       __syncthreads();   release           compute
///     }                                    }                       release: after the last statement
struct TileLoop {
  const KernelNode *loop = nullptr;
  const KernelNode *body = nullptr;
  /// Places among the body's statements.
  size_t loadBegin = 0, fill = 0, release = 0;
  std::optional<size_t> before;
  std::set<const clang::VarDecl *> tiles; ///< the shared arrays that are loaded

  const KernelNode *statement(size_t index) const { return body->children[index].get(); }
  /// The body's statement that a node is (in).
  std::optional<size_t> indexOf(const KernelNode *node) const;
  bool isInLoad(const KernelNode *node) const;
  /// Between the barriers that say that the tile is full and that it may be overwritten.
  bool isInCompute(const KernelNode *node) const;
};

/// The tile loops of a kernel, in the order of the text; a refusal where there is none, or one has several
/// loads.
std::variant<std::vector<TileLoop>, Diagnostic> findTileLoops(const source::Kernel &kernel,
                                                              const KernelView &view);

/// The code stores to one of these arrays; the node declares one of them.
bool storesTo(const CodeFacts &facts, const std::set<const clang::VarDecl *> &arrays);
bool declaresOneOf(const KernelNode &node, const std::set<const clang::VarDecl *> &arrays);

/// Shared variables that the code mentions, whether it reads or writes them or takes their address.
std::set<const clang::VarDecl *> sharedMentions(const CodeFacts &facts);

} // namespace heddle::analysis
