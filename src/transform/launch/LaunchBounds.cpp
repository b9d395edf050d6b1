// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with more threads than the bound fails, so the bound must hold for every launch there is: those in the file are looked at
// one by one, and the kernel is closed against launches from elsewhere (CloseKernel). What the bound is worth is arithmetic
// on the multiprocessor's registers: they are allocated by warp, in units, among the warps that are to be resident.
#include "transform/launch/LaunchBounds.h"

#include "arch/Arch.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/CloseKernel.h"
#include "transform/LaunchEdits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <algorithm>

namespace heddle::transform {
namespace {

using clang::CUDALaunchBoundsAttr;

struct Bounds {
  int64_t threads = 0;
  int64_t blocks = 0; ///< 0: not asked for

  std::string arguments() const {
    return blocks ? fmt::format("{}, {}", threads, blocks) : fmt::format("{}", threads);
  }
};

/// Persistent warps are launched by a run-time function, in blocks that it chooses.
bool isPersistent(Context &context, const source::Launch &launch) {
  if (launch.form != source::Launch::Form::Delegated)
    return false;
  context
      .refuse(launch.location,
              "'{}' is a persistent kernel (consolidate), whose __launch_bounds__ are part of that "
              "transformation",
              context.target.name)
      .withHint("throttle=N of consolidate limits its resident warps");
  return true;
}

/// The largest block that the kernel is launched with; a refusal that names the launch whose block is not known.
std::optional<int64_t> largestBlock(Context &context) {
  int64_t largest = 0;
  if (context.options.block && !isLaunched(context))
    largest = (*context.options.block)[0] * (*context.options.block)[1] * (*context.options.block)[2];
  for (const Kernel *instance : context.target.instances)
    for (const source::Launch *launch : context.facts(*instance).launches) {
      if (isPersistent(context, *launch))
        return std::nullopt;
      if (!launch->block.isKnown())
        return context
            .refuse(launch->location,
                    "the number of threads per block of this launch is known only at run time")
            .withHint("give threads=N, the maximum number of threads per block, or --block X,Y,Z, which the "
                      "launch then compares");
      largest = std::max(largest, *launch->block.total());
    }
  // A bound that is there says more than --block: another directive may have written it.
  if (largest && !isLaunched(context))
    largest = std::max<int64_t>(largest, context.target.first().maxThreads);
  if (largest == 0)
    context
        .refuse(context.target.first().location,
                "no launch of the kernel is in the file, so its block is not known")
        .withHint("give threads=N, or --block X,Y,Z");
  return largest ? std::optional(largest) : std::nullopt;
}

/// No launch in the file has more threads than the user's bound; one that may is an assumption, and said.
bool holdsForLaunches(Context &context, int64_t threads) {
  for (const Kernel *instance : context.target.instances)
    for (const source::Launch *launch : context.facts(*instance).launches) {
      if (isPersistent(context, *launch))
        return false;
      if (!launch->block.isKnown()) {
        context.assumed(launch->location,
                        fmt::format("this launch has no more than {} threads per block", threads));
        continue;
      }
      const int64_t launched = *launch->block.total();
      if (launched > threads)
        return context.refuse(launch->location, "this launch has {} threads per block, and would fail",
                              launched);
    }
  return true;
}

std::optional<Bounds> wantedBounds(Context &context) {
  Bounds bounds{context.directive.number("threads"), context.directive.number("blocks")};
  if (!bounds.blocks) // what the kernel asks for already stays
    bounds.blocks = context.target.first().minBlocks;
  if (bounds.threads)
    return holdsForLaunches(context, bounds.threads) ? std::optional(bounds) : std::nullopt;
  std::optional<int64_t> largest = largestBlock(context);
  if (!largest)
    return std::nullopt;
  bounds.threads = *largest;
  return bounds;
}

int64_t warpsOf(const arch::Arch &arch, int64_t threads) {
  return (threads + arch.warpSize - 1) / arch.warpSize;
}

/// Why a multiprocessor cannot hold so many blocks of that size; nothing where it can.
std::optional<std::string> whyTooMany(const arch::Arch &arch, const Bounds &bounds, int64_t sharedBytes) {
  if (bounds.threads > arch.maxThreadsPerBlock)
    return fmt::format("a block has at most {} threads on {}", arch.maxThreadsPerBlock, arch.name);
  const int64_t blocks = std::max<int64_t>(bounds.blocks, 1);
  if (blocks > arch.maxBlocksPerSm)
    return fmt::format("a multiprocessor of {} holds {} blocks at most", arch.name, arch.maxBlocksPerSm);
  if (blocks * warpsOf(arch, bounds.threads) > arch.maxWarpsPerSm)
    return fmt::format("a multiprocessor of {} holds {} warps, and {} would be {}", arch.name,
                       arch.maxWarpsPerSm, counted(size_t(blocks), "such block"),
                       blocks * warpsOf(arch, bounds.threads));
  if (blocks * (sharedBytes + arch.reservedSharedBytesPerBlock) > arch.sharedBytesPerSm)
    return fmt::format(
        "a multiprocessor of {} has {} bytes of shared memory, and a block of the kernel takes {}", arch.name,
        arch.sharedBytesPerSm, sharedBytes);
  return std::nullopt;
}

/// The most registers per thread with which the blocks fit.
int64_t registersPerThread(const arch::Arch &arch, const Bounds &bounds) {
  const int64_t warps = std::max<int64_t>(bounds.blocks, 1) * warpsOf(arch, bounds.threads);
  const int64_t perWarp =
      arch.registersPerSm / warps / arch.registerAllocationUnit * arch.registerAllocationUnit;
  return std::min<int64_t>(perWarp / arch.warpSize, arch.maxRegistersPerThread);
}

/// Where a declarator begins: `k`, `space::k`.
clang::SourceLocation nameOf(const clang::FunctionDecl *function) {
  return function->getQualifier() ? function->getQualifierLoc().getBeginLoc() : function->getLocation();
}

/// The bounds that the text has already are replaced, else new ones go before the kernel's name. False where they are the same.
bool write(Context &context, const Bounds &bounds) {
  const Kernel &kernel = context.target.first();
  auto *old = kernel.function->getAttr<CUDALaunchBoundsAttr>();
  if (!old) {
    context.edits.insertBefore(*kernel.unit, nameOf(kernel.function),
                               fmt::format("__launch_bounds__({}) ", bounds.arguments()));
    return true;
  }
  if (kernel.maxThreads == bounds.threads && (!bounds.blocks || kernel.minBlocks == bounds.blocks))
    return false;
  const bool hasBlocks = old->getMinBlocks();
  context.edits.replace(*kernel.unit, old->getMaxThreads()->getSourceRange(),
                        hasBlocks ? fmt::format("{}", bounds.threads) : bounds.arguments());
  if (hasBlocks && bounds.blocks)
    context.edits.replace(*kernel.unit, old->getMinBlocks()->getSourceRange(),
                          fmt::format("{}", bounds.blocks));
  return true;
}

void reportBounds(Context &context, const Bounds &bounds) {
  std::string text =
      fmt::format("'{}' is compiled for blocks of up to {} threads", context.target.name, bounds.threads);
  if (bounds.blocks)
    text += fmt::format(", {} per multiprocessor", counted(size_t(bounds.blocks), "block"));
  if (context.options.arch)
    text += fmt::format(": at most {} registers per thread on {}",
                        registersPerThread(*context.options.arch, bounds), context.options.arch->name);
  context.done(text);
}

} // namespace

PassResult annotateLaunchBounds(Context &context) {
  const Kernel &kernel = context.target.first();
  std::optional<Bounds> bounds = wantedBounds(context);
  if (!bounds)
    return Refused();
  if (const arch::Arch *arch = context.options.arch)
    if (auto why = whyTooMany(*arch, *bounds, context.facts(kernel).staticSharedBytes))
      return context.refuse(kernel.location, *why);
  if (!write(context, *bounds)) {
    context.kept(kernel.location, fmt::format("'{}' has these bounds already", context.target.name));
    return Unchanged();
  }
  if (!context.directive.number("threads") && !closeKernel(context))
    return Refused();
  if (context.directive.number("threads") && !hasNoOtherLaunches(context))
    context.assumed(
        kernel.location,
        fmt::format("launches outside this file have no more than {} threads per block", bounds->threads));
  reportBounds(context, *bounds);
  return context.edited();
}

} // namespace heddle::transform
