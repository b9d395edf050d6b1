// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose counters select a register.
//
// Element 32 * r + l of an array is register r of lane l. Where a loop's counter is part of an element's number,
// r must be a constant in each copy of the loop's body, since registers have no addresses:
//
//     #pragma unroll
//     for (int r = 0; r < 4; ++r) x += t[r * 32 + lane];       unrolled: r is a constant in each copy
//
//     for (int i = 0; i < 256; ++i) x += t[i];                 split:  #pragma unroll
//                                                                      for (int row = 0; row < 8; ++row)
//                                                                        for (int i = ...32 of them...)
//                                                                          x += shuffle(t_row, i);
//
// 1. A loop that the user or an earlier step unrolls needs nothing. Nor does one with a barrier in it: these are
//    the steps of trees and scans, which are few and are unrolled.
// 2. A loop over all elements of whole rows, in order, that reads one element for all lanes is split: the outer
//    loop selects the register and is unrolled, the inner one selects the lane and need not be, since a shuffle
//    takes its lane from a variable.
// 3. Any other loop keeps the array in shared memory.
//
// Splitting is right because it visits the same values in the same order. A `break` would leave the inner loop
// only, so a loop that has one is not split; nor is one with a barrier, or one that asks for fewer copies than
// there are rows. Cost: the number of values of the counter, for each access.
#include "analysis/warp/SharedSteps.h"
#include "source/Kernel.h"

#include <clang/AST/ASTContext.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis {
namespace {

/// `for (i = 0; i < 256; ++i)` over all elements of whole rows: an outer loop over the rows can be unrolled
/// and the inner one need not, since a shuffle takes any lane.
bool canBeSplit(const StripedAccess &access, const KnownLoop &loop, const KernelReading &in) {
  const bool isPlain = access.location.terms.size() == 1 &&
                       access.location.terms.begin()->second.factor == 1 &&
                       access.location.terms.begin()->first == loop.counter->getName() &&
                       access.location.constant % lanesPerWarp == 0;
  if (!isPlain || loop.values.empty() || loop.values.front() % lanesPerWarp ||
      loop.values.size() % lanesPerWarp)
    return false;
  for (size_t i = 1; i < loop.values.size(); ++i)
    if (loop.values[i] != loop.values[i - 1] + 1)
      return false;
  const bool leavesRowsTogether =
      loop.unrollCount == 0 || loop.unrollCount >= loop.values.size() / lanesPerWarp;
  const bool declaresOne = cast<DeclStmt>(loop.loop->getInit())->isSingleDecl();
  return leavesRowsTogether && declaresOne && !loop.hasBarrier &&
         llvm::none_of(in.text.jumps, [&](const Stmt *jump) {
           return isa<BreakStmt>(jump) && whatIsLeft(jump, in) == loop.loop;
         });
}

} // namespace

std::variant<const KnownLoop *, Diagnostic> loopToSplit(const StripedAccess &access, const SharedArray &array,
                                                        const KernelReading &in) {
  const KnownLoop *split = nullptr;
  for (const KnownLoop *loop : access.loops()) {
    // Trees and scans wait in every step; there are few steps, and each has another distance.
    if (loop->isUnrolled || (loop->hasBarrier && loop->unrollCount != 1))
      continue;
    const bool isBroadcast = access.kind == StripedAccess::Kind::InRow && access.location.isUniform();
    if (!isBroadcast || !canBeSplit(access, *loop, in))
      return in.stays(
          array.name, access.expression->getBeginLoc(),
          fmt::format("the register of '{}' is not a constant: '{}' counts a loop that is not unrolled, and "
                      "registers cannot be indexed at run time",
                      in.textOf(access.expression), loop->counter->getNameAsString()));
    split = loop;
  }
  return split;
}

} // namespace heddle::analysis
