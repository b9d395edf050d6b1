// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a shuffle is placed so that all lanes execute it.
//
// A value that another lane keeps is fetched by a shuffle, which all 32 lanes must execute together. An access
// inside a branch that lanes take differently is moved up before the branch:
//
//     if (threadIdx.x < 31)                        float next = shuffle(t, lane + 1);
//       x += t[threadIdx.x + 1];          =>       if (threadIdx.x < 31)
//                                                    x += next;
//
// 1. From the access outwards, statements that decide differently by lane are left behind, and loops that
//    would repeat the shuffle where that is possible.
// 2. Leaving a statement is right if it has no barrier, no write of the array before the access, and no loop
//    that counts the index.
// 3. The shuffle is put before the whole statement of a list, never among the cases of a switch.
// 4. Lanes that have left by a return, break or continue would be missing.
//
// Why moving up is right: between the new point and the old one the thread passes no barrier and writes
// nothing to the array, and nothing orders what other threads write meanwhile. So what it reads at the new
// point is what it could have read at the old one, in some order of the threads' steps that the kernel
// allows. For the same reason nothing need be known of races: where all orders give the same, so does this
// one.
//
// Cost: the depth of the tree times the number of accesses, for each access.
#include "analysis/Barriers.h"
#include "analysis/StatementShape.h"
#include "analysis/warp/SharedSteps.h"
#include "source/Kernel.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis {
namespace {

bool isShuffle(const StripedAccess &access) {
  const bool bothAreOwn = access.kind == StripedAccess::Kind::Either &&
                          access.distance.isMultipleOf(lanesPerWarp) &&
                          access.other.isMultipleOf(lanesPerWarp);
  return access.kind != StripedAccess::Kind::Own && !bothAreOwn;
}

/// `part` is executed by some lanes only, or not as often by all, by the decision of `statement` around it.
bool isGovernedDifferently(const Stmt *statement, const Stmt *part, const KernelReading &in) {
  if (auto *branch = dyn_cast<IfStmt>(statement); branch && branch->getCond() == part)
    return false;
  if (auto *choice = dyn_cast<AbstractConditionalOperator>(statement); choice && choice->getCond() == part)
    return false;
  if (auto *loop = dyn_cast<ForStmt>(statement); loop && loop->getInit() == part)
    return false;
  auto *op = dyn_cast<BinaryOperator>(statement);
  if (op && (!op->isLogicalOp() || op->getLHS() == part))
    return false;
  const bool decides =
      op || isLoop(statement) || isa<IfStmt, SwitchStmt, AbstractConditionalOperator>(statement);
  return decides && in.uniformity.branchLevel(statement) > Level::Warp;
}

/// A write of the array that may be executed after `statement` began and before the access.
bool mayComeBefore(const StripedAccess &store, const StripedAccess &access, const Stmt *statement,
                   const KernelReading &in) {
  for (const Stmt *at = store.expression; at; at = in.parent(at)) {
    if (isLoop(at) && in.contains(at, access.expression))
      return true;
    if (at == statement)
      break;
  }
  // In `a[i] += a[i + 1]` the right side comes first.
  const Stmt *assignment = in.parent(outermostPart(store.expression, in));
  if (in.contains(assignment, access.expression))
    return false;
  return in.sources().isBeforeInTranslationUnit(store.expression->getBeginLoc(),
                                                access.expression->getBeginLoc());
}

/// What is read before `statement` is what would be read at the access.
bool mayMoveOut(const StripedAccess &access, const Stmt *statement, const SharedArray &array,
                const KernelReading &in) {
  if (access.hasRunTimeIndex)
    return false;
  for (const KnownLoop *loop : access.loops())
    if (in.contains(statement, loop->loop))
      return false;
  if (holdsBarrier(statement, in.context()))
    return false;
  return llvm::none_of(array.accesses, [&](const StripedAccess &store) {
    return store.isStore && in.contains(statement, store.expression) &&
           mayComeBefore(store, access, statement, in);
  });
}

bool isInAnyLoop(const Stmt *statement, const KernelReading &in) {
  for (; statement; statement = in.parent(statement))
    if (isLoop(statement))
      return true;
  return false;
}

bool isTakenDifferently(const Stmt *jump, const Stmt *left, const KernelReading &in) {
  for (const Stmt *at = jump, *up = in.parent(at); up && at != left; at = up, up = in.parent(up))
    if (isGovernedDifferently(up, at, in))
      return true;
  return false;
}

bool isBody(const Stmt *statement, const Stmt *part) {
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return branch->getThen() == part || branch->getElse() == part;
  if (auto *loop = dyn_cast<ForStmt>(statement))
    return loop->getBody() == part;
  if (auto *loop = dyn_cast<WhileStmt>(statement))
    return loop->getBody() == part;
  auto *loop = dyn_cast<DoStmt>(statement);
  return loop && loop->getBody() == part;
}

/// The statement, in a list of statements or as the whole body of something, that a part belongs to.
const Stmt *statementOf(const Stmt *part, const KernelReading &in) {
  for (const Stmt *at = part, *up = in.parent(at); up; at = up, up = in.parent(up)) {
    // A declaration among a switch's cases would be jumped over.
    if (isa<CompoundStmt>(up) && isa_and_nonnull<SwitchStmt>(in.parent(up)))
      return nullptr;
    if (isa<CompoundStmt>(up) || isBody(up, at))
      return at;
    auto *loop = dyn_cast<ForStmt>(up);
    const bool isRepeated = isLoop(up) && !(loop && loop->getInit() == at);
    if (isRepeated || isa<SwitchCase, LabelStmt>(up))
      return nullptr;
  }
  return nullptr;
}

Diagnostic notAllLanes(const StripedAccess &access, const SharedArray &array, const KernelReading &in,
                       const std::string &more = "") {
  return in.stays(array.name, access.expression->getBeginLoc(),
                  fmt::format("'{}' would be a shuffle that not all lanes execute{}",
                              in.textOf(access.expression), more));
}

Diagnostic blocked(const StripedAccess &access, const Stmt *divergent, const Stmt *by,
                   const SharedArray &array, const KernelReading &in) {
  Diagnostic why = notAllLanes(
      access, array, in,
      fmt::format(", and it cannot be moved out of this {}", by == divergent ? "branch" : "loop"));
  why.note(in.kernel.unit->location(divergent->getBeginLoc()), "lanes diverge here");
  return why;
}

/// The outermost statement that the shuffle must be moved out of; null where it can stay.
std::variant<const Stmt *, Diagnostic> statementToLeave(const StripedAccess &access, const SharedArray &array,
                                                        const KernelReading &in) {
  const Stmt *leave = nullptr;
  const Stmt *blockedBy = nullptr; ///< a loop that the shuffle cannot be moved out of
  for (const Stmt *at = access.expression, *up = in.parent(at); up; at = up, up = in.parent(up)) {
    const bool differs = isGovernedDifferently(up, at, in);
    if (differs && blockedBy)
      return blocked(access, up, blockedBy, array, in);
    if (differs && !mayMoveOut(access, up, array, in))
      return blocked(access, up, up, array, in);
    if (differs)
      leave = up;
    else if (isLoop(up) && !blockedBy) {
      if (mayMoveOut(access, up, array, in))
        leave = up;
      else
        blockedBy = up;
    }
  }
  return leave;
}

/// Lanes that leave early do not come to shuffles that follow.
std::optional<Diagnostic> whyLanesAreMissing(const StripedAccess &access, const Stmt *point,
                                             const SharedArray &array, const KernelReading &in) {
  for (const Stmt *jump : in.text.jumps) {
    const Stmt *left = whatIsLeft(jump, in);
    if (!left || !in.contains(left, point) || !isTakenDifferently(jump, left, in))
      continue;
    const bool isBehind = in.sources().isBeforeInTranslationUnit(point->getBeginLoc(), jump->getBeginLoc());
    const bool comesBack = !isa<ContinueStmt>(jump) && isLoop(left);
    const bool isInLoop = isa<ReturnStmt>(jump) && isInAnyLoop(jump, in);
    if (isBehind && !comesBack && !isInLoop)
      continue;
    Diagnostic why = notAllLanes(access, array, in);
    why.note(in.kernel.unit->location(jump->getBeginLoc()), "some lanes leave here");
    return why;
  }
  return std::nullopt;
}

} // namespace

const Stmt *whatIsLeft(const Stmt *jump, const KernelReading &in) {
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(jump))
    return in.kernel.function->getBody();
  for (const Stmt *at = in.parent(jump); at; at = in.parent(at))
    if (isLoop(at) || (isa<BreakStmt>(jump) && isa<SwitchStmt>(at)))
      return at;
  return nullptr;
}

std::variant<const Stmt *, Diagnostic> shufflePoint(const StripedAccess &access, const SharedArray &array,
                                                    const KernelReading &in) {
  if (!isShuffle(access))
    return nullptr;
  std::variant<const Stmt *, Diagnostic> leave = statementToLeave(access, array, in);
  if (std::holds_alternative<Diagnostic>(leave))
    return leave;
  const Stmt *before = std::get<const Stmt *>(leave);
  if (before) {
    before = statementOf(before, in);
    if (!before || !mayMoveOut(access, before, array, in))
      return notAllLanes(access, array, in, ", and there is no place before it");
  }
  if (auto why = whyLanesAreMissing(access, before ? before : access.expression, array, in))
    return *why;
  return before;
}

} // namespace heddle::analysis
