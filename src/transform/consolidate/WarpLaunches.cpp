// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/consolidate/WarpLaunches.h"

#include "source/LocalWrites.h"
#include "source/Unit.h"
#include "transform/LaunchEdits.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;

namespace {

constexpr const char *helper = "consolidate.cuh";

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
  if (launch.form == source::Launch::Form::Regrouped) {
    context.refuse(launch.place, "the kernel's threads are regrouped already, which has to come last");
    return false;
  }
  if (launch.form != source::Launch::Form::LaunchKernelEx)
    return true;
  context.refuse(launch.place,
                 "this launch takes its block from a cudaLaunchConfig_t, which is not followed");
  return false;
}

/// Evaluating it again gives the same and does nothing else. Calls are not looked into.
bool mayBeRepeated(const Expr *shape, const ASTContext &context) {
  const Expr *written = writtenPart(shape);
  return !written->HasSideEffects(context, false) && Uses::of(written).calls.empty();
}

/// The text that a launch's shape was written as, for use in a second place.
std::optional<std::string> repeated(Context &context, const source::Launch &launch,
                                    const source::LaunchShape &shape) {
  std::string text = writtenShape(context, shape);
  if (!text.empty() && mayBeRepeated(shape.expr, launch.unit->context()))
    return text;
  context
      .refuse(launch.place,
              fmt::format("'{}' must be said twice, and may not mean the same again", shape.text))
      .withHint("give it a name before the launch");
  return std::nullopt;
}

/// The block that this launch was assumed to have; a refusal where it is another.
bool isAsAssumed(Context &context, const source::Launch &launch, const std::array<int64_t, 3> &block) {
  std::optional<std::array<int64_t, 3>> shape = knownShape(launch.block);
  if (!shape || *shape == block)
    return true;
  context.refuse(launch.place,
                 fmt::format("the block of this launch is ({}, {}, {}), and the one asked for is "
                             "({}, {}, {})",
                             (*shape)[0], (*shape)[1], (*shape)[2], block[0], block[1], block[2]));
  return false;
}

bool mentionsVariable(const Expr *shape) {
  bool found = false;
  source::forEachEvaluated(shape, [&](const Stmt *part) {
    auto *reference = dyn_cast<DeclRefExpr>(part);
    found |= reference && isa<VarDecl>(reference->getDecl());
    return !found;
  });
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

/// Every declaration of the target, by the place of its name.
std::set<SourceLocation> declarationsOf(const source::Kernel &kernel) {
  std::set<SourceLocation> places;
  const FunctionDecl *function = kernel.function;
  if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    function = pattern;
  for (const FunctionDecl *each : function->redecls())
    places.insert(each->getLocation());
  if (const FunctionTemplateDecl *pattern = function->getDescribedFunctionTemplate())
    for (const auto *each : pattern->redecls())
      places.insert(each->getTemplatedDecl()->getLocation());
  return places;
}

bool tellKernel(Context &context, const BlockForm &form) {
  const source::Kernel &kernel = context.target.first();
  for (const source::Kernel *instance : context.target.instances)
    if (TemplateSpecializationKind kind = instance->function->getTemplateSpecializationKind();
        kind == TSK_ExplicitInstantiationDeclaration || kind == TSK_ExplicitInstantiationDefinition) {
      context.refuse(instance->place,
                     "the kernel must be told its block, and an explicit instantiation says what "
                     "it is told");
      return false;
    }
  for (SourceLocation name : declarationsOf(kernel)) {
    auto part =
        inFrontOfArguments(*kernel.unit, SourceRange(name, name), form.parameterType + " " + form.parameter);
    if (!part) {
      context.refuse(kernel.unit->place(name), "this declaration cannot be given another parameter");
      return false;
    }
    context.edits.replace(*kernel.unit, part->part, part->text);
  }
  return true;
}

bool tellAtLaunch(Context &context, const source::Launch &launch, const std::string &argument) {
  auto *call = dyn_cast<CUDAKernelCallExpr>(launch.call);
  if (!call) {
    context
        .refuse(launch.place,
                "the kernel must be told its block, and this launch hands its arguments over by "
                "address")
        .withHint("--block X,Y,Z says the block beforehand");
    return false;
  }
  const bool hasArguments = call->getNumArgs() > 0 && !isa<CXXDefaultArgExpr>(call->getArg(0));
  const SourceLocation first = hasArguments ? call->getArg(0)->getBeginLoc() : call->getRParenLoc();
  context.edits.insertBefore(*launch.unit, first, argument + (hasArguments ? ", " : ""));
  return true;
}

/// For a kernel that is told the block: the helper that says it also checks that it is not too large.
bool launchTold(Context &context, const BlockKnowledge &known, const WarpBlock &warp, unsigned &launches) {
  std::set<unsigned> told; // launches in a template are seen once for each instantiation
  auto change = [&](const source::Launch &launch) {
    if (!mayChange(context, launch))
      return false;
    std::optional<std::string> block = repeated(context, launch, launch.block);
    if (!block)
      return false;
    if (!told.insert(launch.call->getBeginLoc().getRawEncoding()).second)
      return true;
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(), std::to_string(lanesOfWarp));
    return tellAtLaunch(context, launch,
                        fmt::format("heddle::{}<{}>({}, \"{}\")", known.isRow ? "blockThreads" : "blockShape",
                                    known.mostThreads, *block, context.target.name));
  };
  if (!changeLaunches(context, change, launches) || !tellKernel(context, warp.form))
    return false;
  includeHelper(context, helper);
  return true;
}

bool included(Context &context, bool isNeeded) {
  if (isNeeded)
    includeHelper(context, helper);
  return true;
}

bool launchKnown(Context &context, const std::array<int64_t, 3> &block, const WarpBlock &warp,
                 unsigned &launches) {
  bool needsHelper = false;
  const auto &lanes = warp.form.lanes;
  auto change = [&](const source::Launch &launch) {
    if (!mayChange(context, launch) || !isAsAssumed(context, launch, block))
      return false;
    const bool isKnown = launch.block.isKnown();
    needsHelper |= !isKnown;
    std::string text = isKnown ? laneText(context, launch, block, lanes)
                               : fmt::format("heddle::warpOf<{}, {}, {}, {}, {}, {}>({}, \"{}\")", block[0],
                                             block[1], block[2], lanes[0], lanes[1], lanes[2],
                                             writtenShape(context, launch.block), context.target.name);
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(), text);
    return true;
  };
  return changeLaunches(context, change, launches) && included(context, needsHelper);
}

} // namespace

bool launchOneWarp(Context &context, const BlockKnowledge &known, const WarpBlock &warp, unsigned &launches) {
  if (!warp.form.parameter.empty())
    return launchTold(context, known, warp, launches);
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
    std::string more, warp = block ? laneText(context, launch, *block, lanes) : shapeText(lanes);
    if (block && writtenPart(launch.grid.expr)->getType()->isIntegerType() && (*block)[1] == lanes[1] &&
        (*block)[2] == lanes[2]) {
      more = fmt::format("({}) * {}", grid, (*block)[0] / lanes[0]);
    } else if (block) {
      needsHelper = true;
      more = fmt::format("heddle::grownGrid<{}, {}, {}>({}, \"{}\")", (*block)[0] / lanes[0],
                         (*block)[1] / lanes[1], (*block)[2] / lanes[2], grid, context.target.name);
    } else {
      needsHelper = true;
      std::optional<std::string> text = repeated(context, launch, launch.block);
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
  const source::Kernel &kernel = context.target.first();
  if (auto *bounds = kernel.function->getAttr<CUDALaunchBoundsAttr>())
    context.edits.replace(*kernel.unit, bounds->getMaxThreads()->getSourceRange(),
                          std::to_string(lanesOfWarp));
}

} // namespace heddle::transform
