// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Affine.h"

#include <clang/AST/Expr.h>

#include <array>
#include <optional>
#include <string>

namespace heddle::analysis::walk {

/// threadIdx, blockIdx, blockDim and gridDim as symbols, or as numbers where the launch is known.
class ThreadIndices {
public:
  ThreadIndices(const LaunchFacts &facts, SymbolTable &symbols) : facts(facts), symbols(symbols) {}

  /// The value of `threadIdx.x` and similar variables, also as `block.thread_index().x` of cooperative groups;
  /// nothing for any other expression.
  std::optional<Polynomial> valueOf(const clang::Expr *expression);
  /// The number of the thread in its block: x + blockDim.x * (y + blockDim.y * z).
  Polynomial threadRank();
  /// Whether threadIdx.x, .y and .z were asked for.
  const std::array<bool, 3> &used() const { return usedDimensions; }

private:
  std::optional<Polynomial> component(const std::string &base, const std::string &member);

  const LaunchFacts &facts;
  SymbolTable &symbols;
  std::array<bool, 3> usedDimensions{};
};

} // namespace heddle::analysis::walk
