// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <optional>
#include <string>

namespace heddle::transform {

/// Puts a copy of the kernel after it that does the same and counts, for each thread, how often it goes
/// through loops; and copies of the functions with loops that it calls.
///
///     __global__ void k(int *a) {             __global__ void kCounted(heddle::Counted counted, int *a) {
///                                         =>    heddle::Counter counter(counted);
///       for (int i = 0; i < *a; ++i) {          for (int i = 0; i < *a; ++i) { counter.step();
///
/// Returns the copy's name; nothing, with a refusal, where there is no loop to count or no text to copy.
std::optional<std::string> writeCountingKernel(Context &context);

} // namespace heddle::transform
