// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uniformity.h"

#include <optional>

namespace clang {
class Stmt;
}

namespace heddle::analysis {

/// A return that some lanes of a warp may take while others still come to a point where lanes synchronize: a
/// __syncwarp(), a shuffle, a vote.
struct EarlyLanes {
  const clang::Stmt *exit = nullptr, *pair = nullptr;
};
std::optional<EarlyLanes> earlyLanesOf(const Uniformity &uniformity);

} // namespace heddle::analysis
