// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of compiled code.
//
// What all lanes of a warp do together is counted by compiled code in arrays, which the observer is given when the block ends: entries of
// basic blocks, and branches about which lanes agree. Where lanes are apart, compiled code calls the functions here, in the order in which
// the interpreter has these events. An access is reported by its first address and its stride where compiled code knows them. What an
// observer does not take in this form is executed by the handler, which reports it as always.
#include "vm/CompiledEvents.h"

#include "vm/Block.h"
#include "vm/Grid.h"

namespace heddle::vm {
namespace {

Observed observed(const Grid &grid) {
  return grid.observer && grid.compiles ? observedBy(grid.compiledFor.form) : Observed();
}

void noteBlock(CompiledState *state, uint32_t block, uint32_t mask) {
  const Grid &grid = *state->warp->block->grid;
  grid.observer->codeBlock(state->warp->ref(), grid.kernel.codeBlocks[block], mask);
}

SiteRef siteOf(const CompiledState &state, const Inst &in) { return {&state.code->sourceOf(in), in.site}; }

void noteBranch(CompiledState *state, uint32_t inst, uint32_t mask, uint32_t taken) {
  state->warp->block->grid->observer->branch(state->warp->ref(), siteOf(*state, state->code->insts[inst]),
                                             mask, taken);
}

/// Compiled code has a group for each of its vectors. Those that continue each other are one group to an observer, whose work is for
/// each of them: half the numbers of groups as long as every second one begins where the one before it ends.
uint32_t joinGroups(uint64_t *addresses, uint32_t groups, int32_t stride) {
  for (uint64_t reach = uint64_t(int64_t(stride)) * (Lanes / groups); groups > 1; groups /= 2, reach *= 2) {
    for (uint32_t each = 0; each < groups; each += 2)
      if (addresses[each + 1] - addresses[each] != reach)
        return groups;
    for (uint32_t each = 2; each < groups; each += 2)
      addresses[each / 2] = addresses[each];
  }
  return groups;
}

uint32_t noteAccess(CompiledState *state, uint32_t inst, uint32_t mask, uint32_t kind, uint32_t groups,
                    int32_t stride) {
  if (groups > 1)
    groups = joinGroups(state->addresses, groups, stride);
  const Inst &in = state->code->insts[inst];
  const PlainAccess access{kind & SharedAccess     ? Space::Shared
                           : kind & ConstantAccess ? Space::Constant
                                                   : Space::Global,
                           (kind & StoreAccess) != 0,
                           mask,
                           uint32_t(in.bytes) * in.elements,
                           groups,
                           stride,
                           state->addresses};
  return state->warp->block->grid->observer->plainAccess(state->warp->ref(), siteOf(*state, in), access);
}

} // namespace

void beginCounts(Block &block) {
  const Grid &grid = *block.grid;
  if (!observed(grid).blocks)
    return;
  block.enteredBlocks.assign(block.warps.size() * grid.kernel.codeBlocks.size(), 0);
  block.agreedBranches.assign(grid.kernel.info.sites, 0);
}

void prepareEvents(CompiledState &state, const Block &block) {
  const Grid &grid = *block.grid;
  const Observed what = observed(grid);
  if (!what.any())
    return;
  state.agreedBranches = const_cast<uint64_t *>(block.agreedBranches.data());
  if (what.someBranches)
    state.watchedBranches = grid.observer->watchedBranches(grid.number);
  state.noteBlock = noteBlock;
  state.noteBranch = noteBranch;
  state.noteAccess = noteAccess;
}

void deliverCounts(Block &block) {
  const Grid &grid = *block.grid;
  if (!observed(grid).blocks)
    return;
  const std::vector<BlockOfCode> &codeBlocks = grid.kernel.codeBlocks;
  const uint64_t *entered = block.enteredBlocks.data();
  for (const auto &warp : block.warps) {
    const WarpRef at = warp->ref();
    for (const BlockOfCode &each : codeBlocks)
      if (const uint64_t times = entered[each.index])
        grid.observer->codeBlocks(at, each, AllLanes, times);
    entered += codeBlocks.size();
  }
  const WarpRef at = block.warps[0]->ref();
  for (const auto &code : grid.kernel.codes)
    for (uint32_t i = 0; i < code->function->instrs.size(); ++i)
      if (const uint64_t times = block.agreedBranches[code->firstSite + i])
        grid.observer->branches(at, {&code->function->instrs[i], code->firstSite + i}, times);
}

} // namespace heddle::vm
