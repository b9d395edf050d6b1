// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "source/LaunchArguments.h"

namespace clang {
class ParmVarDecl;
}

namespace heddle::analysis {

/// What is known about the memory that a kernel's pointers point to. The rule for all transforms: two
/// pointers may overlap unless one is `__restrict__`, every launch gives them allocations of their own, or
/// the user vouches for it.
struct PointersApart {
  source::DisjointArguments byLaunches;
  bool isAssumed = false; ///< --assume no-overlap
};

/// Whether accesses to two arrays may touch the same memory though they are not the same one, and why.
/// Nothing where they cannot.
///
///  * different variables (`__shared__`, `__device__`, local arrays) do not overlap;
///  * what a pointer parameter, or a pointer in a structure that is a parameter, points to may be part of
///    what another one points to, or of a `__device__` variable;
///  * a pointer that was loaded from memory may point anywhere in its space.
std::optional<std::string> reasonToOverlap(const Array &a, const Array &b);

/// The same for two pointer parameters of the kernel that `launch` speaks of.
bool mayOverlap(const clang::ParmVarDecl *a, const clang::ParmVarDecl *b, const LaunchFacts &launch);

/// What would decide it, for a hint.
extern const char *const waysToDistinguish;

} // namespace heddle::analysis
