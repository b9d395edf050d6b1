// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread coarsening, after Unkule, Shaltz and Qasem, "Automatic restructuring of GPU kernels for exploiting
// inter-thread data locality" (CC 2012), and beyond it: barriers inside loops and branches need no unrolling
// by hand.
//
//   1. Check (CoarsenCheck): may threads of this kernel be merged at all?
//   2. Plan (WorkPlan): what is done once, what for each work item, which values go from one work loop to
//   another?
//   3. Write (WorkLoops): the kernel's body; DeviceFunctions: what it calls; LaunchEdits: who launches it.
//
// Why any order of the items is right: between two barriers, the results of threads that do not race do not depend on the order in which they
// run. A work loop picks one such order for the threads that it merges. At a barrier all of them
// have come as far as the merged thread has. A thread that returns early is an item that is skipped from then
// on; the merged thread returns when its last item does, so it is alive exactly as long as one of the
// original threads would be, and evaluates nothing that none of them would.
#include "transform/coarsen/Coarsen.h"

#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/ActiveText.h"
#include "transform/InlineCalls.h"
#include "transform/LaunchEdits.h"
#include "transform/NamedTypes.h"
#include "transform/PlainIndices.h"
#include "transform/SeparateNames.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/work/BlockLoops.h"
#include "transform/work/BlockVotes.h"
#include "transform/work/DeviceFunctions.h"
#include "transform/work/OwnCounters.h"
#include "transform/work/SplitDeclarations.h"
#include "transform/work/WorkLoops.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

/// Outermost work loop first.
std::vector<Axis> axesOf(const Directive &directive) {
  static const std::pair<const char *, unsigned> order[] = {
      {"grid", Axis::grid}, {"z", 2}, {"y", 1}, {"x", 0}};
  std::vector<Axis> axes;
  for (auto [key, dimension] : order)
    if (int64_t factor = directive.number(key); factor > 1)
      axes.push_back({dimension, unsigned(factor)});
  return axes;
}

LaunchDivision divisionOf(const std::vector<Axis> &axes, const std::optional<GridForm> &grid) {
  LaunchDivision division;
  for (const Axis &axis : axes)
    (axis.dimension == Axis::grid ? division.grid : division.block[axis.dimension]) = axis.factor;
  division.roundsGridUp = grid.has_value();
  if (grid && grid->isParameter)
    division.gridParameter =
        LaunchParameter{"grid", "const unsigned", grid->extent,
                        "launch it with <<<grid, block>>>, or with a grid that is known"};
  return division;
}

/// How the kernel learns which blocks of a merged grid exist; nothing where all do. A grid that all launches have is a number in
/// the text; others are passed by the launch.
std::optional<GridForm> gridFormOf(Context &context, const std::vector<Axis> &axes) {
  const auto merged = std::ranges::find(axes, Axis::grid, &Axis::dimension);
  const std::vector<const source::Launch *> launches = context.launches();
  if (merged == axes.end() || launches.empty())
    return std::nullopt;
  std::set<std::optional<int64_t>> extents;
  for (const source::Launch *launch : launches)
    extents.insert(launch->grid.xyz[0].value);
  if (std::ranges::all_of(extents, [&](auto extent) { return extent && *extent % merged->factor == 0; }))
    return std::nullopt;
  if (extents.size() == 1 && extents.begin()->has_value())
    return GridForm{fmt::format("{}u", **extents.begin())};
  return GridForm{Names(context.device()).fresh("gridX"), true};
}

/// The form that a plan asked for; a refusal where the kernel cannot be given it.
std::variant<Needs, Diagnostic> formFor(Context &context, const Kernel &kernel, const NeededFirst &needed) {
  if (!needed.heads.empty())
    return takeHeadsApart(context, kernel, needed.heads);
  return nameTypes(kernel, needed.nameless);
}

using MergeResult = std::variant<Merged, Refused, Needs>;

MergeResult writeOne(Context &context, const Kernel &kernel, const std::vector<Axis> &axes, Map map,
                     const std::optional<BlockForm> &form, const std::optional<GridForm> &grid) {
  auto planned = planWork(context.facts(kernel), axes);
  if (auto *refused = std::get_if<Diagnostic>(&planned))
    return context.refuse(*refused), Refused();
  if (auto *needed = std::get_if<NeededFirst>(&planned)) {
    auto wanted = formFor(context, kernel, *needed);
    if (auto *refused = std::get_if<Diagnostic>(&wanted))
      return context.refuse(*refused), Refused();
    return std::get<Needs>(std::move(wanted));
  }
  const WorkPlan &plan = std::get<WorkPlan>(planned);
  Names names(*kernel.unit);
  std::vector<NamedAxis> named = nameAxes(axes, names);
  if (form && form->isLinear)
    named.front().index = names.fresh("thread");
  ItemIndices indices(std::move(named), map, form, grid);
  std::optional<CallChanges> calls = changeDeviceFunctions(context, kernel, indices, names);
  if (!calls)
    return Refused();
  auto loops = writeWorkLoops(kernel, plan, indices, *calls, names);
  if (auto *refused = std::get_if<Diagnostic>(&loops))
    return context.refuse(*refused), Refused();
  Merged written;
  written.body = std::get<WorkLoops>(loops).body;
  written.workLoops = std::get<WorkLoops>(loops).count;
  for (const ItemVariable &entry : plan.variables)
    if (entry.keep == Keep::Array || (entry.keep == Keep::Recompute && entry.variable->getInit()))
      (entry.keep == Keep::Array ? written.arrays : written.recomputed)
          .push_back("'" + entry.variable->getNameAsString() + "'");
  for (const KernelNode *node : plan.nodes)
    if (plan.of(*node).isJammed)
      (plan.of(*node).hasReuse ? written.jammedForReuse : written.jammedForLoads)
          .push_back(fmt::format("line {}", kernel.unit->location(node->statement).line));
  return written;
}

/// `__launch_bounds__(256)` speaks of the block before.
void divideLaunchBounds(Context &context, const Kernel &kernel, const std::vector<Axis> &axes) {
  auto *bounds = kernel.function->getAttr<CUDALaunchBoundsAttr>();
  unsigned factor = 1;
  for (const Axis &axis : axes)
    factor *= axis.dimension == Axis::grid ? 1 : axis.factor;
  if (!bounds || factor == 1)
    return;
  SourceRange range = bounds->getMaxThreads()->getSourceRange();
  const std::string written = source::Rewriter(*kernel.unit).text(range);
  const bool isSimple = written.find_first_of(" +-*/%?:<>&|^") == std::string::npos;
  if (!written.empty())
    context.edits.replace(*kernel.unit, range,
                          fmt::format("{} / {}", isSimple ? written : "(" + written + ")", factor));
}

void reportCoarsening(Context &context, const Merged &written, const std::vector<Axis> &axes,
                      const std::optional<GridForm> &grid, unsigned launches) {
  bool mergesBlocks = axes.front().dimension == Axis::grid && axes.size() == 1;
  const std::string gaps = grid ? "; blocks beyond the original grid are skipped" : "";
  const std::string otherwise =
      axes.front().dimension == Axis::grid
          ? fmt::format("with 1/{} of its blocks, for grids that are divisible", axes.front().factor)
          : "with smaller blocks";
  noteReordering(context, context.done("each {} of '{}' does the work of {}, in {}{}{}",
                                       mergesBlocks ? "block" : "thread", context.target.name, itemsOf(axes),
                                       counted(written.workLoops, "work loop"), written.str() + gaps,
                                       launchesText(launches, otherwise)));
}

} // namespace

PassResult coarsen(Context &context) {
  std::vector<Axis> axes = axesOf(context.directive);
  Map map = context.directive.word("map") == "blocked" ? Map::Blocked : Map::Interleaved;
  if (axes.empty()) {
    context.kept(context.target.first().location, "all factors are 1: there is nothing to merge")
        .withHint("x=2 merges two threads along x into one");
    return Unchanged();
  }
  if (!comesBeforeRegroup(context))
    return Refused();
  return coarsenAlong(context, axes, map);
}

std::optional<Needs> formToCoarsen(Context &context) {
  return firstNeeded(context, context.target.first(),
                     {separateNames, keepActiveText, inlineCallsWithBarriers, writePlainIndices,
                      splitDeclarations, giveLoopsTheirCounters, makeLoopsOfTheBlock, takeVotesApart});
}

std::optional<Needs> formForPlan(Context &context, const std::vector<Axis> &axes) {
  const Kernel &kernel = context.target.first();
  auto planned = planWork(context.facts(kernel), axes);
  auto *needed = std::get_if<NeededFirst>(&planned);
  if (!needed)
    return std::nullopt;
  auto wanted = formFor(context, kernel, *needed);
  auto *needs = std::get_if<Needs>(&wanted);
  return needs ? std::optional(std::move(*needs)) : std::nullopt;
}

namespace {

std::string loopsAt(const std::vector<std::string> &lines) {
  return (lines.size() == 1 ? "; work loops went into the loop at "
                            : "; work loops went into the loops at ") +
         joinAnd(lines);
}

} // namespace

std::string Merged::str() const {
  std::string text;
  if (!arrays.empty())
    text += "; " + joinAnd(arrays) + (arrays.size() == 1 ? " became an array" : " became arrays");
  if (!recomputed.empty())
    text += "; " + joinAnd(recomputed) +
            (recomputed.size() == 1 ? " is recomputed where needed" : " are recomputed where needed");
  if (!jammedForReuse.empty())
    text += loopsAt(jammedForReuse) + ", where threads read the same elements";
  if (!jammedForLoads.empty())
    text += loopsAt(jammedForLoads) + ", so that loads of merged threads are in flight together";
  return text;
}

MergeResult mergeThreads(Context &context, const std::vector<Axis> &axes, Map map,
                         const std::optional<BlockForm> &form, const std::optional<GridForm> &grid) {
  std::optional<Merged> first;
  for (const Kernel *kernel : context.target.instances) {
    if (!mayCoarsen(context, *kernel, axes, map, form ? &*form : nullptr))
      return Refused();
    MergeResult result = writeOne(context, *kernel, axes, map, form, grid);
    auto *written = std::get_if<Merged>(&result);
    if (!written)
      return result;
    if (first && first->body.str() != written->body.str()) {
      context.refuse(kernel->location, "the instantiations '{}' and '{}' would need different text",
                     context.target.first().name, kernel->name);
      return Refused();
    }
    if (!first)
      first = std::move(*written);
  }
  const Kernel &kernel = context.target.first();
  const std::string indent = source::Rewriter(*kernel.unit).indentOf(kernel.function->getOuterLocStart());
  context.edits.replace(*kernel.unit, kernel.function->getBody()->getSourceRange(), first->body.at(indent));
  return *first;
}

PassResult coarsenAlong(Context &context, const std::vector<Axis> &axes, Map map) {
  if (std::optional<Needs> needed = formToCoarsen(context))
    return *needed;
  const std::optional<GridForm> grid = gridFormOf(context, axes);
  MergeResult result = mergeThreads(context, axes, map, std::nullopt, grid);
  if (auto *needed = std::get_if<Needs>(&result))
    return *needed;
  auto *merged = std::get_if<Merged>(&result);
  unsigned launches = 0;
  if (!merged || !divideLaunches(context, divisionOf(axes, grid), launches))
    return Refused();
  divideLaunchBounds(context, context.target.first(), axes);
  reportCoarsening(context, *merged, axes, grid, launches);
  return context.edited();
}

} // namespace heddle::transform
