// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PtxRegisters.h"

#include "analysis/PtxValues.h"
#include "model/Thresholds.h"
#include "ptx/Destinations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace heddle::analysis {
namespace {

using namespace ptx;
namespace threshold = model::threshold::registers;

/// Larger blocks are counted in the order of the PTX: scheduling takes quadratic time.
constexpr size_t longestScheduled = 2000;

using Registers = std::set<uint32_t>;

/// An instruction of a block, or of a copy of it.
struct Node {
  std::vector<uint32_t> reads, writes;
  unsigned latency = 0;
  Memory memory = Memory::None;
  Space space = Space::None;
  bool readsOnlyMemory = false; ///< ld.global.nc: no store of the kernel changes what it loads
  bool isLast = false;
  std::optional<PtxValues::Address> address;
  std::vector<uint32_t> after; ///< nodes that have to wait for this one
  unsigned waitsFor = 0;
  uint64_t height = 0, ready = 0;
};

class Pressure {
public:
  Pressure(const Function &kernel, unsigned limit) : f(kernel), values(kernel), limit(limit) {}

  unsigned most() {
    findLive();
    unsigned most = 0;
    for (uint32_t block = 0; block < f.blocks.size(); ++block)
      most = std::max(most, ofBlock(block));
    return most;
  }

private:
  void findLive() {
    liveIn.assign(f.blocks.size(), {});
    liveOut = liveIn;
    for (bool changes = true; changes;) {
      changes = false;
      for (uint32_t b = uint32_t(f.blocks.size()); b-- > 0;) {
        for (uint32_t next : f.blocks[b].succs)
          liveOut[b].insert(liveIn[next].begin(), liveIn[next].end());
        Registers reached = liveOut[b];
        for (uint32_t i = f.blocks[b].end; i-- > f.blocks[b].first;) {
          if (!f.instrs[i].guard)
            for (uint32_t r : values.writtenBy(i))
              reached.erase(r);
          for (uint32_t r : values.read(i))
            if (!values.isConstant(r))
              reached.insert(r);
        }
        changes |= reached != liveIn[b];
        liveIn[b] = std::move(reached);
      }
    }
  }

  unsigned wordsOf(uint32_t r) const {
    return r < f.registers.size() ? ptx::wordsOf(f.registers[r]) : added[r - f.registers.size()];
  }

  uint32_t newRegister(unsigned size) {
    added.push_back(size);
    return uint32_t(f.registers.size() + added.size() - 1);
  }

  /// A block that branches back to itself is unrolled while it stays short.
  unsigned copiesOf(const Block &block, uint32_t index) const {
    if (std::ranges::find(block.succs, index) == block.succs.end())
      return 1;
    for (uint32_t i = block.first; i < block.end; ++i)
      if (info(f.instrs[i].op).cls == OpClass::Barrier)
        return 1;
    return std::clamp(threshold::unrolledInstructions / (block.end - block.first), 1u,
                      threshold::unrolledCopies);
  }

  void addCopy(const Block &block, bool isLastCopy) {
    for (uint32_t i = block.first; i < block.end; ++i) {
      const Instr &instr = f.instrs[i];
      if (values.isFree(i) || (!isLastCopy && instr.op == Op::Bra))
        continue;
      Node node;
      const OpInfo &about = info(instr.op);
      const bool waits =
          about.memory == Memory::Loads || about.memory == Memory::Updates || about.cls == OpClass::Shuffle;
      node.latency = waits ? threshold::cyclesOfLoad : threshold::cyclesOfArithmetic;
      for (uint32_t r : values.read(i)) {
        if (!values.isConstant(r))
          node.reads.push_back(renamed(r));
        else if (wordsOf(r) == 2) // a pointer parameter: read from constant memory before it is added to
          node.reads.push_back(constant(r));
      }
      if (instr.guard && !values.isConstant(instr.guard.reg))
        node.reads.push_back(renamed(instr.guard.reg));
      node.memory = about.cls == OpClass::Call ? Memory::Orders : about.memory;
      node.space = instr.mods.space;
      node.readsOnlyMemory = instr.mods.has(Flag::NonCoherent);
      node.address = values.addressOf(instr);
      if (node.address && !node.address->isVariable)
        node.address->base = renamed(node.address->base);
      node.isLast = about.lanes == Lanes::Flow && about.cls != OpClass::Call;
      for (uint32_t r : values.writtenBy(i)) {
        if (!isLastCopy)
          names[r] = newRegister(wordsOf(r));
        else
          names.erase(r);
        node.writes.push_back(renamed(r));
      }
      nodes.push_back(std::move(node));
    }
  }

  uint32_t renamed(uint32_t r) const {
    const auto found = names.find(r);
    return found == names.end() ? r : found->second;
  }

  uint32_t constant(uint32_t r) {
    const auto [place, isNew] = loaded.try_emplace(r, 0);
    if (isNew) {
      place->second = newRegister(wordsOf(r));
      Node load;
      load.writes = {place->second};
      load.latency = threshold::cyclesOfLoad;
      nodes.push_back(std::move(load));
    }
    return place->second;
  }

  static bool mayOverlap(const Node &one, const Node &other) {
    if (one.space != other.space && one.space != Space::None && other.space != Space::None)
      return false;
    if (!one.address || !other.address || one.address->base != other.address->base ||
        one.address->isVariable != other.address->isVariable)
      return true;
    return one.address->offset < other.address->offset + int64_t(other.address->bytes) &&
           other.address->offset < one.address->offset + int64_t(one.address->bytes);
  }

  void order(uint32_t first, uint32_t then) {
    auto &after = nodes[first].after;
    if (first != then && (after.empty() || after.back() != then)) {
      after.push_back(then);
      ++nodes[then].waitsFor;
    }
  }

  void orderAll() {
    std::map<uint32_t, uint32_t> writer;
    std::map<uint32_t, std::vector<uint32_t>> readers;
    std::vector<uint32_t> loads, stores;
    std::optional<uint32_t> fence;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const Node &node = nodes[i];
      for (uint32_t r : node.reads)
        if (const auto found = writer.find(r); found != writer.end())
          order(found->second, i);
      for (uint32_t r : node.writes) {
        if (const auto found = writer.find(r); found != writer.end())
          order(found->second, i);
        for (uint32_t reader : readers[r])
          order(reader, i);
      }
      for (uint32_t r : node.reads)
        readers[r].push_back(i);
      for (uint32_t r : node.writes) {
        writer[r] = i;
        readers[r].clear();
      }
      if (node.isLast) {
        for (uint32_t earlier = 0; earlier < i; ++earlier)
          order(earlier, i);
        continue;
      }
      if (node.memory == Memory::None || node.space == Space::Param || node.space == Space::Const)
        continue;
      if (fence)
        order(*fence, i);
      if (node.memory != Memory::Loads && node.memory != Memory::Stores) {
        for (const auto *earlier : {&loads, &stores})
          for (uint32_t each : *earlier)
            order(each, i);
        loads.clear();
        stores.clear();
        fence = i;
        continue;
      }
      const bool isLoad = node.memory == Memory::Loads;
      if (!node.readsOnlyMemory)
        for (uint32_t store : stores)
          if (mayOverlap(nodes[store], node))
            order(store, i);
      if (!isLoad)
        for (uint32_t load : loads)
          if (!nodes[load].readsOnlyMemory && mayOverlap(nodes[load], node))
            order(load, i);
      (isLoad ? loads : stores).push_back(i);
    }
  }

  unsigned ofBlock(uint32_t index) {
    const Block &block = f.blocks[index];
    nodes.clear();
    names.clear();
    loaded.clear();
    added.clear();
    const unsigned copies = copiesOf(block, index);
    for (unsigned copy = 1; copy <= copies; ++copy)
      addCopy(block, copy == copies);
    live = liveIn[index];
    out = &liveOut[index];
    now = peak = 0;
    for (uint32_t r : live)
      now += wordsOf(r);
    peak = now;
    readsLeft.clear();
    for (const Node &node : nodes)
      for (uint32_t r : node.reads)
        ++readsLeft[r];
    if (nodes.size() > longestScheduled)
      for (const Node &node : nodes)
        issue(node);
    else
      schedule();
    return peak;
  }

  bool endsWith(const Node &node, uint32_t r) const {
    return readsLeft.at(r) == 1 && !out->contains(r) && live.contains(r) &&
           std::ranges::count(node.reads, r) > 0;
  }

  int change(const Node &node) const {
    int words = 0;
    for (uint32_t r : node.writes)
      words += live.contains(r) ? 0 : int(wordsOf(r));
    for (uint32_t r : node.reads)
      words -= endsWith(node, r) ? int(wordsOf(r)) : 0;
    return words;
  }

  void drop(uint32_t r) {
    if (!out->contains(r) && live.erase(r))
      now -= wordsOf(r);
  }

  void issue(const Node &node) {
    for (uint32_t r : node.reads)
      if (--readsLeft[r] == 0)
        drop(r);
    for (uint32_t r : node.writes)
      if (live.insert(r).second)
        now += wordsOf(r);
    peak = std::max(peak, now);
    for (uint32_t r : node.writes)
      if (!readsLeft[r])
        drop(r);
  }

  /// Of what may go on now: the first of the longest chain. With too many registers: what frees some, else the order of the PTX.
  uint32_t next(const std::vector<uint32_t> &waiting, uint64_t &time) const {
    uint64_t first = UINT64_MAX;
    for (uint32_t i : waiting)
      first = std::min(first, nodes[i].ready);
    time = std::max(time, first);
    std::optional<uint32_t> fits, frees;
    for (uint32_t i : waiting) {
      const int words = change(nodes[i]);
      if (nodes[i].ready <= time && (words <= 0 || int(now) + words <= int(limit)))
        if (!fits || nodes[i].height > nodes[*fits].height ||
            (nodes[i].height == nodes[*fits].height && i < *fits))
          fits = i;
      if (words <= 0 && (!frees || std::pair(nodes[i].ready, i) < std::pair(nodes[*frees].ready, *frees)))
        frees = i;
    }
    if (fits)
      return *fits;
    const uint32_t chosen = frees ? *frees : *std::ranges::min_element(waiting);
    time = std::max(time, nodes[chosen].ready);
    return chosen;
  }

  void schedule() {
    orderAll();
    std::vector<uint32_t> waiting;
    for (uint32_t i = uint32_t(nodes.size()); i-- > 0;) {
      for (uint32_t after : nodes[i].after)
        nodes[i].height = std::max(nodes[i].height, nodes[after].height);
      nodes[i].height += nodes[i].latency;
      if (!nodes[i].waitsFor)
        waiting.push_back(i);
    }
    for (uint64_t time = 0; !waiting.empty(); ++time) {
      const uint32_t chosen = next(waiting, time);
      std::erase(waiting, chosen);
      issue(nodes[chosen]);
      for (uint32_t after : nodes[chosen].after) {
        nodes[after].ready = std::max(nodes[after].ready, time + nodes[chosen].latency);
        if (--nodes[after].waitsFor == 0)
          waiting.push_back(after);
      }
    }
  }

  const Function &f;
  PtxValues values;
  unsigned limit;
  std::vector<Registers> liveIn, liveOut;
  // Of the block that is scheduled.
  std::vector<Node> nodes;
  std::map<uint32_t, uint32_t> names, loaded;
  std::vector<unsigned> added; ///< words of registers of copies and of loaded constants
  Registers live;
  const Registers *out = nullptr;
  std::map<uint32_t, unsigned> readsLeft;
  unsigned now = 0, peak = 0;
};

} // namespace

unsigned registersAtFullOccupancy(const arch::Arch &arch) {
  return arch.registersPerSm / arch.maxThreadsPerSm;
}

unsigned registersLikely(const Function &kernel, unsigned atFullOccupancy) {
  return Pressure(kernel, atFullOccupancy - threshold::besidesValues).most() + threshold::besidesValues;
}

} // namespace heddle::analysis
