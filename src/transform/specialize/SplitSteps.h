// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleSplit.h"

#include <clang/AST/Decl.h>
#include <fmt/format.h>

#include <utility>

namespace heddle::transform {

/// What a step makes of a split: the split with what the step finds, or why there is none.
using Split = std::variant<RoleSplit, Diagnostic>;

/// Step 1 (TileUses.cpp): tiles are written by loads only and read between the barriers only. Finds pointers
/// into tiles.
Split checkTiles(RoleSplit split, const RoleView &view);
/// Step 2 (RoleJumps.cpp): jumps that both roles must take.
Split takeJumps(RoleSplit split, const RoleView &view);
/// Step 3 (RoleSlices.cpp): what each role carries out.
Split sliceProducer(RoleSplit split, const RoleView &view);
Split sliceConsumer(RoleSplit split, const RoleView &view);
/// Step 4 (RoleVariation.cpp): what differs from thread to thread, and whether a producer can load for several.
Split findVarying(RoleSplit split, const RoleView &view);
Split checkVarying(RoleSplit split, const RoleView &view);

/// The branch that decides about a jump; the jump itself where there is none.
const KernelNode *nearestHead(const KernelNode &jump);

template <class... Why>
Diagnostic refusalAt(const RoleView &view, const KernelNode &at, fmt::format_string<Why...> why,
                     Why &&...values) {
  return legalityFailure(view.location(at), fmt::format(why, std::forward<Why>(values)...));
}

inline std::string quoted(const clang::VarDecl *variable) { return "'" + variable->getNameAsString() + "'"; }

/// The shared array that is accessed; null for other memory.
inline const clang::VarDecl *sharedArray(const analysis::Access &access) {
  return access.array->space == analysis::Array::Space::Shared
             ? llvm::dyn_cast_or_null<clang::VarDecl>(access.array->decl)
             : nullptr;
}

} // namespace heddle::transform
