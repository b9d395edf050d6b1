// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <optional>

namespace clang {
class Stmt;
}

namespace heddle::transform {

/// A return that some lanes of a warp may take while others still come to a place where lanes meet: a
/// __syncwarp(), a shuffle, a vote.
struct EarlyLanes {
  const clang::Stmt *exit = nullptr, *meeting = nullptr;
};
std::optional<EarlyLanes> earlyLanesOf(Context &context, const source::Kernel &kernel);

} // namespace heddle::transform
