// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Regions.h"

#include <algorithm>
#include <functional>

namespace heddle::jit {

namespace {

/// All regions of a function together, in instructions: each is a second copy of its blocks.
constexpr uint32_t MostCopied = 1500;

} // namespace

bool Region::contains(uint32_t block) const { return std::ranges::find(blocks, block) != blocks.end(); }

unsigned Region::stepAfter(uint32_t block) const {
  for (unsigned i = 0; i < steps.size(); ++i)
    if (steps[i].block == block && !steps[i].isEndOfLoop)
      return i + 1;
  return 0;
}

unsigned Region::stepOf(const Program &program, uint32_t from, uint32_t to) const {
  const auto &blocks_ = program.function.blocks;
  const bool isBackward = program.inst(blocks_[to].first).order <= program.inst(blocks_[from].end - 1).order;
  for (unsigned i = 0; i < steps.size(); ++i)
    if (steps[i].block == to && steps[i].isEndOfLoop == isBackward)
      return i;
  return unsigned(steps.size());
}

Regions::Regions(const Program &given, const Shapes &found, const Part &which, const PartRegisters &inside)
    : program(given), shapes(found), part(which), registers(inside) {
  std::vector<std::pair<uint32_t, Region>> candidates; // by branch
  for (const ptx::Block &block : program.function.blocks)
    if (part.contains(block.end - 1) && shapes.isDivergent(block.end - 1))
      if (std::optional<Region> region = find(block.end - 1))
        candidates.emplace_back(block.end - 1, std::move(*region));
  std::ranges::stable_sort(candidates, std::greater<>(),
                           [](const auto &each) { return each.second.blocks.size(); });
  uint32_t copied = 0;
  for (auto &[branch, region] : candidates) {
    auto serves =
        std::ranges::find_if(all, [&](const auto &other) { return canUse(branch, region, *other); });
    if (serves == all.end()) {
      uint32_t more = 0;
      for (uint32_t b : region.blocks)
        more += program.function.blocks[b].end - program.function.blocks[b].first;
      if (copied + more > MostCopied)
        continue;
      copied += more;
      all.push_back(std::make_unique<Region>(std::move(region)));
      serves = all.end() - 1;
    }
    regions[branch] = serves->get();
  }
}

/// Whether lanes may go through a region around their own instead, so that there is one copy of both. Not if that would keep them
/// apart for the other rounds of a loop.
bool Regions::canUse(uint32_t branch, const Region &own, const Region &other) const {
  if (own.join == other.join && own.blocks == other.blocks)
    return true;
  const uint32_t from = program.function.blockOf[branch];
  auto isInOther = [&](uint32_t b) { return other.contains(b); };
  if (!isInOther(from) || !std::ranges::all_of(own.blocks, isInOther))
    return false;
  return std::ranges::all_of(other.steps, [&](const Region::Step &step) {
    const bool isAround =
        step.isEndOfLoop && orderOf(from) >= orderOf(step.block) && orderOf(from) < loopEndOf(step.block);
    return !isAround || own.contains(step.block);
  });
}

uint32_t Regions::orderOf(uint32_t block) const {
  return program.inst(program.function.blocks[block].first).order;
}
uint32_t Regions::loopEndOf(uint32_t block) const {
  return program.inst(program.function.blocks[block].first).loopEnd;
}
bool Regions::isBackward(uint32_t from, uint32_t to) const {
  return orderOf(to) <= program.inst(program.function.blocks[from].end - 1).order;
}

std::optional<Region> Regions::find(uint32_t branch) const {
  const auto &blocks = program.function.blocks;
  const uint32_t first = program.function.blockOf[branch];
  Region region;
  region.join = blocks[first].ipdom;
  if (region.join == ptx::kNone)
    return std::nullopt;
  std::vector<uint32_t> todo(blocks[first].succs);
  while (!todo.empty()) {
    const uint32_t at = todo.back();
    todo.pop_back();
    if (at == region.join || region.contains(at))
      continue;
    region.blocks.push_back(at);
    if (region.blocks.size() >= vm::MostApart)
      return std::nullopt;
    todo.insert(todo.end(), blocks[at].succs.begin(), blocks[at].succs.end());
  }
  std::ranges::sort(region.blocks, {}, [&](uint32_t b) { return orderOf(b); });
  if (!isServed(region) || !orderSteps(region, first))
    return std::nullopt;
  findRegisters(region);
  if (!keepsScalars(region))
    return std::nullopt;
  return region;
}

bool Regions::isServed(const Region &region) const {
  for (uint32_t b : region.blocks) {
    if (!part.contains(program.function.blocks[b].first) ||
        !part.contains(program.function.blocks[b].end - 1))
      return false;
    for (uint32_t i = program.function.blocks[b].first; i < program.function.blocks[b].end; ++i) {
      const Way way = program.wayOf(i);
      if (way != Way::Operation && way != Way::Access && way != Way::Branch && way != Way::Atomic)
        return false;
      // A value that a chunk has in common is taken from its first lane, which may be off.
      if (way == Way::Access && shapes.ofResult(i).kind == Shape::Affine)
        return false;
    }
  }
  return true;
}

/// False if the order depends on more than positions.
bool Regions::orderSteps(Region &region, uint32_t first) const {
  const auto &blocks = program.function.blocks;
  // A loop that polls is checked for its progress, by counts that each split has.
  const bool hasAtomics = std::ranges::any_of(region.blocks, [&](uint32_t b) {
    for (uint32_t i = blocks[b].first; i < blocks[b].end; ++i)
      if (program.wayOf(i) == Way::Atomic)
        return true;
    return false;
  });
  std::set<uint32_t> heads;
  std::optional<bool> returns; // to the join, as to the head of a loop around
  std::vector<uint32_t> sources = region.blocks;
  if (!region.contains(first))
    sources.push_back(first);
  for (uint32_t from : sources)
    for (uint32_t to : blocks[from].succs) {
      const bool backward = isBackward(from, to);
      if (to == region.join) {
        if (returns.value_or(backward) != backward)
          return false;
        returns = backward;
      } else if (backward) {
        if (hasAtomics || !loopEndOf(to) || loopEndOf(to) <= program.inst(blocks[from].end - 1).order ||
            !region.contains(from))
          return false;
        heads.insert(to);
      }
    }
  std::vector<uint32_t> open;
  auto close = [&] {
    region.steps.push_back({open.back(), true});
    open.pop_back();
  };
  for (uint32_t b : region.blocks) {
    while (!open.empty() && loopEndOf(open.back()) < orderOf(b))
      close();
    region.steps.push_back({b, false});
    if (!heads.contains(b))
      continue;
    if (!open.empty() && loopEndOf(open.back()) <= loopEndOf(b))
      return false;
    open.push_back(b);
  }
  while (!open.empty())
    close();
  const uint32_t joinOrder =
      returns.value_or(false) && loopEndOf(region.join) ? loopEndOf(region.join) : orderOf(region.join);
  for (const Region::Step &step : region.steps)
    if ((step.isEndOfLoop ? loopEndOf(step.block) : orderOf(step.block)) >= joinOrder)
      return false;
  region.highest = joinOrder;
  region.jumpsBack = returns.value_or(false) || !heads.empty();
  return true;
}

void Regions::findRegisters(Region &region) const {
  const auto &blocks = program.function.blocks;
  region.kept = registers.liveBefore(blocks[region.join].first);
  llvm::BitVector changed = registers.changedBefore(blocks[region.join].first);
  for (uint32_t b : region.blocks)
    region.kept |= registers.liveBefore(blocks[b].first);
  region.stored = region.kept;
  for (uint32_t b : region.blocks)
    for (uint32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      changed |= registers.changedBefore(i);
      if (program.wayOf(i) != Way::Access && program.wayOf(i) != Way::Atomic)
        region.stored |= registers.liveBefore(i);
    }
  region.stored &= changed;
}

/// Whether every lane that goes around the loop executes the block.
bool Regions::isPassedByAll(const Region &region, uint32_t head, uint32_t block) const {
  if (block == head)
    return true;
  std::set<uint32_t> seen{head};
  std::vector<uint32_t> todo{head};
  while (!todo.empty()) {
    const uint32_t at = todo.back();
    todo.pop_back();
    for (uint32_t to : program.function.blocks[at].succs) {
      if (to == head)
        return false;
      const bool isInside =
          region.contains(to) && orderOf(to) > orderOf(head) && orderOf(to) < loopEndOf(head);
      if (isInside && to != block && seen.insert(to).second)
        todo.push_back(to);
    }
  }
  return true;
}

/// Whether lanes may wait at a block while another one is executed.
bool Regions::mayWait(const Region &region, uint32_t block, uint32_t running) const {
  auto isIn = [&](uint32_t b, uint32_t head) {
    return orderOf(b) >= orderOf(head) && orderOf(b) < loopEndOf(head);
  };
  bool waitsForNext = false;
  for (const Region::Step &step : region.steps) {
    if (!step.isEndOfLoop || !isIn(running, step.block))
      continue;
    if (block != region.join && isIn(block, step.block) && isPassedByAll(region, step.block, running))
      return false;
    waitsForNext |= step.block == block;
  }
  return block == region.join || waitsForNext || orderOf(block) > orderOf(running);
}

/// Whether what all lanes have in common may be set although some lanes are elsewhere: none of those needs it.
bool Regions::keepsScalars(const Region &region) const {
  const auto &blocks = program.function.blocks;
  for (uint32_t running : region.blocks)
    for (uint32_t i = blocks[running].first; i < blocks[running].end; ++i)
      for (uint32_t reg : program.writes(i)) {
        if (!shapes[reg].isScalar())
          continue;
        auto isNeededAt = [&](uint32_t block) {
          return program.liveBefore(blocks[block].first)[reg] && mayWait(region, block, running);
        };
        if (isNeededAt(region.join) || std::ranges::any_of(region.blocks, isNeededAt))
          return false;
      }
  return true;
}

} // namespace heddle::jit
