// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/ReachingDefinitions.h"

#include <llvm/ADT/BitVector.h>

#include <functional>
#include <vector>

namespace heddle::analysis {

/// Which local variables will be read again, at every point of a function body.
class Liveness {
public:
  explicit Liveness(const source::ReachingDefinitions &definitions);

  const std::vector<const clang::VarDecl *> &variables() const { return definitions.variables(); }
  /// Calls `visit` for every statement and whole expression of reachable code, with the variables (by index
  /// into variables()) alive before anything of it is evaluated and after all of it is. Operands of && || ?:
  /// that are evaluated under a condition come one by one.
  using Visit = std::function<void(const clang::Stmt *whole, const llvm::BitVector &before,
                                   const llvm::BitVector &after)>;
  void forEachWhole(const Visit &visit) const;

private:
  /// What one element does: reads first, then writes.
  struct Effect {
    std::vector<unsigned> reads, overwrites;
  };
  void step(unsigned block, unsigned position, llvm::BitVector &live) const;

  const source::ReachingDefinitions &definitions;
  const source::FlowGraph &graph;
  std::vector<std::vector<Effect>> effects; ///< by block and position
  std::vector<llvm::BitVector> atEnd;       ///< by block
};

} // namespace heddle::analysis
