// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of compiled code.
//
// What all lanes of a warp do together is counted by compiled code in arrays, which the observer is given when the block ends: entries of
// basic blocks, and branches about which lanes agree. Where lanes are apart, compiled code calls the functions here, in the order in which
// the interpreter has these events. An access is reported by its first address and its stride where compiled code knows them. What an
// observer does not take in this form is executed by the handler, which reports it as always. Of such loads compiled code makes no call if
// the observer takes them later: it notes them, and they are delivered together before any other event.
#include "vm/CompiledEvents.h"

#include "vm/Block.h"
#include "vm/Grid.h"
#include "vm/NotedLoads.h"

#include <iterator>

namespace heddle::vm {
namespace {

Observed observed(const Grid &grid) {
  return grid.observer && grid.compiles ? observedBy(grid.compiledFor.form) : Observed();
}

void noteBlock(CompiledState *state, uint32_t block, uint32_t mask) {
  deliverLoads(*state);
  const Grid &grid = *state->warp->block->grid;
  grid.observer->codeBlock(state->warp->ref(), grid.kernel.codeBlocks[block], mask);
}

SiteRef siteOf(const CompiledState &state, const Inst &in) { return {&state.code->sourceOf(in), in.site}; }

void noteBranch(CompiledState *state, uint32_t inst, uint32_t mask, uint32_t taken) {
  deliverLoads(*state);
  state->warp->block->grid->observer->branch(state->warp->ref(), siteOf(*state, state->code->insts[inst]),
                                             mask, taken);
}

uint32_t noteAccess(CompiledState *state, uint32_t inst, uint32_t mask, uint32_t kind, uint32_t groups,
                    int32_t stride) {
  deliverLoads(*state);
  if (groups > 1)
    groups = joinGroups(state->addresses, groups, stride);
  const Inst &in = state->code->insts[inst];
  const PlainAccess access{
      spaceOf(kind), (kind & StoreAccess) != 0, mask, uint32_t(in.bytes) * in.elements, groups,
      stride,        state->addresses};
  return state->warp->block->grid->observer->plainAccess(state->warp->ref(), siteOf(*state, in), access);
}

} // namespace

void deliverLoads(CompiledState &state) {
  for (LoadNotes *loads : {&state.globalLoads, &state.sharedLoads}) {
    if (!loads->next || loads->next == loads->notes)
      continue;
    const std::span<const uint64_t> notes(loads->notes, loads->next);
    loads->next = loads->notes;
    const Space space = loads == &state.sharedLoads ? Space::Shared : Space::Global;
    state.warp->block->grid->observer->notedLoads(state.warp->ref(), {state.code, space, notes});
  }
}

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
  if (grid.observer->takesNotedLoads(grid.number))
    for (LoadNotes *loads : {&state.globalLoads, &state.sharedLoads}) {
      loads->next = loads->notes;
      loads->end = std::end(loads->notes) - (NotedLoadWords + Lanes);
    }
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
