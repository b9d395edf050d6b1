// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// One place where threads wait for each other (or say that they have come this far).
struct Barrier {
  enum class Scope {
    Warp,    ///< __syncwarp, a tile of at most a warp
    Block,   ///< __syncthreads and everything that is one
    Named,   ///< a numbered barrier, or one for a given number of threads
    Cluster, ///< all blocks of a cluster
    Grid,    ///< all blocks
    Async,   ///< an object in memory: cuda::barrier, cuda::pipeline, mbarrier, asynchronous copies
  };
  enum class Action { Sync, Arrive, Wait };

  Scope scope = Scope::Block;
  Action action = Action::Sync;
  const clang::Stmt *statement = nullptr; ///< the call or the assembly statement
  std::string spelling;                   ///< "__syncthreads", "bar.sync"
  std::optional<int64_t> id, threads;     ///< of a named barrier, where constant
  /// Of a cooperative group that may be any (a `thread_group`): who takes part is not known.
  bool ofUnknownGroup = false;
  bool votes = false; ///< gives a result: __syncthreads_or and its variants

  /// Cuts the code into regions. Barriers inside a warp do not.
  bool cutsRegion() const { return scope != Scope::Warp; }
  /// Everything any thread of the block did before comes before everything any of them does after.
  bool ordersBlock() const {
    return action == Action::Sync &&
           (scope == Scope::Block || scope == Scope::Cluster || scope == Scope::Grid);
  }
};

const char *nameOf(Barrier::Scope scope);

/// The barrier that this element of the flow graph is, if it is one.
std::optional<Barrier> barrierAt(const clang::Stmt *element, const clang::ASTContext &context);

/// There is one of any kind in it; functions that it calls are not looked into.
bool holdsBarrier(const clang::Stmt *code, const clang::ASTContext &context);

/// The barrier in the text of inline assembly; operands of the instruction that are constants are filled in.
std::optional<Barrier> barrierInAssembly(const std::string &text);

} // namespace heddle::analysis
