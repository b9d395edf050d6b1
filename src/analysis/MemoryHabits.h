// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a kernel go to memory, where that says more about coarsening than counting work does.
#pragma once

#include "analysis/KernelFacts.h"

namespace heddle::analysis {

struct MemoryHabits {
  /// Each thread reads global memory (or textures) a few times, outside of any loop, and then waits. Merged
  /// threads ask at the same time, so that more is under way.
  bool readsAndWaits = false;
  /// A loop of the block goes through global memory, an element for each thread at a time, and folds it into
  /// local variables. Merged threads ask at the same time.
  bool streamsThroughMemory = false;
  /// A loop reads shared memory through a window that moves along with the thread along x: neighbours read
  /// nearly the same elements, and a thread that does the work of neighbours keeps them in registers.
  bool slidesAlongX = false;
};

MemoryHabits memoryHabits(const KernelFacts &facts);

/// The loop goes through global memory, and merged threads that go through it together wait together. What
/// all threads read alike is another matter (reuse).
bool streams(const KernelFacts &facts, const clang::Stmt *loop);

} // namespace heddle::analysis
