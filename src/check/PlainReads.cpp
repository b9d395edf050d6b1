// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop around a compare-and-swap reads first, without an atomic, and swaps only if nothing changed since:
//
//     old = *counter;
//     do { seen = old; old = atomicCAS(counter, seen, f(seen)); } while (old != seen);
//
// The read races with the swaps of others, which is harmless. Whether it opens such a loop shows only later,
// when the same thread swaps at the same address. So these races wait here, by the instruction that reads and
// by rule (lanes of a warp, and other threads), until a thread that read there swaps (then that instruction is never reported) or the
// launch ends.
#include "check/PlainReads.h"

#include "ptx/Module.h"

namespace heddle::check {

void PlainReads::defer(Rule rule, const Side &reader, const Side &updater, uint64_t address,
                       const std::string &what, std::string hint) {
  constexpr size_t EnoughReaders = 4096;
  std::lock_guard lock(guard);
  if (guarded.count(reader.instrId))
    return;
  auto [at, fresh] = reads.try_emplace({reader.instrId, rule});
  if (fresh)
    at->second = {reader, updater, what, std::move(hint), {}};
  if (at->second.readers.size() < EnoughReaders)
    at->second.readers.insert({reader.launch->number, reader.block, reader.thread, address});
  hasReads = true;
}

void PlainReads::swapped(const Where &where, const vm::AccessEvent &event, const ptx::Instr *instruction) {
  if (!instruction || (instruction->op != ptx::Op::AtomCas && instruction->mods.atom != ptx::AtomOp::Cas))
    return;
  std::lock_guard lock(guard);
  for (const auto &[key, read] : reads)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (event.mask >> lane & 1 &&
          read.readers.count({where.launch.number, where.block, where.thread(lane), event.addresses[lane]}))
        guarded.insert(key.first);
  std::erase_if(reads, [&](const auto &read) { return guarded.count(read.first.first); });
  hasReads = !reads.empty();
}

void PlainReads::reportLeft(Reporter &reporter) {
  decltype(reads) left;
  {
    std::lock_guard lock(guard);
    left.swap(reads);
    hasReads = false;
  }
  for (auto &[key, read] : left)
    reporter.reportRace(key.second, read.reader, read.updater, read.what, read.hint);
}

} // namespace heddle::check
