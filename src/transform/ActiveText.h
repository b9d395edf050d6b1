// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Leaves of a kernel what the preprocessor takes in now: a transform cuts text into pieces, and pieces of
/// #if and #endif mean nothing.
///
///     #ifdef FAST                    (these three lines go)
///       x = __fdividef(a, b);
///     #else
///       x = a / b;           =>        x = a / b;
///     #endif
std::optional<Needs> keepActiveText(Context &context, const Kernel &kernel);

} // namespace heddle::transform
