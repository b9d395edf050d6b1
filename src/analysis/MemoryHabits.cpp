// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/MemoryHabits.h"

#include "model/Thresholds.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {
namespace {

bool isGlobal(const Access &access) {
  return access.array->space == Array::Space::Global || access.array->space == Array::Space::Unknown;
}

/// Textures and surfaces are reached by functions, which are no accesses to the analysis.
struct ImageCalls {
  bool reads = false, inLoop = false;

  void look(const Stmt *part, bool isInLoop) {
    if (!part)
      return;
    if (auto *call = dyn_cast<CallExpr>(part))
      if (const FunctionDecl *callee = call->getDirectCallee();
          callee && callee->getDeclName().isIdentifier()) {
        const StringRef name = callee->getName();
        const bool isTexture =
            name.starts_with("tex1D") || name.starts_with("tex2D") || name.starts_with("tex3D");
        if (isTexture || name.starts_with("surf")) {
          reads |= isTexture || name.ends_with("read");
          inLoop |= isInLoop;
        }
      }
    isInLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(part);
    for (const Stmt *child : part->children())
      look(child, isInLoop);
  }
};

bool readsAndWaits(const KernelFacts &facts) {
  ImageCalls images;
  images.look(facts.kernel->function->getBody(), false);
  bool reads = images.reads;
  for (const Access &access : facts.accesses->all()) {
    if (!isGlobal(access))
      continue;
    if (access.loop || access.kind == Access::Kind::Atomic)
      return false;
    reads |= access.isRead();
  }
  return reads && !images.inLoop;
}

bool slides(const Access &access) {
  if (!access.address || access.array->space != Array::Space::Shared || access.kind != Access::Kind::Read ||
      !access.loop || !access.loop->counter ||
      access.loop->trips.value_or(0) < model::threshold::coarsen::leastWindow)
    return false;
  const auto step = access.address->coefficient(access.loop->counter);
  return step && step->constant() == access.bytes && access.address->dependsOnThread(0);
}

/// Neighbours read neighbouring elements, and the loop goes on behind what the whole block has read.
bool streamsThrough(const KernelFacts &facts, const Access &access) {
  if (!access.address || !isGlobal(access) || !access.loop || !access.loop->counter || !access.loop->step ||
      !streams(facts, access.loop->statement))
    return false;
  const std::optional<int64_t> step = access.loop->step->constant();
  const auto perThread = access.address->coefficient(facts.accesses->symbols().threadIdx(0));
  const auto perIteration = access.address->coefficient(access.loop->counter);
  const bool isFarther = !step || *step >= facts.threadsPerBlock().value_or(1);
  return perThread && perThread->constant() == access.bytes && perIteration && !perIteration->isZero() &&
         isFarther;
}

} // namespace

bool streams(const KernelFacts &facts, const Stmt *loop) {
  bool reads = false;
  for (const Access &access : facts.accesses->all()) {
    const Loop *around = access.loop;
    while (around && around->statement != loop)
      around = around->parent;
    if (!around || access.array->space == Array::Space::Local)
      continue;
    if (access.kind != Access::Kind::Read)
      return false;
    reads |= isGlobal(access) && access.address && access.address->dependsOnThread() && around == access.loop;
  }
  return reads;
}

MemoryHabits memoryHabits(const KernelFacts &facts) {
  MemoryHabits habits;
  habits.readsAndWaits = readsAndWaits(facts);
  habits.streamsThroughMemory = std::ranges::any_of(
      facts.accesses->all(), [&](const Access &access) { return streamsThrough(facts, access); });
  habits.slidesAlongX = std::ranges::any_of(facts.accesses->all(), slides);
  return habits;
}

} // namespace heddle::analysis
