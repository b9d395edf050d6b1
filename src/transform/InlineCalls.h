// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <optional>
#include <string>

namespace clang {
class CallExpr;
class Stmt;
} // namespace clang

namespace heddle::transform {

/// Puts functions that hold a barrier in the place of their calls, so that a kernel can be cut there.
///
///     float total = blockSum(tile, x);      =>      float blockSumValue;
///                                                   { // blockSum
///                                                     float *s = tile;
///                                                     ...
///                                                     blockSumValue = s[0];
///                                                   }
///                                                   float total = blockSumValue;
///
/// Calls that cannot be treated so are left; reasonNotToInline says why.
std::optional<Needs> inlineCallsWithBarriers(Context &context, const Kernel &kernel);

/// Nothing where the call can be replaced. `statement` is the whole statement that the call is in.
std::optional<std::string> reasonNotToInline(const KernelFacts &facts, const clang::CallExpr *call,
                                             const clang::Stmt *statement);

} // namespace heddle::transform
