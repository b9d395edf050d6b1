// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Names.h"
#include "transform/tasks/TaskText.h"

namespace heddle::transform {

/// Changes the functions that a task calls, and that ask for the block or have shared memory, so that they
/// mean the task's; those that need it get it as a parameter in front.
///
///     __device__ int first() { return blockIdx.x * 64; }
///  => __device__ int first(const heddle::Task &task) {
///       const uint3 blockIdx = task.blockIdx; return blockIdx.x * 64; }
///
/// `shape.isItem`: that ask for the thread, and mean another one's then (`const heddle::Item &item`).
///
/// A function that others call as well stays, and a copy of it is changed. Returns the changes to the calls
/// in the kernel's own text; nothing where a function cannot be changed, with a refusal.
std::optional<std::vector<Replacement>> changeTaskFunctions(Context &context, const TaskShape &shape,
                                                            Names &names);

} // namespace heddle::transform
