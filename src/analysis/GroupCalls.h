// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/CallEffects.h"

#include <cstdint>
#include <optional>

namespace clang {
class CallExpr;
} // namespace clang

namespace heddle::analysis {

/// The type of the cooperative group that a call is for, as written: that of the object, or of the first
/// argument. Null where the call has neither.
clang::QualType groupTypeOf(const clang::CallExpr *call);

/// The threads per tile of a tile that is known by its type to be one of the block's.
std::optional<int64_t> sizeOfTileOfBlock(const clang::QualType &type);

/// A call of a function of cooperative groups, other than a barrier, whose result changes with the threads per
/// block or with their numbers: ranks and sizes of the block, the grid and a tile of several warps, and which
/// of the block's tiles this one is. Within a warp nothing changes as long as warps stay whole.
bool dependsOnBlock(const clang::CallExpr *call);

} // namespace heddle::analysis
