// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of a kernel whose blocks became warps:
//
//     known block           scale<<<g, dim3(16, 16)>>>(a)   =>   scale<<<g, dim3(16, 2)>>>(a)
//     given by --block      scale<<<g, b>>>(a)              =>   scale<<<g, heddle::warpOf<16, 16, ...>(b, "scale")>>>(a), checked at run time
//     known at run time     scale<<<g, b>>>(a)              =>   scale<<<g, 32>>>(heddle::blockShape<256>(b, "scale"), a)
//     independent threads   scale<<<g, 256>>>(a)            =>   scale<<<(g) * 8, 32>>>(a), with more blocks instead of loops
//
// In the third the kernel has a parameter for the block that it represents. There, and where the new grid depends on the block,
// the shape is evaluated in another place as well, so it must be free of side effects. Explicit instantiations and launches
// that pass arguments by address cannot be given the parameter and are refused.
#include "transform/consolidate/WarpLaunches.h"

#include "analysis/StatementShape.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"
#include "transform/LaunchEdits.h"
#include "transform/LaunchParameter.h"
#include "transform/StatedBlock.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

constexpr const char *helperFile = "consolidate.cuh";

std::string shapeText(const std::array<unsigned, 3> &shape) {
  if (shape[2] != 1)
    return fmt::format("dim3({}, {}, {})", shape[0], shape[1], shape[2]);
  return shape[1] != 1 ? fmt::format("dim3({}, {})", shape[0], shape[1]) : std::to_string(shape[0]);
}

std::optional<std::array<int64_t, 3>> knownShape(const source::LaunchShape &shape) {
  if (!shape.isKnown())
    return std::nullopt;
  return std::array<int64_t, 3>{*shape.xyz[0].value, *shape.xyz[1].value, *shape.xyz[2].value};
}

bool mayChange(Context &context, const source::Launch &launch) {
  if (launch.form != source::Launch::Form::LaunchKernelEx)
    return true;
  return context.refuse(launch.location,
                        "this launch takes its block from a cudaLaunchConfig_t, which is not analyzed");
}

/// The block that this launch was assumed to have; a refusal where it is another.
bool isAsAssumed(Context &context, const source::Launch &launch, const std::array<int64_t, 3> &block) {
  std::optional<std::array<int64_t, 3>> shape = knownShape(launch.block);
  if (!shape || *shape == block)
    return true;
  return context.refuse(launch.location,
                        "the block of this launch is ({}, {}, {}), and the one asked for is ({}, {}, {})",
                        (*shape)[0], (*shape)[1], (*shape)[2], block[0], block[1], block[2]);
}

bool mentionsVariable(const Expr *shape) {
  bool found = false;
  source::forEachEvaluated(
      shape, [&](const Stmt *part) { return !(found |= analysis::namedVariable(part) != nullptr); });
  return found;
}

/// Lanes in the place of a known block. What the block was made of goes on being used, so that no variable is
/// left over.
std::string laneText(Context &context, const source::Launch &launch, const std::array<int64_t, 3> &block,
                     const std::array<unsigned, 3> &lanes) {
  std::array<unsigned, 3> by;
  bool divides = mentionsVariable(writtenPart(launch.block.expr));
  for (unsigned d = 0; d < 3; ++d) {
    by[d] = unsigned(block[d] / lanes[d]);
    divides &= block[d] == int64_t(by[d]) * lanes[d];
  }
  const std::string divided = divides ? dividedShape(context, launch.block, by) : "";
  return divided.empty() ? shapeText(lanes) : divided;
}

/// The same where the block is compared with the one that was assumed, at run time.
std::string comparedLanes(const Context &context, const source::Launch &launch,
                          const std::array<int64_t, 3> &block, const std::array<unsigned, 3> &lanes) {
  const std::string compared = comparedBlock(context, launch.block);
  return fmt::format("heddle::warpOf<{}, {}, {}, {}, {}, {}>({}, \"{}\")", block[0], block[1], block[2],
                     lanes[0], lanes[1], lanes[2],
                     compared.empty() ? writtenShape(context, launch.block) : compared, context.target.name);
}

/// For a kernel that gets the block: the helper that passes it also checks that it is not too large.
bool launchWithArgument(Context &context, const BlockKnowledge &known, const WarpBlock &warp,
                        unsigned &launches) {
  const LaunchParameter parameter = {"block", warp.form.parameterType, warp.form.parameter,
                                     "give it with --block X,Y,Z"};
  std::set<unsigned> changed; // launches in a template are seen once for each instantiation
  auto change = [&](const source::Launch &launch) {
    if (!mayChange(context, launch))
      return false;
    std::optional<std::string> block = repeatedShape(context, launch, launch.block);
    if (!block)
      return false;
    if (!changed.insert(launch.call->getBeginLoc().getRawEncoding()).second)
      return true;
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(), std::to_string(lanesOfWarp));
    return addLaunchArgument(context, launch, parameter,
                             fmt::format("heddle::{}<{}>({}, \"{}\")",
                                         known.isRow ? "blockThreads" : "blockShape", known.mostThreads,
                                         *block, context.target.name));
  };
  if (!changeLaunches(context, change, launches) || !addParameter(context, parameter))
    return false;
  includeHelper(context, helperFile);
  return true;
}

bool included(Context &context, bool isNeeded) {
  if (isNeeded)
    includeHelper(context, helperFile);
  return true;
}

bool launchKnown(Context &context, const std::array<int64_t, 3> &block, const WarpBlock &warp,
                 unsigned &launches) {
  bool needsHelper = false;
  const auto &lanes = warp.form.lanes;
  auto change = [&](const source::Launch &launch) {
    if (!mayChange(context, launch) || !isAsAssumed(context, launch, block))
      return false;
    const std::string compared = comparedBlock(context, launch.block);
    const bool isConstant = launch.block.isKnown() && compared.empty();
    needsHelper |= !isConstant;
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(),
                          isConstant ? laneText(context, launch, block, lanes)
                                     : comparedLanes(context, launch, block, lanes));
    return true;
  };
  return changeLaunches(context, change, launches) && included(context, needsHelper);
}

} // namespace

bool launchOneWarp(Context &context, const BlockKnowledge &known, const WarpBlock &warp, unsigned &launches) {
  if (!warp.form.parameter.empty())
    return launchWithArgument(context, known, warp, launches);
  return launchKnown(context, *known.block, warp, launches);
}

bool launchMoreBlocks(Context &context, const BlockKnowledge &known, const std::array<unsigned, 3> &lanes,
                      unsigned &launches) {
  bool needsHelper = false;
  auto change = [&](const source::Launch &launch) {
    if (!mayChange(context, launch) || (known.block && !isAsAssumed(context, launch, *known.block)))
      return false;
    std::optional<std::array<int64_t, 3>> block = knownShape(launch.block);
    const std::string grid = writtenShape(context, launch.grid);
    const bool isCompared = block && !comparedBlock(context, launch.block).empty();
    needsHelper |= isCompared;
    std::string more, warp = isCompared ? comparedLanes(context, launch, *block, lanes)
                             : block    ? laneText(context, launch, *block, lanes)
                                        : shapeText(lanes);
    if (block && writtenPart(launch.grid.expr)->getType()->isIntegerType() && (*block)[1] == lanes[1] &&
        (*block)[2] == lanes[2]) {
      more = fmt::format("({}) * {}", grid, (*block)[0] / lanes[0]);
    } else if (block) {
      needsHelper = true;
      more = fmt::format("heddle::grownGrid<{}, {}, {}>({}, \"{}\")", (*block)[0] / lanes[0],
                         (*block)[1] / lanes[1], (*block)[2] / lanes[2], grid, context.target.name);
    } else {
      needsHelper = true;
      std::optional<std::string> text = repeatedShape(context, launch, launch.block);
      if (!text)
        return false;
      more = fmt::format("heddle::gridOfWarps({}, {}, \"{}\")", grid, *text, context.target.name);
    }
    context.edits.replace(*launch.unit, launch.grid.expr->getSourceRange(), more);
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(), warp);
    return true;
  };
  return changeLaunches(context, change, launches) && included(context, needsHelper);
}

void boundByOneWarp(Context &context) {
  const Kernel &kernel = context.target.first();
  if (auto *bounds = kernel.function->getAttr<CUDALaunchBoundsAttr>())
    context.edits.replace(*kernel.unit, bounds->getMaxThreads()->getSourceRange(),
                          std::to_string(lanesOfWarp));
}

} // namespace heddle::transform
