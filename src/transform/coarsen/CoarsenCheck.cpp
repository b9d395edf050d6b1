// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legality of merging threads: one thread executes the work items of several, one after the other between barriers.
//
// 1. The block divides by the factor, where it is known before launches are rewritten.
// 2. Every barrier that cuts regions synchronizes the whole block and is reached by all of its threads. Barriers of a part
//    of the block, or that count arrivals, would count merged threads wrong.
// 3. Code that no written call leads to (constructors, operators) does not read an index that is replaced.
// 4. Warp functions, assembly with lane registers and cooperative groups need whole warps: with map=interleaved
//    item k of lane l is lane l of another original warp exactly where keepsWarpsWhole() says so; map=blocked never does.
// 5. No certain race: its two sides would get an order that the original does not have. Races that could not be excluded
//    are reported as assumptions.
// 6. Blocks are merged only where none has barriers or shared memory.
//
// The order of checks decides which reason is reported. Profitability is CoarsenChoice.cpp.
#include "transform/coarsen/CoarsenCheck.h"

#include "analysis/Execution.h"
#include "analysis/GroupCalls.h"
#include "analysis/HiddenCode.h"
#include "analysis/loops/WaitingLoops.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Barrier;

constexpr int64_t warpLanes = 32;

class CoarsenCheck {
public:
  CoarsenCheck(Context &context, const Kernel &kernel, const std::vector<Axis> &axes, Map map,
               const BlockForm *form)
      : context(context), kernel(kernel), unit(*kernel.unit), axes(axes), map(map), form(form),
        facts(context.facts(kernel)) {}

  bool run() {
    return checkBlock() && checkBarriers() && checkHiddenCode() && checkCode() && checkWaiting() &&
           // Two threads that race would be put in an order that the original does not have.
           checkRaces(context, facts,
                      "two threads of a block access the same element of '{}' with no barrier between them, "
                      "and one of them writes") &&
           checkGrid();
  }

private:
  bool merges(unsigned dimension) const {
    return std::ranges::any_of(axes, [&](const Axis &axis) { return axis.dimension == dimension; });
  }

  /// --block says what launches must be divided by; launches themselves are looked at when they are
  /// rewritten.
  bool checkBlock() {
    for (const Axis &axis : axes) {
      if (form || axis.dimension == Axis::grid || facts.blockOrigin != analysis::BlockOrigin::Asked)
        continue;
      int64_t extent = *facts.launch.block[axis.dimension];
      if (extent % axis.factor == 0)
        continue;
      return context.refuse(kernel.location, "the block is {} in {}, which is not divisible by {}", extent,
                            std::string(1, "xyz"[axis.dimension]), axis.factor);
    }
    return true;
  }

  bool checkBarriers() {
    if (!facts.regions->isStructured())
      return context.refuse(kernel.location, gotoAmongBarriers);
    for (const Barrier &barrier : facts.regions->barriers()) {
      if (!barrier.cutsRegion())
        continue; // a warp's own: see checkCode
      if (const analysis::DivergentControl *divergent = facts.regions->divergence(barrier)) {
        Diagnostic &refusal =
            context.refuse(unit.location(barrier.statement),
                           "'{}' may not be reached by all threads of the block", barrier.spelling);
        refusal.note(unit.location(divergent->branch), "because of the condition here");
        for (const analysis::Step &step : divergent->why)
          refusal.note(step.location, step.text);
        return false;
      }
      bool isOfAll = barrier.ordersBlock() && !barrier.ofUnknownGroup;
      if (!isOfAll)
        return context.refuse(unit.location(barrier.statement),
                              "'{}' waits for a number of threads or for copies, not for the block: merged "
                              "threads would be counted wrong",
                              barrier.spelling);
    }
    return true;
  }

  // What the code says, with the functions it calls
  // ------------------------------------------------------------------

  /// The index of a work item takes the place of this variable.
  bool isReplaced(const analysis::ThreadBuiltin &builtin) const {
    using Kind = analysis::ThreadBuiltin::Kind;
    const bool isOfBlock = builtin.kind == Kind::ThreadIdx || builtin.kind == Kind::BlockDim;
    const bool isOfGrid = builtin.kind == Kind::BlockIdx || builtin.kind == Kind::GridDim;
    const bool isAll = builtin.dimension > 2;
    if (form && form->isLinear && isOfBlock)
      return true;
    if (form && builtin.kind == Kind::BlockDim)
      for (unsigned dimension = 0; dimension < 3; ++dimension)
        if ((isAll || builtin.dimension == dimension) &&
            form->extent[dimension] != fmt::format("{}u", form->lanes[dimension]))
          return true;
    return std::ranges::any_of(axes, [&](const Axis &axis) {
      return axis.dimension == Axis::grid ? isOfGrid && (isAll || builtin.dimension == 0)
                                          : isOfBlock && (isAll || builtin.dimension == axis.dimension);
    });
  }

  bool checkHiddenCode() {
    return context.allows(analysis::failureInHiddenCode(
        kernel, {[&](const analysis::ThreadBuiltin &builtin) { return isReplaced(builtin); }}));
  }

  bool checkCode() {
    const analysis::Reach reach = analysis::Reach::of(kernel.function, unit);
    return std::all_of(reach.all().begin(), reach.all().end(),
                       [&](const analysis::Reached &reached) { return checkCode(reached); });
  }

  bool checkCode(const analysis::Reached &reached) {
    now = &reached;
    const Uses uses = reached.uses();
    for (const Stmt *statement : uses.statements)
      if (auto *assembly = dyn_cast<GCCAsmStmt>(statement); assembly && !checkAssembly(assembly))
        return false;
    for (const CallExpr *call : uses.calls) {
      if (isa<CUDAKernelCallExpr>(call))
        return context.refuse(unit.location(call), "the kernel launches another one");
      if (!checkCall(call))
        return false;
    }
    return true;
  }

  /// Where to point at: of library code, at what calls it.
  SourceLocation locationOf(const Stmt *statement) const {
    const bool isElsewhere = now->isLibrary && now->inKernel();
    return unit.location(isElsewhere ? now->inKernel() : statement);
  }

  bool checkAssembly(const GCCAsmStmt *assembly) {
    if (analysis::readsIndex(assembly))
      return context.refuse(locationOf(assembly),
                            "this assembly reads the thread's or block's index, which is not analyzed");
    return !analysis::readsLanes(assembly) || checkWarp(assembly, "this assembly");
  }

  bool checkCall(const CallExpr *call) {
    const FunctionDecl *callee = analysis::calleeOf(call);
    if (!callee || !callee->getIdentifier())
      return true;
    llvm::StringRef name = callee->getName();
    if (analysis::readsIndexItself(callee))
      return context
          .refuse(locationOf(call), "'{}' reads the thread's or block's index itself, which is not analyzed",
                  name.str())
          .withHint("use 'threadIdx', 'blockIdx', 'blockDim' or 'gridDim'");
    if (analysis::isWarpFunction(callee) && !unit.isUserCode(callee->getLocation()))
      return checkWarp(call, fmt::format("'{}'", name.str()));
    if (analysis::isOfNamespace(callee, "wmma"))
      return checkWarp(call, fmt::format("'{}'", name.str()));
    return !analysis::isOfNamespace(callee, "cooperative_groups") || checkGroupCall(call, callee);
  }

  /// Groups: the block may be made and waited for, warps are as warp functions; ranks and sizes of the block
  /// would be those of the merged one.
  bool checkGroupCall(const CallExpr *call, const FunctionDecl *callee) {
    llvm::StringRef name = callee->getName();
    const QualType type = analysis::groupTypeOf(call);
    const auto group = type.isNull() ? analysis::GroupKind::None : analysis::groupKind(type);
    if (name.starts_with("this_") || name == "sync")
      if (group == analysis::GroupKind::None || group == analysis::GroupKind::Block ||
          group == analysis::GroupKind::Grid || group == analysis::GroupKind::Cluster)
        return true;
    bool isWarp = group == analysis::GroupKind::WarpTile || group == analysis::GroupKind::SmallTile ||
                  group == analysis::GroupKind::Coalesced;
    if (isWarp && analysis::dependsOnBlock(call))
      return context
          .refuse(locationOf(call),
                  "'{}' of a tile of the block depends on the number of threads per block, which changes",
                  name.str())
          .withHint("compute it from 'threadIdx' and 'blockDim'");
    if (isWarp || name == "tiled_partition" || name == "coalesced_threads")
      return checkWarp(call, fmt::format("'{}' of a group", name.str()));
    return context.refuse(locationOf(call),
                          "'{}' of {} depends on the number of threads per block, which changes", name.str(),
                          group == analysis::GroupKind::Grid        ? "a grid group"
                          : group == analysis::GroupKind::Cluster   ? "a cluster group"
                          : group == analysis::GroupKind::Block     ? "a block group"
                          : group == analysis::GroupKind::LargeTile ? "a tile of several warps"
                                                                    : "a group");
  }

  bool checkWarp(const Stmt *statement, const std::string &what) {
    if (map == Map::Blocked)
      return context
          .refuse(locationOf(statement),
                  "map=blocked merges neighbouring lanes into one thread, and {} works across the lanes of a "
                  "warp",
                  what)
          .withHint("map=interleaved keeps neighbouring lanes in different threads");
    if (form && axes.empty())
      return true; // no more than a warp: it is not changed
    std::optional<std::array<int64_t, 3>> block = facts.knownBlock();
    if (!block)
      return context
          .refuse(locationOf(statement),
                  "{} is valid only if no warp is split, and the block size is unknown", what)
          .withHint("give it with --block X,Y,Z");
    const bool isPadded = form && form->isLinear;
    if (isPadded && !form->hasGaps)
      return true;
    if (isPadded)
      return context.refuse(locationOf(statement),
                            "the last warp of a block of {} threads is partial, and {} would wait for "
                            "lanes that have other work there",
                            form->threads, what);
    if (!keepsWarpsWhole(*block, axes, map))
      return context.refuse(locationOf(statement),
                            "the warps of a block of ({}, {}, {}) would be split, and {} needs whole warps",
                            (*block)[0], (*block)[1], (*block)[2], what);
    return true;
  }

  /// The work items of a thread come one after another, each up to the next barrier: one that waits for a later one waits for ever.
  bool checkWaiting() {
    if (std::ranges::all_of(axes, [](const Axis &axis) { return axis.factor == 1; }))
      return true; // one work item each: blocks of one warp, consolidated
    const auto goesOnTogether = [&](const Stmt *loop) {
      return std::ranges::any_of(Uses::of(loop).statements, [&](const Stmt *statement) {
        const std::optional<Barrier> barrier = analysis::barrierAt(statement, unit.context());
        return barrier && barrier->ordersBlock();
      });
    };
    const Stmt *loop = analysis::findWaitingLoop(kernel, goesOnTogether);
    return !loop ||
           context.refuse(unit.location(loop),
                          "this loop waits for another thread, whose work the same thread may execute later");
  }

  // Memory
  // ------------------------------------------------------------------------------------------------------------

  bool checkGrid() {
    if (!merges(Axis::grid))
      return true;
    if (facts.regions->hasBarrier())
      return context.refuse(kernel.location, "blocks that wait at barriers cannot be merged");
    for (const auto &array : facts.accesses->arrays())
      if (array->space == analysis::Array::Space::Shared)
        return context.refuse(kernel.location, "blocks cannot be merged: each has a shared '{}' of its own",
                              array->name);
    return true;
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const std::vector<Axis> &axes;
  const Map map;
  const BlockForm *form;
  const KernelFacts &facts;
  const analysis::Reached *now = nullptr; ///< what checkCode looks at
};

} // namespace

bool keepsWarpsWhole(const std::array<int64_t, 3> &block, const std::vector<Axis> &axes, Map map) {
  std::array<int64_t, 3> factor = {1, 1, 1};
  for (const Axis &axis : axes)
    if (axis.dimension < 3)
      factor[axis.dimension] = axis.factor;
  std::array<int64_t, 3> merged;
  for (unsigned d = 0; d < 3; ++d) {
    if (block[d] % factor[d])
      return false;
    merged[d] = block[d] / factor[d];
  }
  int64_t threads = merged[0] * merged[1] * merged[2];
  if (threads % warpLanes && factor != std::array<int64_t, 3>{1, 1, 1})
    return false;
  auto original = [&](int64_t thread, const std::array<int64_t, 3> &item) {
    std::array<int64_t, 3> at = {thread % merged[0], thread / merged[0] % merged[1],
                                 thread / (merged[0] * merged[1])};
    for (unsigned d = 0; d < 3; ++d)
      at[d] = map == Map::Interleaved ? at[d] + item[d] * merged[d] : at[d] * factor[d] + item[d];
    return at[0] + block[0] * (at[1] + block[1] * at[2]);
  };
  std::array<int64_t, 3> item;
  for (item[2] = 0; item[2] < factor[2]; ++item[2])
    for (item[1] = 0; item[1] < factor[1]; ++item[1])
      for (item[0] = 0; item[0] < factor[0]; ++item[0])
        for (int64_t thread = 0; thread < threads; ++thread) {
          int64_t first = original(thread - thread % warpLanes, item);
          if (first % warpLanes || original(thread, item) != first + thread % warpLanes)
            return false;
        }
  return true;
}

bool checkRaces(Context &context, const KernelFacts &facts, const char *why, const std::string &hint) {
  const std::vector<const analysis::Dependence *> races = facts.dependences().races();
  if (races.empty())
    return true;
  const analysis::Access &source = facts.accesses->all()[races[0]->source];
  const analysis::Access &sink = facts.accesses->all()[races[0]->sink];
  return context.refuse(sink.location, fmt::format(fmt::runtime(why), sink.array->name))
      .note(source.location, fmt::format("the {}{} is here", source.kind == sink.kind ? "other " : "",
                                         analysis::nameOf(source.kind)))
      .withHint(!hint.empty()      ? hint
                : &source == &sink ? "give each thread its own element, or use an atomic"
                                   : "a __syncthreads() between the two orders them");
}

static void noteAssumedRaces(const KernelFacts &facts, Diagnostic &report) {
  std::set<const analysis::Array *> said;
  for (const analysis::Dependence &dependence : facts.dependences().all()) {
    const analysis::Access &source = facts.accesses->all()[dependence.source];
    const analysis::Access &sink = facts.accesses->all()[dependence.sink];
    if (!dependence.isRace() || dependence.isCertain || !said.insert(sink.array).second)
      continue;
    bool isSame = dependence.source == dependence.sink;
    std::string where = isSame ? "here"
                               : fmt::format("here and by the {} in line {}", analysis::nameOf(source.kind),
                                             source.location.line);
    report.note(sink.location, fmt::format("assumed: no two threads access the same element of "
                                           "'{}' {} with no barrier between them ({})",
                                           sink.array->name, where, dependence.reason));
  }
}

/// How the order of threads shows in the results of an atomic; empty if it does not. Sums of floating-point numbers round by
/// it, and what an atomic returns depends on those before it.
static std::string_view orderShowsAs(const analysis::Access &access) {
  const auto *statement = llvm::dyn_cast_or_null<clang::Expr>(access.statement);
  if (!statement || !llvm::isa<clang::CallExpr>(statement->IgnoreParenCasts()))
    return "each thread may get another return value";
  const llvm::StringRef type = access.elementType;
  for (const char *floating : {"float", "double", "half", "bfloat"})
    if (type.contains(floating))
      return "sums may round differently";
  return "";
}

static void noteAtomics(const KernelFacts &facts, Diagnostic &report) {
  std::set<const analysis::Array *> said;
  for (const analysis::Access &access : facts.accesses->all()) {
    if (access.kind != analysis::Access::Kind::Atomic)
      continue;
    const std::string_view effect = orderShowsAs(access);
    if (!effect.empty() && said.insert(access.array).second)
      report.note(access.location,
                  fmt::format("the order of atomics on '{}' changes: {}", access.array->name, effect));
  }
}

void noteReordering(Context &context, Diagnostic &report) {
  const KernelFacts &facts = context.facts(context.target.first());
  noteAssumedRaces(facts, report);
  noteAtomics(facts, report);
}

bool mayCoarsen(Context &context, const Kernel &kernel, const std::vector<Axis> &axes, Map map,
                const BlockForm *form) {
  return CoarsenCheck(context, kernel, axes, map, form).run();
}

} // namespace heddle::transform
