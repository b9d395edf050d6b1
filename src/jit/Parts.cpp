// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Parts.h"

#include "jit/Program.h"

#include <algorithm>

namespace heddle::jit {

namespace {

/// A part has at least this portion of the instructions that it may have, so that there is a choice where it ends.
constexpr uint32_t LeastPortion = 4;

/// For each instruction, how many loops and ways of branches a part that begins there would divide.
std::vector<uint32_t> countAround(const ptx::Function &function) {
  std::vector<int32_t> steps(function.instrs.size() + 1, 0);
  auto around = [&](uint32_t first, uint32_t last) { // what begins behind `first`, up to `last`
    ++steps[first + 1];
    --steps[last + 1];
  };
  for (const ptx::Block &block : function.blocks) {
    for (uint32_t succ : block.succs)
      if (function.blocks[succ].first <= block.first)
        around(function.blocks[succ].first, block.end - 1);
    if (block.succs.size() > 1 && block.ipdom != ptx::kNone &&
        function.blocks[block.ipdom].first > block.first)
      around(block.end - 1, function.blocks[block.ipdom].first - 1);
  }
  std::vector<uint32_t> counts(function.instrs.size());
  int32_t now = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] = uint32_t(now += steps[i]);
  return counts;
}

std::vector<uint32_t> countLive(const Program &program) {
  std::vector<uint32_t> counts(program.count());
  for (const ptx::Block &block : program.function.blocks) {
    llvm::BitVector now = program.liveBehind(block);
    for (uint32_t i = block.end; i-- > block.first;) {
      program.stepBack(i, now);
      counts[i] = now.count();
    }
  }
  return counts;
}

} // namespace

std::vector<Part> divide(const Program &program, uint32_t most) {
  const uint32_t count = program.count();
  if (count <= most)
    return {{0, count}};
  const std::vector<uint32_t> around = countAround(program.function), live = countLive(program);
  std::vector<Part> parts;
  for (uint32_t first = 0; first < count;) {
    uint32_t end = count;
    if (count - first > most) {
      end = first + most;
      for (uint32_t i = end; i > first + most / LeastPortion; --i)
        if (std::pair(around[i], live[i]) < std::pair(around[end], live[end]))
          end = i;
    }
    parts.push_back({first, end});
    first = end;
  }
  return parts;
}

PartRegisters::PartRegisters(const Program &given, const Part &which) : program(given), part(which) {
  const unsigned registers = unsigned(program.function.registers.size());
  named.resize(registers);
  live.assign(part.end - part.first, llvm::BitVector(registers));
  changed = live;
  for (uint32_t i = part.first; i < part.end; ++i) {
    for (uint32_t reg : program.reads(i))
      named.set(reg);
    for (uint32_t reg : program.writes(i))
      named.set(reg);
    if (const ptx::Guard &guard = program.function.instrs[i].guard)
      named.set(guard.reg);
  }
  findLive();
  findChanged();
}

const llvm::BitVector &PartRegisters::liveBefore(uint32_t instr) const {
  return part.contains(instr) ? live[instr - part.first] : program.liveBefore(instr);
}

const llvm::BitVector &PartRegisters::changedBefore(uint32_t instr) const {
  return part.contains(instr) ? changed[instr - part.first] : changedBehind.at(instr);
}

void PartRegisters::findLive() {
  for (const ptx::Block &block : program.function.blocks) {
    const uint32_t first = std::max(block.first, part.first), end = std::min(block.end, part.end);
    if (first >= end)
      continue;
    llvm::BitVector now = end == block.end ? program.liveBehind(block) : program.liveBefore(end);
    for (uint32_t i = end; i-- > first;) {
      program.stepBack(i, now);
      live[i - part.first] = now;
    }
  }
}

void PartRegisters::findChanged() {
  const auto &blocks = program.function.blocks;
  auto add = [&](uint32_t instr, const llvm::BitVector &more) {
    llvm::BitVector &now = part.contains(instr) ? changed[instr - part.first]
                                                : changedBehind.try_emplace(instr, more.size()).first->second;
    llvm::BitVector joined = now;
    joined |= more;
    const bool isMore = joined != now;
    now = std::move(joined);
    return isMore && part.contains(instr);
  };
  for (bool again = true; again;) {
    again = false;
    for (const ptx::Block &block : blocks) {
      const uint32_t first = std::max(block.first, part.first), end = std::min(block.end, part.end);
      if (first >= end)
        continue;
      llvm::BitVector now = changed[first - part.first];
      for (uint32_t i = first; i < end; ++i) {
        if (i != first)
          changed[i - part.first] = now;
        for (uint32_t reg : program.writes(i))
          now.set(reg);
      }
      if (end < block.end)
        add(end, now);
      else
        for (uint32_t succ : block.succs)
          again |= add(blocks[succ].first, now);
    }
  }
}

} // namespace heddle::jit
