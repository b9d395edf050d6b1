// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uses.h"
#include "transform/Context.h"

#include <string>
#include <vector>

namespace clang {
class DeclStmt;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace heddle::transform {

/// How the blocks of a kernel, one warp each, are done by persistent warps (runtime/heddle/delegate.cuh).
struct TaskShape {
  unsigned warps = 1;        ///< of a block, at most
  unsigned depth = 1;        ///< of a warp along z
  bool isDynamic = false;    ///< tasks are taken, not assigned
  unsigned throttle = 0;     ///< warps of a multiprocessor; 0: as many as fit
  std::string task = "task"; ///< the name of the parameter
  bool isItem = false;       ///< no block but a single thread, as `regroup` hands them out
  /// Text that is not parsed yet, a copy of the kernel, calls the functions as they are: copies are changed.
  bool keepsFunctions = false;

  /// "heddle::Tasks<4>"
  std::string tasksType() const;
  /// "const heddle::Task &task"
  std::string parameter() const;
};

/// A variable in shared memory that code declares or mentions.
struct SharedVariable {
  const clang::VarDecl *variable = nullptr;
  const clang::DeclStmt *statement = nullptr; ///< null for one declared outside of functions
  bool isDynamic() const;
};

/// The shared variables of a function, in the order of the text; those of a template in all that it holds.
std::vector<SharedVariable> sharedVariablesOf(const clang::FunctionDecl *function);

/// What a function that is called (or is) a task does with the block.
struct TaskUses {
  Uses uses; ///< with what `if constexpr` leaves out
  std::vector<SharedVariable> shared;

  static TaskUses of(const clang::FunctionDecl *function);
  /// Instantiations may ask for different things; their text serves all of them.
  static TaskUses ofAll(const std::vector<const Kernel *> &instances);
  /// It needs the block (or thread) whose work it does.
  bool needsTask(const TaskShape &shape) const;
  /// Something in it would mean something else where several warps make up a block.
  bool needsChange(const TaskShape &shape) const;
};

/// The changes to the text of a function's body. The code itself is not changed: it finds variables
/// of the names it asks for, which are its own block's instead of the built-in ones.
///
///     {                             {
///                                     const uint3 blockIdx = task.blockIdx;
///       __shared__ float s[64];  =>   __shared__ float sOfWarps[4][64];
///                                     auto &s = sOfWarps[heddle::warpOfBlock()];
std::vector<Replacement> taskEditsIn(const Unit &unit, const clang::FunctionDecl *function,
                                     const TaskUses &uses, const TaskShape &shape);

} // namespace heddle::transform
