// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

class Polynomial;
struct Loop;

/// What a symbol of an index expression represents. The order is the order terms are printed in.
enum class SymbolKind {
  BlockIdx,
  GridDim,
  BlockDim,
  Parameter, ///< a kernel's parameter, or a member of one
  Uniform,   ///< another value that all threads of a block agree on, named by its expression
  Iteration, ///< how often a loop's body was finished before: 0, 1, 2...
  ThreadIdx,
  Floor ///< floor(numerator / divisor) with a constant divisor
};

/// An unknown of an index expression. Symbols are made once by a SymbolTable and compared by address.
struct Symbol {
  SymbolKind kind = SymbolKind::Uniform;
  unsigned dimension = 0; ///< 0, 1, 2 for the x, y, z of threadIdx and similar variables
  std::string name;
  unsigned id = 0; ///< order of making: the same on every run
  bool isNonNegative = false;
  std::optional<int64_t> most; ///< the largest value it can have, where known

  /// Iteration: the loop it counts.
  const Loop *loop = nullptr;
  /// Uniform: the loops around the place it was evaluated at. It may have another value in another iteration
  /// of any of them; with all of them at the same iteration, all threads see the same value.
  std::vector<const Loop *> variesIn;
  /// Floor only.
  std::shared_ptr<const Polynomial> numerator;
  int64_t divisor = 1;
  /// Uniform only: the value is this divided by `divisor`, rounded towards zero as C++ does. Null for other values.
  std::shared_ptr<const Polynomial> dividend;
  bool numeratorHasThread = false; ///< the numerator mentions threadIdx, itself or below another floor
  bool numeratorHasLoop = false;   ///< the same for iterations and values that vary in loops

  /// True where two threads of a block may disagree about it in the same iteration of all loops.
  bool dependsOnThread() const { return kind == SymbolKind::ThreadIdx || numeratorHasThread; }
  bool dependsOnLoop() const {
    return kind == SymbolKind::Iteration || !variesIn.empty() || numeratorHasLoop;
  }
};

/// Makes and owns symbols. The same description gives the same symbol.
class SymbolTable {
public:
  const Symbol *threadIdx(unsigned dimension) {
    return builtin(SymbolKind::ThreadIdx, "threadIdx", dimension);
  }
  const Symbol *blockIdx(unsigned dimension) { return builtin(SymbolKind::BlockIdx, "blockIdx", dimension); }
  const Symbol *blockDim(unsigned dimension) { return builtin(SymbolKind::BlockDim, "blockDim", dimension); }
  const Symbol *gridDim(unsigned dimension) { return builtin(SymbolKind::GridDim, "gridDim", dimension); }
  const Symbol *parameter(const std::string &name, bool isUnsigned);
  /// `name` is the canonical text of the expression, so the same text is the same value.
  const Symbol *uniform(const std::string &name, bool isNonNegative, std::vector<const Loop *> variesIn = {});
  /// A uniform value that is the quotient of another one by a positive constant, where it may be negative.
  const Symbol *quotient(const std::string &name, const Polynomial &dividend, int64_t divisor);
  const Symbol *iteration(const Loop *loop, const std::string &name);
  const Symbol *floorOf(const Polynomial &numerator, int64_t divisor);

private:
  const Symbol *builtin(SymbolKind kind, const char *name, unsigned dimension);
  const Symbol *intern(const std::string &key, Symbol symbol);
  std::map<std::string, std::unique_ptr<Symbol>> byKey;
};

} // namespace heddle::analysis
