// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PointersApart.h"

#include <clang/AST/Decl.h>

namespace heddle::analysis {
namespace {

bool areApart(const Array &a, const Array &b) {
  const PointersApart *known = a.isParameter ? a.apart.get() : b.apart.get();
  if (!known)
    return false;
  if (known->isAssumed)
    return true;
  if (a.parameter && b.parameter)
    return known->byLaunches.areDisjoint(*a.parameter, *b.parameter);
  // A parameter and a __device__ variable; pointers in structures are not followed at launches.
  const Array &pointer = a.isParameter ? a : b;
  return a.isParameter != b.isParameter && pointer.parameter &&
         known->byLaunches.allocated.contains(*pointer.parameter);
}

} // namespace

const char *const waysToDistinguish =
    "where they never do, declare the kernel's parameters __restrict__, or use --assume no-overlap";

std::optional<std::string> reasonToOverlap(const Array &a, const Array &b) {
  using Space = Array::Space;
  if (a.space == Space::Constant || b.space == Space::Constant)
    return std::nullopt;
  if (!a.decl || !b.decl) {
    const Array &unknown = a.decl ? b : a;
    bool isElsewhere = a.space != b.space && a.space != Space::Unknown && b.space != Space::Unknown;
    return isElsewhere ? std::nullopt
                       : std::optional(fmt::format("where this points is not known: {}", unknown.name));
  }
  bool bothGlobal = a.space == Space::Global && b.space == Space::Global;
  if (!bothGlobal || (!a.isParameter && !b.isParameter) || a.isRestrict || b.isRestrict || areApart(a, b))
    return std::nullopt;
  return fmt::format("'{}' and '{}' may overlap", a.name, b.name);
}

bool mayOverlap(const clang::ParmVarDecl *a, const clang::ParmVarDecl *b, const LaunchFacts &launch) {
  if (a->getType().isRestrictQualified() || b->getType().isRestrictQualified())
    return false;
  if (!launch.pointers)
    return true;
  return !launch.pointers->isAssumed &&
         !launch.pointers->byLaunches.areDisjoint(a->getFunctionScopeIndex(), b->getFunctionScopeIndex());
}

} // namespace heddle::analysis
