// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/warp/SharedPatterns.h"

#include <clang/AST/ParentMap.h>
#include <clang/Basic/SourceManager.h>

#include <string>
#include <variant>
#include <vector>

namespace heddle::analysis {

// The steps by which SharedPatterns.cpp reads a shared array. Each takes what is known so far and returns its
// own decision, or the reason that the array stays in shared memory.

/// Everything of interest in the kernel's text.
struct KernelMentions {
  std::vector<const clang::VarDecl *> arrays;   ///< __shared__
  std::vector<const clang::VarDecl *> pointers; ///< locals that are set where they are declared
  std::vector<const clang::DeclRefExpr *> mentions;
  std::vector<const clang::Stmt *> jumps; ///< return, break, continue, goto
};
KernelMentions mentionsIn(const source::Kernel &kernel);

/// What all steps read; none changes it.
struct KernelReading {
  const source::Kernel &kernel;
  const Uniformity &uniformity;
  const WarpIndices &indices;
  const clang::ParentMap &parents;
  const KernelMentions &text;

  const clang::Stmt *parent(const clang::Stmt *statement) const;
  bool contains(const clang::Stmt *outer, const clang::Stmt *inner) const;
  std::string textOf(const clang::Expr *expression) const;
  clang::ASTContext &context() const;
  const clang::SourceManager &sources() const;
  /// "'name' stays in shared memory: why".
  Diagnostic stays(const std::string &name, clang::SourceLocation at, const std::string &why) const;
};

constexpr int64_t lanesPerWarp = 32;

/// The declaration: type, extents and other names of the array. `whyNot` is set where it is none whose
/// elements fit into registers.
SharedArray describedArray(const clang::VarDecl *decl, const KernelReading &in);

/// A mention of the array as an access of one element, without its pattern yet. Neither an access nor a
/// reason: the mention declares another name for the array.
struct ElementUse {
  std::optional<StripedAccess> access;
  std::optional<Diagnostic> whyNot;
};
ElementUse elementUse(const clang::DeclRefExpr *mention, const SharedArray &array, const KernelReading &in);

/// `tile[i].x` where `tile[i]` is given.
const clang::Stmt *outermostPart(const clang::Stmt *element, const KernelReading &in);

/// The access with its kind, distance and location in the row: which element it is for each lane.
struct LanePattern {
  std::optional<StripedAccess> access;
  std::optional<Diagnostic> whyNot;
  bool isForLackOfBetter = false; ///< reported only where there is no other reason
};
LanePattern lanePattern(StripedAccess access, const SharedArray &array, const KernelReading &in);

/// The statement that the access is moved before, so that all lanes execute its shuffle; null where it can
/// stay, or needs no shuffle.
std::variant<const clang::Stmt *, Diagnostic> shufflePoint(const StripedAccess &access,
                                                           const SharedArray &array, const KernelReading &in);

/// The loop or switch that a break or continue leaves or goes on with; the whole body for a return or goto.
const clang::Stmt *whatIsLeft(const clang::Stmt *jump, const KernelReading &in);

/// The loop over the rows of the array that must be split so that its counter is a constant; null where
/// nothing need be.
std::variant<const KnownLoop *, Diagnostic> loopToSplit(const StripedAccess &access, const SharedArray &array,
                                                        const KernelReading &in);

} // namespace heddle::analysis
