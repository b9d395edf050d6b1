// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block that --block states. Directives build it into the code: sizes of arrays, loads without their guard, accesses that
// do not conflict. A launch with another block would then compute something else, or access memory outside of an array, so each
// launch whose block is known only at run time compares it:
//
//     relu<<<grid, threads>>>(a)   =>   relu<<<grid, heddle::statedBlock<128, 1, 1>(threads, "relu")>>>(a)
//
// 1. This is a normalization before any directive. From then on the block of the launch is known (source/LaunchValues), so that
//    directives take it from the launches, as that of a launch with constants.
// 2. A launch with constants says its own block, which is used instead of --block.
// 3. Launches in other files cannot be compared. Directives that change launches close the kernel (CloseKernel.h); the pipeline does
//    so for the others where --block is given.
// 4. A directive that compares the block itself, in another helper, takes this one's argument (comparedBlock).
#include "transform/StatedBlock.h"

#include "source/Rewriter.h"
#include "transform/LaunchEdits.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::transform {
namespace {

constexpr const char *helper = "statedBlock";

std::array<int64_t, 3> numbersOf(const source::LaunchShape &shape) {
  return {*shape.xyz[0].value, *shape.xyz[1].value, *shape.xyz[2].value};
}

bool compare(Context &context, const source::Launch &launch, const std::array<int64_t, 3> &block) {
  if (launch.block.isKnown())
    return true;
  const std::string written = launch.block.expr ? writtenShape(context, launch.block) : std::string();
  if (written.empty())
    return context
        .refuse(launch.location, "the block of this launch cannot be compared with that of --block: {}",
                launch.form == source::Launch::Form::LaunchKernelEx
                    ? "it is in a cudaLaunchConfig_t, which is not analyzed"
                    : "its text is not understood")
        .withHint("launch the kernel with <<<grid, block>>>, or leave --block out");
  context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(),
                        fmt::format("heddle::{}<{}, {}, {}>({}, \"{}\")", helper, block[0], block[1],
                                    block[2], written, context.target.name));
  return true;
}

} // namespace

std::optional<PassResult> compareStatedBlock(Context &context) {
  const auto &block = context.options.block;
  if (!block || context.options.isBlockLaunched)
    return std::nullopt;
  for (const source::Launch *launch : context.launches())
    if (!compare(context, *launch, *block))
      return Refused();
  if (context.edits.empty())
    return std::nullopt;
  includeHelper(context, "launch.cuh");
  return Needs{"stated-block", std::move(context.edits)};
}

const source::Launch *launchWithOtherBlock(const Context &context) {
  if (context.options.block && !context.options.isBlockLaunched)
    for (const source::Launch *launch : context.launches())
      if (launch->block.isKnown() && numbersOf(launch->block) != *context.options.block)
        return launch;
  return nullptr;
}

std::string comparedBlock(const Context &context, const source::LaunchShape &shape) {
  auto *call = shape.expr ? dyn_cast<CallExpr>(writtenPart(shape.expr)) : nullptr;
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !source::isOfRuntime(callee) || callee->getName() != helper)
    return {};
  return source::Rewriter(context.program.host()).text(writtenPart(call->getArg(0)));
}

} // namespace heddle::transform
