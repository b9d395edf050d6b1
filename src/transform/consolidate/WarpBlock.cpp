// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads of a block become which lanes, and how many items a lane gets.
//
//     block 16x16   lanes 16x2, 8 items along y: lane (x, y) executes threads (x, y), (x, y + 2), ...
//     block 12x10   no 32 threads form a box: threads are numbered in a row, lane t executes t, t + 32, t + 64, t + 96 < 120
//     unknown       the same, with the number of threads as a parameter and the greatest number as the bound of the loop
//
// Even lanes keep indices plain and warps of the original whole. In a row the last warp may have gaps, which items check for.
#include "transform/consolidate/WarpBlock.h"

#include "arch/Common.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <algorithm>

namespace heddle::transform {
namespace {

int64_t threadsOf(const std::array<int64_t, 3> &block) { return block[0] * block[1] * block[2]; }

/// What `__launch_bounds__` promises.
int64_t boundOf(const Kernel &kernel) {
  const int64_t most = arch::commonLimits().maxThreadsPerBlock;
  return kernel.maxThreads ? std::min<int64_t>(kernel.maxThreads, most) : most;
}

WarpBlock inEvenWarps(const std::array<int64_t, 3> &block, const std::array<unsigned, 3> &lanes) {
  WarpBlock warp;
  for (unsigned d = 3; d-- > 0;)
    if (unsigned factor = unsigned(block[d]) / lanes[d]; factor > 1)
      warp.axes.push_back({d, factor});
  for (unsigned d = 0; d < 3; ++d)
    warp.form.extent[d] = fmt::format("{}u", block[d]);
  warp.form.lanes = lanes;
  return warp;
}

/// `bound`: there are never more threads than this.
WarpBlock inARow(int64_t bound) {
  WarpBlock warp;
  if (bound > lanesOfWarp)
    warp.axes.push_back({0, unsigned((bound + lanesOfWarp - 1) / lanesOfWarp)});
  warp.form.lanes = {lanesOfWarp, 1, 1};
  warp.form.isLinear = true;
  return warp;
}

WarpBlock ofKnownThreads(const std::array<int64_t, 3> &block) {
  const int64_t threads = threadsOf(block);
  WarpBlock warp = inARow(threads);
  BlockForm &form = warp.form;
  for (unsigned d = 0; d < 3; ++d)
    form.extent[d] = fmt::format("{}u", block[d]);
  form.threads = std::to_string(threads);
  form.hasGaps = threads % lanesOfWarp != 0;
  if (threads < lanesOfWarp)
    form.prologue = fmt::format("if (threadIdx.x >= {}) return;", threads);
  return warp;
}

WarpBlock ofThreadsKnownAtLaunch(const BlockKnowledge &known, Names &names) {
  WarpBlock warp = inARow(known.mostThreads);
  BlockForm &form = warp.form;
  form.threads = names.fresh("blockThreads");
  form.hasGaps = true;
  std::string counted;
  if (known.isRow) {
    form.parameter = form.threads;
    form.parameterType = "const unsigned";
    form.extent = {form.threads, "1u", "1u"};
  } else {
    form.parameter = names.fresh("blockShape");
    form.parameterType = "const dim3";
    form.extent = {form.parameter + ".x", form.parameter + ".y", form.parameter + ".z"};
    counted = fmt::format("const unsigned {} = {} * {} * {}; ", form.threads, form.extent[0], form.extent[1],
                          form.extent[2]);
  }
  // Lanes that represent no thread at all must not do what is done once for all.
  form.prologue = fmt::format("{}if (threadIdx.x >= {}) return;", counted, form.threads);
  return warp;
}

} // namespace

BlockKnowledge blockKnowledge(Context &context) {
  BlockKnowledge known;
  known.isRow = true;
  bool isSame = true, isBounded = true;
  int64_t most = 0, promised = 0;
  for (const Kernel *kernel : context.target.instances) {
    const KernelFacts &facts = context.facts(*kernel);
    promised = std::max(promised, boundOf(*kernel));
    std::vector<std::array<std::optional<int64_t>, 3>> shapes;
    if (facts.blockOrigin == analysis::BlockOrigin::Asked)
      shapes.push_back(facts.launch.block);
    else
      for (const source::Launch *launch : facts.launches)
        shapes.push_back(
            {launch->block.xyz[0].value, launch->block.xyz[1].value, launch->block.xyz[2].value});
    isSame &= !shapes.empty();
    for (const auto &shape : shapes) {
      known.isRow &= shape[1] == 1 && shape[2] == 1;
      if (!shape[0] || !shape[1] || !shape[2]) {
        isSame = isBounded = false;
        continue;
      }
      std::array<int64_t, 3> block = {*shape[0], *shape[1], *shape[2]};
      known.differs |= known.block && *known.block != block;
      known.block = known.block.value_or(block);
      most = std::max(most, threadsOf(block));
    }
  }
  known.mostThreads = isBounded && most > 0 ? std::min(most, promised) : promised;
  if (!isSame || known.differs)
    known.block.reset();
  return known;
}

std::optional<std::array<unsigned, 3>> evenLanes(const std::array<int64_t, 3> &block) {
  std::array<unsigned, 3> lanes = {1, 1, 1};
  int64_t wanted = lanesOfWarp;
  for (unsigned d = 0; d < 3; ++d) {
    if (block[d] % wanted == 0) {
      lanes[d] = unsigned(wanted);
      return lanes;
    }
    if (wanted % block[d] != 0)
      return std::nullopt;
    lanes[d] = unsigned(block[d]);
    wanted /= block[d];
  }
  return std::nullopt; // less than a warp
}

WarpBlock warpBlock(const BlockKnowledge &known, Names &names) {
  if (!known.block)
    return ofThreadsKnownAtLaunch(known, names);
  if (std::optional<std::array<unsigned, 3>> lanes = evenLanes(*known.block))
    return inEvenWarps(*known.block, *lanes);
  return ofKnownThreads(*known.block);
}

} // namespace heddle::transform
