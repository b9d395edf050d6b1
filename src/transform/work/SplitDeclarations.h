// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Gives each variable a declaration of its own where one statement declares variables that differ by thread
/// and others that all threads of a block agree on:
///
///     int t = threadIdx.x, n = size / 2;  =>  int t = threadIdx.x; int n = size / 2;
///
/// Transforms decide statement by statement, so `n` would be taken to differ as well. Only kernels with
/// barriers are changed: elsewhere nothing depends on it.
std::optional<Needs> splitDeclarations(Context &context, const Kernel &kernel);

} // namespace heddle::transform
