// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward data-flow analysis over basic blocks. A guarded write does not end a live range: lanes whose guard
// is false keep the old value.
#include "ptx/Destinations.h"
#include "vm/Lowering.h"

namespace heddle::vm {
namespace {

using Words = std::vector<uint64_t>;

void set(Words &words, uint32_t i) { words[i / 64] |= uint64_t(1) << i % 64; }
void clear(Words &words, uint32_t i) { words[i / 64] &= ~(uint64_t(1) << i % 64); }
bool get(const Words &words, uint32_t i) { return words[i / 64] >> i % 64 & 1; }

/// Registers that are written, then those that are read: walking backward that is the right order.
template <class Def, class Use>
void eachAccess(const ptx::Function &f, const ptx::Instr &instr, Def def, Use use) {
  eachWritten(f, instr, def);
  eachRead(f, instr, use);
  if (instr.guard)
    use(instr.guard.reg);
}

} // namespace

Liveness liveness(const ptx::Function &function) {
  const size_t words = (function.registers.size() + 63) / 64, count = function.blocks.size();
  std::vector<Words> gen(count, Words(words)), kill(count, Words(words)), in(count, Words(words));
  for (size_t b = 0; b < count; ++b)
    for (uint32_t i = function.blocks[b].end; i-- > function.blocks[b].first;) {
      const ptx::Instr &instr = function.instrs[i];
      eachAccess(
          function, instr,
          [&](uint32_t r) {
            if (!instr.guard)
              set(kill[b], r), clear(gen[b], r);
          },
          [&](uint32_t r) { set(gen[b], r); });
    }
  auto liveOut = [&](size_t b) {
    Words out(words);
    for (uint32_t succ : function.blocks[b].succs)
      for (size_t w = 0; w < words; ++w)
        out[w] |= in[succ][w];
    return out;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = count; b-- > 0;) {
      Words next = liveOut(b);
      for (size_t w = 0; w < words; ++w)
        next[w] = gen[b][w] | (next[w] & ~kill[b][w]);
      changed |= next != in[b];
      in[b] = std::move(next);
    }
  }
  Liveness result;
  for (size_t b = 0; b < count; ++b) {
    Words live = liveOut(b);
    unsigned now = 0;
    for (uint32_t r = 0; r < function.registers.size(); ++r)
      now += get(live, r) ? wordsOf(function.registers[r]) : 0;
    result.pressure = std::max(result.pressure, now);
    for (uint32_t i = function.blocks[b].end; i-- > function.blocks[b].first;) {
      const ptx::Instr &instr = function.instrs[i];
      eachAccess(
          function, instr,
          [&](uint32_t r) {
            if (!instr.guard && get(live, r))
              clear(live, r), now -= wordsOf(function.registers[r]);
          },
          [&](uint32_t r) {
            if (!get(live, r))
              set(live, r), now += wordsOf(function.registers[r]);
          });
      result.pressure = std::max(result.pressure, now);
    }
  }
  result.liveAt = std::move(in);
  return result;
}

} // namespace heddle::vm
