// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uniformity.h"

namespace clang {
class FunctionDecl;
class QualType;
} // namespace clang

namespace heddle::analysis {

/// What is known of a built-in function's result without looking into it.
struct CallEffect {
  enum class Kind {
    Fixed,        ///< `level`, whatever the arguments
    Exchange,     ///< a shuffle: as the value exchanged, where that is the same over the warp
    Broadcast,    ///< a shuffle from a lane: the same over the warp where all ask for the same lane
    Load,         ///< reads through its first argument
    ReadOnlyLoad, ///< the same, from memory that no thread writes
    Arguments,    ///< the join of its arguments
  } kind = Kind::Arguments;
  Level level = Level::Grid;
  const char *reason = "";
};

/// The effect of a built-in function; nothing for a function to look into.
std::optional<CallEffect> effectOf(const clang::FunctionDecl *callee);
/// The effect of a member function of a cooperative group; nothing where `object` is no group.
std::optional<CallEffect> effectOfMember(const clang::FunctionDecl *method, const clang::QualType &object);

/// The kinds of cooperative groups, as far as they matter. A LargeTile is several warps of the block.
enum class GroupKind { None, Block, LargeTile, WarpTile, SmallTile, Coalesced, Cluster, Grid };
GroupKind groupKind(const clang::QualType &type);

} // namespace heddle::analysis
