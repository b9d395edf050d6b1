// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp aggregation, after Li, Liu, Wang, Barker and Song, "Warp-Consolidation: A Novel Execution Model for
// GPUs" (ICS 2018), section 3.1, in the two steps of the paper:
//
//   1. Smaller blocks. Threads that neither wait for each other nor share anything, and that only ask for
//   their
//      index in the grid (GlobalIndices), do not depend on how the grid is divided into blocks: 32 threads per block,
//      and as many more blocks.
//   2. Merged threads. Else each lane does the work of blockDim / 32 threads (WarpBlock), interleaved, so
//   that
//      the items of a work loop with the same number are a warp of the original, in its order. This is
//      `coarsen` with all factors given; why it is correct is explained there.
//
// Blocks that do not consist of whole warps of one shape are taken in a row: item k of lane t is thread
// t + 32 k, threads beyond the last do not exist, and threadIdx is computed from that number. Where the
// block is known to the launch only, the launch passes it to the kernel.
//
// What is asked beyond what coarsening asks: no barrier of more than a block, since stages that follow change
// which blocks run together; no loop that waits for another thread, which may be an item of the same lane;
// and with warp functions no thread that returns by itself, since its lane lives on and would be waited for.
#include "transform/consolidate/Aggregate.h"

#include "analysis/CallEffects.h"
#include "analysis/GlobalIndices.h"
#include "analysis/HiddenCode.h"
#include "analysis/StatementShape.h"
#include "analysis/loops/WaitingLoops.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/FlowGraph.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/LaunchEdits.h"
#include "transform/coarsen/Coarsen.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/consolidate/WarpLaunches.h"
#include "transform/tasks/KernelHead.h"
#include "transform/work/DeviceFunctions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::transform {

using analysis::DiscardedCode;
using analysis::discardedCode;

namespace {

using analysis::Barrier;

// Smaller blocks
// -------------------------------------------------------------------------------------------------------------

bool speaksOfBlock(const Kernel &kernel, const CallExpr *call) {
  const FunctionDecl *callee = analysis::calleeOf(call);
  if (!callee)
    return true;
  return analysis::isOfNamespace(callee, "cooperative_groups") ||
         (isa<CUDAKernelCallExpr>(call) && !kernel.unit->isUserCode(callee->getLocation()));
}

bool speaksOfBlock(const Stmt *statement) {
  auto *assembly = dyn_cast<GCCAsmStmt>(statement);
  if (!assembly)
    return false;
  return analysis::firstWordIn(assembly, {"%tid", "%ntid", "%ctaid", "%nctaid", "warpid", "bar", ".shared"});
}

/// Threads of a block have something to do with each other.
bool worksTogether(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  if (facts.regions->hasBarrier() || facts.staticSharedBytes > 0)
    return true;
  for (const auto &array : facts.accesses->arrays())
    if (array->space == analysis::Array::Space::Shared)
      return true;
  for (const FunctionDecl *function : functionsOf(kernel)) {
    const Uses uses = Uses::of(function->getBody());
    for (const CallExpr *call : uses.calls)
      if (speaksOfBlock(kernel, call))
        return true;
    for (const Stmt *statement : uses.statements)
      if (speaksOfBlock(statement))
        return true;
  }
  return false;
}

/// Code that cannot be rewritten reads some index, or the size of blocks or grid.
bool hidesIndices(const Kernel &kernel) {
  using Kind = analysis::ThreadBuiltin::Kind;
  const auto changed = analysis::ChangedThreads::of(
      {Kind::ThreadIdx, Kind::BlockIdx, Kind::BlockDim, Kind::GridDim}, /*shared=*/true);
  return analysis::failureInHiddenCode(kernel, changed).has_value();
}

/// The block to launch instead, where blocks may simply be smaller.
std::optional<std::array<unsigned, 3>> smallerBlock(Context &context, const BlockKnowledge &known) {
  std::optional<std::array<unsigned, 3>> lanes;
  std::array<bool, 3> shrinks = {};
  auto take = [&](const std::array<int64_t, 3> &block) {
    std::optional<std::array<unsigned, 3>> here = evenLanes(block);
    if (!here || (lanes && *lanes != *here))
      return false;
    lanes = here;
    for (unsigned d = 0; d < 3; ++d)
      shrinks[d] |= block[d] != (*here)[d];
    return true;
  };
  if (known.block && !take(*known.block))
    return std::nullopt;
  for (const Kernel *kernel : context.target.instances)
    for (const source::Launch *launch : context.facts(*kernel).launches) {
      const auto &[x, y, z] = launch->block.xyz;
      const bool isRow = y.value == 1 && z.value == 1;
      if (launch->block.isKnown() ? !take({*x.value, *y.value, *z.value}) : !isRow || !take({64, 1, 1}))
        return std::nullopt;
      for (unsigned d = 1; d < 3 && launch->block.isKnown(); ++d)
        if (launch->grid.xyz[d].value.value_or(1) * *launch->block.xyz[d].value / (*lanes)[d] > 65535)
          return std::nullopt;
    }
  if (!lanes || shrinks == std::array<bool, 3>{})
    return std::nullopt;
  for (const Kernel *kernel : context.target.instances)
    if (worksTogether(context, *kernel) || analysis::mentionOfBlocks(*kernel, shrinks) ||
        hidesIndices(*kernel))
      return std::nullopt;
  return lanes;
}

/// Replaces built-ins where nothing is merged: in the kernel, and in what it calls.
bool rewriteInPlace(Context &context, const BlockForm &form) {
  const Kernel &kernel = context.target.first();
  Names names(*kernel.unit);
  ItemIndices indices({}, Map::Interleaved, form);
  std::optional<CallChanges> calls = changeDeviceFunctions(context, kernel, indices, names);
  if (!calls)
    return false;
  for (const Kernel *instance : context.target.instances) {
    auto replace = [&](const Uses &uses) {
      replaceParts(context, *kernel.unit, replacementsIn(*kernel.unit, uses, indices, *calls));
    };
    replace(Uses::of(instance->function->getBody()));
    for (const DiscardedCode &code : discardedCode(instance->function))
      replace(code.uses);
  }
  if (!form.prologue.empty())
    source::Rewriter(*kernel.unit)
        .insertAtTop(context.edits, cast<CompoundStmt>(kernel.function->getBody()), form.prologue);
  return true;
}

/// What was edited, with the block that is launched from now on.
Edited withBlock(Context &context, const std::array<unsigned, 3> &lanes) {
  Edited edited = context.edited();
  edited.block = {lanes[0], lanes[1], lanes[2]};
  return edited;
}

std::string blocksText(const std::array<unsigned, 3> &lanes) {
  return fmt::format("with blocks of ({}, {}, {})", lanes[0], lanes[1], lanes[2]);
}

PassResult makeBlocksSmaller(Context &context, const BlockKnowledge &known,
                             const std::array<unsigned, 3> &lanes) {
  BlockForm form;
  form.lanes = lanes;
  for (unsigned d = 0; d < 3; ++d)
    form.extent[d] = fmt::format("{}u", lanes[d]);
  unsigned launches = 0;
  if (!rewriteInPlace(context, form) || !launchMoreBlocks(context, known, lanes, launches))
    return Refused();
  boundByOneWarp(context);
  context.done("blocks of '{}' become one warp each, and the grid has more of them: its "
               "threads read only their index in the grid{}",
               context.target.name, launchesText(launches, blocksText(lanes)));
  return withBlock(context, lanes);
}

// Merged threads
// -------------------------------------------------------------------------------------------------------------

bool checkScopes(Context &context, const Kernel &kernel) {
  for (const Barrier &barrier : context.facts(kernel).regions->barriers())
    if (barrier.scope == Barrier::Scope::Grid || barrier.scope == Barrier::Scope::Cluster)
      return context.refuse(
          kernel.unit->location(barrier.statement),
          "'{}' waits for other blocks, so a warp cannot execute blocks one after the other",
          barrier.spelling);
  return true;
}

bool checkWaiting(Context &context, const Kernel &kernel) {
  const Stmt *loop = analysis::findWaitingLoop(kernel);
  if (!loop)
    return true;
  return context.refuse(kernel.unit->location(loop),
                        "this loop waits for another thread, whose work the same lane may execute later");
}

/// threadIdx.x, or a local that always holds it.
bool isThreadX(const Expr *expression, const Uses &kernel) {
  auto isIt = [](const Expr *value) {
    std::optional<analysis::ThreadBuiltin> builtin = analysis::threadBuiltin(value);
    return builtin && builtin->kind == analysis::ThreadBuiltin::Kind::ThreadIdx && builtin->dimension == 0;
  };
  if (isIt(expression))
    return true;
  const VarDecl *local = analysis::namedVariable(expression);
  if (!local || !local->hasLocalStorage() || !local->getInit() || !isIt(local->getInit()))
    return false;
  size_t mentions = 0, reads = 0;
  for (const DeclRefExpr *each : kernel.locals)
    mentions += each->getDecl() == local;
  for (const Stmt *part : kernel.statements)
    if (auto *cast = dyn_cast<ImplicitCastExpr>(part); cast && cast->getCastKind() == CK_LValueToRValue)
      if (auto *read = dyn_cast<DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
        reads += read->getDecl() == local;
  return mentions == reads;
}

/// `threadIdx.x >= 32`: whole warps agree on it, in a block whose rows are whole warps.
bool isDecidedByWarps(const Stmt *branch, const Uses &kernel, const ASTContext &context) {
  auto *choice = dyn_cast<IfStmt>(branch);
  auto *comparison = choice ? dyn_cast<BinaryOperator>(choice->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!comparison || !isThreadX(comparison->getLHS(), kernel))
    return false;
  const std::optional<int64_t> bound = analysis::constantValue(comparison->getRHS(), context);
  if (!bound)
    return false;
  const bool isBelow = comparison->getOpcode() == BO_LT || comparison->getOpcode() == BO_GE;
  const bool isUpTo = comparison->getOpcode() == BO_LE || comparison->getOpcode() == BO_GT;
  return (isBelow && *bound % lanesOfWarp == 0) || (isUpTo && (*bound + 1) % lanesOfWarp == 0);
}

/// A branch by which single threads of a warp return.
const Stmt *returnOfSome(const KernelFacts &facts, const Kernel &kernel, const BlockForm &form) {
  const Uses uses = Uses::of(kernel.function->getBody());
  const bool hasWholeRows = form.lanes[0] == lanesOfWarp && !form.isLinear;
  for (const Stmt *statement : uses.statements)
    if (isa<IfStmt, SwitchStmt, ForStmt, WhileStmt, DoStmt>(statement) &&
        facts.uniformity->branchLevel(statement) == analysis::Level::Thread &&
        !Uses::of(statement).returns.empty() &&
        !(hasWholeRows && isDecidedByWarps(statement, uses, kernel.unit->context())))
      return statement;
  return nullptr;
}

bool checkReturns(Context &context, const Kernel &kernel, const BlockForm &form) {
  const Stmt *speaks = analysis::findWarpFunction(kernel), *leaves = nullptr;
  if (speaks)
    leaves = returnOfSome(context.facts(kernel), kernel, form);
  if (!leaves)
    return true;
  return context
      .refuse(kernel.unit->location(speaks), "lanes of a warp synchronize here, and one whose thread has "
                                             "returned continues with the work of other threads")
      .note(kernel.unit->location(leaves), "individual threads return here");
}

void reportAggregation(Context &context, const WarpBlock &warp, const BlockKnowledge &known,
                       const Merged *merged, unsigned launches) {
  std::string threads =
      known.block ? fmt::format("{} threads", (*known.block)[0] * (*known.block)[1] * (*known.block)[2])
                  : fmt::format("up to {} threads", known.mostThreads);
  std::string text =
      fmt::format("one warp does the work of a block of '{}': {}", context.target.name, threads);
  if (merged)
    text += fmt::format(", {} per lane, in {}{}", itemsOf(warp.axes), counted(merged->workLoops, "work loop"),
                        merged->str());
  Diagnostic &done = context.done(text + launchesText(launches, blocksText(warp.form.lanes)));
  if (merged)
    noteReordering(context, done);
}

PassResult mergeBlock(Context &context, const BlockKnowledge &known) {
  Names names(*context.target.first().unit);
  const WarpBlock warp = warpBlock(known, names);
  for (const Kernel *kernel : context.target.instances)
    if (!checkScopes(context, *kernel) ||
        (!warp.axes.empty() &&
         (!checkWaiting(context, *kernel) || !checkReturns(context, *kernel, warp.form))))
      return Refused();
  std::optional<Merged> merged;
  if (!warp.axes.empty()) {
    auto result = mergeThreads(context, warp.axes, Map::Interleaved, warp.form);
    if (auto *needed = std::get_if<Needs>(&result))
      return *needed;
    if (std::holds_alternative<Refused>(result))
      return Refused();
    merged = std::get<Merged>(std::move(result));
  } else {
    for (const Kernel *kernel : context.target.instances)
      if (!mayCoarsen(context, *kernel, {}, Map::Interleaved, &warp.form))
        return Refused();
    if (!rewriteInPlace(context, warp.form))
      return Refused();
  }
  unsigned launches = 0;
  if (!launchOneWarp(context, known, warp, launches))
    return Refused();
  boundByOneWarp(context);
  reportAggregation(context, warp, known, merged ? &*merged : nullptr, launches);
  return withBlock(context, warp.form.lanes);
}

} // namespace

PassResult aggregateBlock(Context &context) {
  const Kernel &kernel = context.target.first();
  if (!comesBeforeRegroup(context))
    return Refused();
  const BlockKnowledge known = blockKnowledge(context);
  if (!known.block && !isLaunched(context))
    return context
        .refuse(kernel.location, "no launch of the kernel is in the file, so its block is not known")
        .withHint("give it with --block X,Y,Z");
  if (std::optional<std::array<unsigned, 3>> lanes = smallerBlock(context, known))
    return makeBlocksSmaller(context, known, *lanes);
  if (std::optional<Needs> needed = formToCoarsen(context))
    return *needed;
  return mergeBlock(context, known);
}

} // namespace heddle::transform
