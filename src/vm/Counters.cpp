// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of a launch, in the terms of a profiler: instructions by class, branches, bank conflicts, sectors.
//
// An observer adds up events of all cores, one row for each core so that no lock is taken, and sums the rows
// at the end.
//
// Shared memory has 32 banks of 4 bytes. Lanes that access the same word share a pass (wavefront), different words
// of one bank take one pass each; so a request takes as many passes as the bank with the most words.
// Accesses of 8 bytes are made by half warps, of 16 bytes by quarter warps. Atomics on one word share no pass.
// Conflicts are passes beyond the first.
//
// Global memory is transferred in sectors of 32 bytes: a request costs the number of distinct sectors of its
// lanes. Neighbouring lanes mostly share a sector, and most accesses have no conflicts, so both are
// recognized before anything is sorted. Copies that bypass registers are requests of global memory, and pass over
// the banks once.
//
// The requests of the program are counted, not the effect of caches.
#include "vm/Counters.h"

#include "ptx/Module.h"
#include "vm/Lanes.h"
#include "vm/NotedLoads.h"

#include <algorithm>

namespace heddle::vm {

uint64_t CounterSums::warpInstructions() const {
  uint64_t sum = 0;
  for (const PerClass &c : classes)
    sum += c.warp;
  return sum;
}
uint64_t CounterSums::threadInstructions() const {
  uint64_t sum = 0;
  for (const PerClass &c : classes)
    sum += c.thread;
  return sum;
}

void CounterSums::add(const CounterSums &o) {
  for (unsigned i = 0; i < InstructionClasses; ++i) {
    classes[i].warp += o.classes[i].warp;
    classes[i].thread += o.classes[i].thread;
  }
  warps += o.warps, divergentWarps += o.divergentWarps;
  branches += o.branches, divergentBranches += o.divergentBranches;
  sharedRequests += o.sharedRequests, sharedWavefronts += o.sharedWavefronts,
      sharedConflicts += o.sharedConflicts;
  globalRequests += o.globalRequests, globalSectors += o.globalSectors;
  globalStoreSectors += o.globalStoreSectors, globalLines += o.globalLines, asyncBytes += o.asyncBytes;
  sharedLoads += o.sharedLoads, sharedStores += o.sharedStores, globalLoads += o.globalLoads;
  globalStores += o.globalStores, localLoads += o.localLoads, localStores += o.localStores,
      atomics += o.atomics;
  barrierWaits += o.barrierWaits, barrierArrivals += o.barrierArrivals;
  warpSyncs += o.warpSyncs, shuffles += o.shuffles;
}

// --- memory shapes
// ---------------------------------------------------------------------------------------------

namespace {

constexpr unsigned Banks = 32, SectorBytes = 32;

/// Whether no two different words are in one bank: true for most accesses, and found without sorting.
bool isOnePass(const uint64_t *words, unsigned count) {
  uint64_t wordOf[Banks];
  uint32_t used = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned bank = words[i] % Banks;
    if (used >> bank & 1 && wordOf[bank] != words[i])
      return false;
    used |= 1u << bank;
    wordOf[bank] = words[i];
  }
  return true;
}

/// Passes for the lanes of one part of a warp: lanes that access the same word share a pass, different words of
/// one bank do not. Atomics on one word are executed one after the other.
unsigned passes(const uint64_t *addresses, uint32_t mask, unsigned bytes, Sharing sharing) {
  uint64_t words[Lanes * 4];
  unsigned count = 0;
  eachLane(mask, [&](unsigned lane) {
    for (unsigned at = 0; at < std::max(bytes, 4u); at += 4)
      words[count++] = (addresses[lane] + at) / 4;
  });
  if (sharing == Sharing::Words) {
    if (isOnePass(words, count))
      return 1;
    std::sort(words, words + count);
    count = unsigned(std::unique(words, words + count) - words);
  }
  unsigned use[Banks] = {}, most = 0;
  for (unsigned i = 0; i < count; ++i)
    most = std::max(most, ++use[words[i] % Banks]);
  return most;
}

} // namespace

/// Accesses of 8 bytes are made by half warps, of 16 bytes by quarters: a part with active lanes needs at least one pass.
BankUse bankUse(const uint64_t *addresses, uint32_t mask, unsigned bytes, Sharing sharing) {
  const unsigned parts = bytes >= 16 ? 4 : bytes >= 8 ? 2 : 1, lanes = Lanes / parts;
  BankUse use;
  for (unsigned part = 0; part < parts; ++part) {
    uint32_t group = lanes == 32 ? mask : mask & (((1u << lanes) - 1) << (part * lanes));
    if (!group)
      continue;
    unsigned needed = passes(addresses, group, std::min(bytes, 16u), sharing);
    use.wavefronts += needed;
    use.conflicts += needed - 1;
  }
  return use;
}

unsigned passesOfWords(const uint64_t *addresses, uint32_t mask, unsigned bytes) {
  return mask ? passes(addresses, mask, std::min(bytes, 16u), Sharing::Words) : 0;
}

/// A lane's access is no wider than a sector, except for bulk copies, whose one lane accesses a whole range of
/// sectors.
std::span<const uint64_t> sectorsOf(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                    SectorBuffer &buffer) {
  uint64_t *touched = buffer.few;
  if (bytes > SectorBytes) {
    buffer.many.resize(size_t(countLanes(mask)) * (bytes / SectorBytes + 2));
    touched = buffer.many.data();
  }
  size_t count = 0;
  eachLane(mask, [&](unsigned lane) {
    const uint64_t last = (addresses[lane] + bytes - 1) / SectorBytes;
    for (uint64_t at = addresses[lane] / SectorBytes; at <= last; ++at)
      if (count == 0 || touched[count - 1] != at) // neighbouring lanes mostly share one
        touched[count++] = at;
  });
  if (!std::is_sorted(touched, touched + count))
    std::sort(touched, touched + count);
  return {touched, std::unique(touched, touched + count)};
}

unsigned sectors(const uint64_t *addresses, uint32_t mask, unsigned bytes) {
  SectorBuffer buffer;
  return unsigned(sectorsOf(addresses, mask, bytes, buffer).size());
}

namespace {

/// Sectors from the first to before the last.
struct SectorRange {
  uint64_t first, end;
};

/// The ranges that groups of lanes touch, ascending and apart; nothing if there are gaps between lanes, or if nobody knows.
std::span<const SectorRange> rangesOf(const PlainAccess &access, SectorRange (&room)[Lanes]) {
  if (!access.groups || access.stride < 0 || access.stride > int32_t(SectorBytes))
    return {};
  const uint64_t reach = uint64_t(access.stride) * (Lanes / access.groups - 1) + access.bytes - 1;
  size_t count = 0;
  for (unsigned group = 0; group < access.groups; ++group) {
    const uint64_t at = access.addresses[group];
    SectorRange range{at / SectorBytes, (at + reach) / SectorBytes + 1};
    size_t place = count;
    for (; place > 0 && room[place - 1].first > range.first; --place)
      room[place] = room[place - 1];
    room[place] = range;
    ++count;
  }
  size_t kept = 0;
  for (size_t i = 1; i < count; ++i)
    if (room[i].first <= room[kept].end)
      room[kept].end = std::max(room[kept].end, room[i].end);
    else
      room[++kept] = room[i];
  return {room, kept + 1};
}

} // namespace

const uint64_t *addressesOf(const PlainAccess &access, std::array<uint64_t, 32> &buffer) {
  if (!access.groups)
    return access.addresses;
  const unsigned lanes = Lanes / access.groups;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    buffer[lane] = access.addresses[lane / lanes] + uint64_t(int64_t(access.stride) * (lane % lanes));
  return buffer.data();
}

unsigned sectors(const PlainAccess &access) {
  SectorRange room[Lanes];
  uint64_t count = 0;
  for (const SectorRange &range : rangesOf(access, room))
    count += range.end - range.first;
  SectorBuffer buffer;
  return count ? unsigned(count) : unsigned(sectorsOf(access, buffer).size());
}

std::span<const uint64_t> sectorsOf(const PlainAccess &access, SectorBuffer &buffer) {
  if (!access.groups)
    return sectorsOf(access.addresses, access.mask, access.bytes, buffer);
  SectorRange room[Lanes];
  size_t count = 0;
  for (const SectorRange &range : rangesOf(access, room))
    for (uint64_t sector = range.first; sector < range.end; ++sector)
      buffer.few[count++] = sector;
  if (count)
    return {buffer.few, count};
  std::array<uint64_t, Lanes> expanded;
  return sectorsOf(addressesOf(access, expanded), access.mask, access.bytes, buffer);
}

BankUse bankUse(const PlainAccess &access) {
  if (!access.groups)
    return bankUse(access.addresses, access.mask, access.bytes);
  // Neighbours use different banks, or one word; so do all lanes of a part that are in one group.
  const unsigned parts = access.bytes >= 16 ? 4 : access.bytes >= 8 ? 2 : 1;
  const bool isPlain = access.stride == 0 || uint32_t(access.stride) == access.bytes;
  if (isPlain && access.bytes <= 16 && access.groups <= parts)
    return {parts, 0};
  if (isPlain && access.bytes == 4 &&
      access.groups == 2) { // two runs of words: the same ones, or other ones of the same banks
    const uint64_t a = access.addresses[0] / 4, b = access.addresses[1] / 4, apart = a > b ? a - b : b - a;
    const uint64_t words = access.stride ? Lanes / 2 : 1;
    const bool meet = apart >= words && (apart % Banks < words || apart % Banks > Banks - words);
    return meet ? BankUse{2, 1} : BankUse{1, 0};
  }
  std::array<uint64_t, Lanes> expanded;
  return bankUse(addressesOf(access, expanded), access.mask, access.bytes);
}

// --- counting
// --------------------------------------------------------------------------------------------------

void Counters::kernelBegin(const LaunchRequest &request, const KernelInfo &kernel, uint64_t number) {
  std::lock_guard lock(guard);
  current = {kernel.name, number, request.grid, request.block, {}};
  for (unsigned i = 0; i < MaxCores; ++i)
    cores[i].sums = {}, cores[i].loads.reset();
  warpsPerBlock = unsigned((request.block.count() + Lanes - 1) / Lanes);
  divergent.assign(request.grid.count() * warpsPerBlock, 0);
}

void Counters::kernelEnd(const LaunchResult &) {
  std::lock_guard lock(guard);
  for (unsigned i = 0; i < MaxCores; ++i)
    current.sums.add(cores[i].sums);
  current.sums.divergentWarps = uint64_t(std::count(divergent.begin(), divergent.end(), 1));
  ended.push_back(current);
}

void Counters::blockBegin(const WarpRef &at) { of(at).sums.warps += warpsPerBlock; }

void Counters::instruction(const WarpRef &at, SiteRef site, uint32_t mask) {
  CounterSums::PerClass &cls = of(at).sums.classes[unsigned(classOf(*site.instruction))];
  ++cls.warp;
  cls.thread += countLanes(mask);
}

void Counters::branch(const WarpRef &at, SiteRef, uint32_t mask, uint32_t taken) {
  CounterSums &sums = of(at).sums;
  ++sums.branches;
  if (taken == 0 || taken == mask)
    return;
  ++sums.divergentBranches;
  divergent[at.blockIndex * warpsPerBlock + at.warp] = 1;
}

void Counters::branches(const WarpRef &at, SiteRef, uint64_t times) { of(at).sums.branches += times; }

void Counters::countGlobal(const WarpRef &at, std::span<const uint64_t> list, unsigned lanes, Touch touch) {
  const bool loads = touch == Touch::Read;
  constexpr unsigned SectorsOfALine = 4; // of L1
  CounterSums &sums = of(at).sums;
  ++sums.globalRequests;
  sums.globalSectors += list.size();
  uint64_t line = ~uint64_t(0);
  for (uint64_t sector : list)
    if (sector / SectorsOfALine != line)
      line = sector / SectorsOfALine, ++sums.globalLines;
  (loads ? sums.globalLoads : sums.globalStores) += lanes;
  if (!loads)
    sums.globalStoreSectors += list.size();
  touched(at, list, touch);
}

/// A copy that bypasses registers is a request of global memory like others, and passes over the banks once.
void Counters::async(const WarpRef &at, SiteRef, const AsyncEvent &event) {
  const bool reads = event.fromSpace == Space::Global;
  const uint32_t mask = event.mask & event.reading;
  if (event.kind != AsyncEvent::Kind::Issue || (!reads && event.toSpace != Space::Global) || !mask)
    return;
  constexpr unsigned BankBytes = 128; // of all banks together
  const uint64_t bytes = uint64_t(event.bytes) * countLanes(mask);
  CounterSums &sums = of(at).sums;
  sums.sharedWavefronts += (bytes + BankBytes - 1) / BankBytes;
  if (reads)
    sums.asyncBytes += bytes;
  SectorBuffer buffer;
  countGlobal(at, sectorsOf(reads ? event.from : event.to, mask, event.bytes, buffer), countLanes(mask),
              reads ? Touch::Read : Touch::Write);
}

void Counters::access(const WarpRef &at, SiteRef, const AccessEvent &event) {
  CounterSums &sums = of(at).sums;
  const unsigned threads = countLanes(event.mask);
  const bool loads = event.kind == AccessKind::Load;
  const bool isAtomic = event.kind == AccessKind::Atomic || event.kind == AccessKind::Reduction;
  if (isAtomic)
    sums.atomics += threads;
  switch (event.space) {
  case Space::Shared: {
    const BankUse use =
        bankUse(event.addresses, event.mask, event.bytes, isAtomic ? Sharing::Nothing : Sharing::Words);
    ++sums.sharedRequests;
    sums.sharedWavefronts += use.wavefronts;
    sums.sharedConflicts += use.conflicts;
    (loads ? sums.sharedLoads : sums.sharedStores) += threads;
    return;
  }
  case Space::Global: {
    SectorBuffer buffer;
    countGlobal(at, sectorsOf(event.addresses, event.mask, event.bytes, buffer), threads,
                loads                             ? Touch::Read
                : event.kind == AccessKind::Store ? Touch::Write
                                                  : Touch::Both);
    return;
  }
  case Space::Local: (loads ? sums.localLoads : sums.localStores) += threads; return;
  default: return;
  }
}

bool Counters::plainAccess(const WarpRef &at, SiteRef, const PlainAccess &access) {
  CounterSums &sums = of(at).sums;
  const unsigned threads = countLanes(access.mask);
  if (access.space == Space::Global) {
    SectorBuffer buffer;
    countGlobal(at, sectorsOf(access, buffer), threads, access.isStore ? Touch::Write : Touch::Read);
    return true;
  }
  if (access.space != Space::Shared)
    return true;
  const BankUse use = bankUse(access);
  ++sums.sharedRequests;
  sums.sharedWavefronts += use.wavefronts;
  sums.sharedConflicts += use.conflicts;
  (access.isStore ? sums.sharedStores : sums.sharedLoads) += threads;
  return true;
}

struct Counters::SharedLoads {
  struct Sums {
    uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  };
  SeenNotes<Sums> seen;
};

Counters::Counters() = default;
Counters::~Counters() = default;

void Counters::notedLoads(const WarpRef &at, const NotedLoads &loads) {
  if (loads.space != Space::Shared)
    return eachLoad(loads, [&](SiteRef site, const PlainAccess &access) { plainAccess(at, site, access); });
  PerCore &core = of(at);
  if (!core.loads)
    core.loads = std::make_unique<SharedLoads>();
  const auto [known, isNew] = core.loads->seen.find(loads);
  if (isNew)
    eachLoad(loads, [&](SiteRef, const PlainAccess &access) {
      const BankUse use = bankUse(access);
      ++known.requests, known.wavefronts += use.wavefronts, known.conflicts += use.conflicts;
    });
  core.sums.sharedRequests += known.requests, core.sums.sharedLoads += known.requests * Lanes;
  core.sums.sharedWavefronts += known.wavefronts, core.sums.sharedConflicts += known.conflicts;
}

void Counters::barrierReached(const WarpRef &at, SiteRef, const BarrierEvent &event) {
  CounterSums &sums = of(at).sums;
  ++(event.kind == BarrierEvent::Kind::Arrive ? sums.barrierArrivals : sums.barrierWaits);
}

void Counters::warpSync(const WarpRef &at, SiteRef, const WarpSyncEvent &event) {
  if (event.again)
    return;
  CounterSums &sums = of(at).sums;
  ++sums.warpSyncs;
  sums.shuffles += event.kind == WarpSyncEvent::Kind::Shuffle;
}

// --- basic-block vectors
// ---------------------------------------------------------------------------------------

void BlockVectors::kernelBegin(const LaunchRequest &request, const KernelInfo &kernel, uint64_t) {
  threadsPerBlock = uint32_t(request.block.count());
  threadCount = request.grid.count() * threadsPerBlock;
  blockCount = kernel.codeBlocks;
  counts.assign(threadCount * blockCount, 0);
}

void BlockVectors::codeBlock(const WarpRef &at, const BlockOfCode &block, uint32_t mask) {
  codeBlocks(at, block, mask, 1);
}
void BlockVectors::codeBlocks(const WarpRef &at, const BlockOfCode &block, uint32_t mask, uint64_t times) {
  const uint64_t first = at.blockIndex * threadsPerBlock + at.warp * Lanes;
  eachLane(mask,
           [&](unsigned lane) { counts[(first + lane) * blockCount + block.index] += uint32_t(times); });
}

} // namespace heddle::vm
