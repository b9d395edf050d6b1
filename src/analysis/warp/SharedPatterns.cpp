// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which shared arrays can be registers of a warp's lanes, and by which accesses.
//
// Each array goes through four steps, and stays in shared memory with the first reason that one finds:
//
// 1. Declaration and uses (SharedUses.cpp): every mention of the array must be one element of it, read or
//    written; a pointer that is set to the array once and never changes is another name for it.
// 2. Patterns (LaneElements.cpp): the element's number is brought to the form  lane + distance  or  element of
//    one row.
// 3. Convergence (ShufflePlacement.cpp): what becomes a shuffle must be executed by all lanes. Inside a branch
//    that differs by lane it is moved up before the branch.
// 4. Loops (RowLoops.cpp): a register has no address, so counters that select a register must be constants
//    after unrolling, or the loop is split into one over rows, which is unrolled, and one inside a row.
//
// A step takes the array as the steps before it left it, and returns it; nothing is shared between steps but
// the text of the kernel and what is known of it (KernelReading), which no step changes. Convergence needs all
// accesses of the array, since a store between two points forbids moving a load from one to the other; so each
// step finishes the whole array before the next begins.
#include "analysis/warp/SharedPatterns.h"

#include "analysis/warp/SharedSteps.h"
#include "source/Kernel.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis {

namespace {

/// The array with its accesses, or with the reason that one of them has no pattern.
SharedArray withAccesses(SharedArray array, const KernelReading &in) {
  std::optional<Diagnostic> forLackOfBetter;
  for (const DeclRefExpr *mention : in.text.mentions) {
    if (mention->getDecl() != array.decl && !llvm::is_contained(array.aliases, mention->getDecl()))
      continue;
    ElementUse use = elementUse(mention, array, in);
    LanePattern pattern{std::nullopt, use.whyNot};
    if (use.access)
      pattern = lanePattern(*use.access, array, in);
    if (pattern.access) {
      array.accesses.push_back(*pattern.access);
    } else if (pattern.isForLackOfBetter) {
      if (!forLackOfBetter)
        forLackOfBetter = pattern.whyNot;
    } else if (pattern.whyNot) {
      array.whyNot = pattern.whyNot;
      return array;
    }
  }
  array.whyNot = forLackOfBetter;
  return array;
}

SharedArray withShufflePoints(SharedArray array, const KernelReading &in) {
  for (StripedAccess &access : array.accesses) {
    auto point = shufflePoint(access, array, in);
    if (auto *why = std::get_if<Diagnostic>(&point)) {
      array.whyNot = *why;
      return array;
    }
    access.before = std::get<const Stmt *>(point);
  }
  return array;
}

SharedArray withSplitLoops(SharedArray array, const KernelReading &in) {
  for (StripedAccess &access : array.accesses) {
    auto loop = loopToSplit(access, array, in);
    if (auto *why = std::get_if<Diagnostic>(&loop)) {
      array.whyNot = *why;
      return array;
    }
    access.splits = std::get<const KnownLoop *>(loop);
  }
  return array;
}

} // namespace

const Stmt *KernelReading::parent(const Stmt *statement) const {
  return parents.getParent(const_cast<Stmt *>(statement));
}

bool KernelReading::contains(const Stmt *outer, const Stmt *inner) const {
  for (; inner; inner = parent(inner))
    if (inner == outer)
      return true;
  return false;
}

std::string KernelReading::textOf(const Expr *expression) const {
  return textInSource(expression, context());
}

ASTContext &KernelReading::context() const { return kernel.unit->context(); }
const SourceManager &KernelReading::sources() const { return kernel.unit->sources(); }

Diagnostic KernelReading::stays(const std::string &name, clang::SourceLocation at,
                                const std::string &why) const {
  return {Severity::Kept, kernel.unit->location(at),
          fmt::format("'{}' stays in shared memory: {}", name, why)};
}

std::set<const KnownLoop *> StripedAccess::loops() const {
  std::set<const KnownLoop *> all;
  for (const WarpIndex *form : {&distance, &other, &location})
    all.merge(form->loops());
  return all;
}

int64_t SharedArray::elements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t SharedArray::registersPerLane() const {
  return (elements() + lanesPerWarp - 1) / lanesPerWarp * ((elementBytes + 3) / 4);
}

std::vector<SharedArray> sharedArrays(const source::Kernel &kernel, const Uniformity &uniformity,
                                      const WarpIndices &indices, const ParentMap &parents) {
  const KernelMentions text = mentionsIn(kernel);
  const KernelReading in{kernel, uniformity, indices, parents, text};
  std::vector<SharedArray> arrays;
  for (const VarDecl *decl : text.arrays) {
    SharedArray array = describedArray(decl, in);
    for (auto step : {withAccesses, withShufflePoints, withSplitLoops})
      if (!array.whyNot)
        array = step(std::move(array), in);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace heddle::analysis
