// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "support/Diagnostics.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CallExpr;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::source {
class ReachingDefinitions;
}

namespace heddle::analysis {

/// Over which threads a value is the same: the whole grid, a block, a warp, or only one thread. Each level
/// holds inside the one before it, so `a <= b` reads "a is at least as uniform as b".
enum class Level { Grid, Block, Warp, Thread };

inline Level join(Level a, Level b) { return a < b ? b : a; }
const char *nameOf(Level level);

/// What is known of the block's shape; it decides whether `threadIdx.x / 32` is the same over a warp.
struct BlockShape {
  std::array<std::optional<int64_t>, 3> xyz;

  bool isOneDimensional() const { return xyz[1] == 1 && xyz[2] == 1; }
  /// Rows of threads fill whole warps, so threadIdx.y and .z are the same over a warp.
  bool rowsAreWholeWarps() const { return xyz[0] && *xyz[0] % 32 == 0; }
};

/// One link of the chain from an expression down to the reason why it differs.
struct Step {
  SourceLocation location;
  std::string text; ///< "'i' is set here", "'threadIdx.x' differs by thread"
};

/// A branch that threads of one block (or warp) may take differently.
struct DivergentBranch {
  enum class Kind { If, Switch, Loop, Conditional, ShortCircuit, Goto } kind = Kind::If;
  const clang::Stmt *statement = nullptr; ///< the if, switch, loop, ?:, or && / || outside of any condition
  const clang::Expr *condition = nullptr; ///< what differs: of `if (a && b)` the operand that does
  Level level = Level::Thread;            ///< Warp or Thread
  SourceLocation location;
  std::vector<Step> why;
};

/// Uniformity of every expression of a kernel, and why.
///
/// 'Uniform' speaks of the threads that evaluate the expression together: a value computed inside a divergent
/// branch from uniform operands is uniform there, and differs where the branches join again. A value computed
/// in a loop that threads leave in different iterations differs after the loop.
///
/// Assumed of the kernel: it has no data races on __shared__ memory, so a load from one shared address by all
/// threads of a block gives all of them the same value.
class Uniformity {
public:
  static std::unique_ptr<Uniformity> of(const source::Kernel &kernel, const BlockShape &block = {});
  ~Uniformity();

  /// How uniform the value of `expression` is; of an lvalue: the value that is read from it. For the kernel's
  /// own body; an expression that is never evaluated is uniform over the grid.
  Level level(const clang::Expr *expression) const;
  /// How uniform the address of an lvalue is (the subscript of `a[i]`).
  Level addressLevel(const clang::Expr *lvalue) const;
  /// How uniform an SSA value of definitions() is, for readers inside the loop it was made in.
  Level levelOfValue(unsigned value) const;
  /// From the expression down to the root cause; empty for what is uniform over the grid.
  std::vector<Step> why(const clang::Expr *expression) const;

  /// True where threads of one block may go different ways at this if, loop, switch, ?:, && or ||.
  bool isDivergentBranch(const clang::Stmt *statement) const;
  /// How uniform the decision of a branch is; Grid where there is none.
  Level branchLevel(const clang::Stmt *statement) const;
  /// The same by block of the flow graph: what is decided at its end, one operand of && at a time.
  Level branchLevelOfBlock(unsigned block) const;
  /// Every branch that differs within a block, in source order; callees' branches are not in it.
  const std::vector<DivergentBranch> &divergentBranches() const;

  /// The body of the function called here as it behaves with these arguments; null for calls that are not
  /// looked into (built-ins, bodies not in the file, recursion).
  const Uniformity *callee(const clang::CallExpr *call) const;

  const source::ReachingDefinitions &definitions() const;
  const source::Unit &unit() const;

  struct Impl; ///< known to the files of this analysis only
  explicit Uniformity(std::unique_ptr<Impl> impl);

private:
  std::unique_ptr<Impl> impl;
};

} // namespace heddle::analysis
