// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Each operation is put into the last round that serves: that in which its value or a partial that it adds
//    to is sent, or an operation of the same warp that needs it is done.
// 2. Then gaps are filled. The warp with the most work decides how long a round takes; others draw forward
// what
//    they would do later, the most urgent first, as long as they do not take longer than that. So a few warps
//    can have a long chain of operations while the rest does what no warp waits for.
#include "partition/Rounds.h"

#include <algorithm>

namespace heddle::partition {

namespace {

class Chooser {
public:
  Chooser(const Graph &graph, const Mapping &mapping, const Transfers &transfers, const Slots &slots)
      : graph(graph), mapping(mapping), transfers(transfers), slots(slots),
        index(graph, transfers, warpCount()) {}

  Rounds choose() {
    findLast();
    rounds.of = rounds.lastOf;
    work.assign(slots.rounds, std::vector<unsigned>(warpCount()));
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      if (graph.isMapped(o))
        work[rounds.of[o]][mapping.warpOf[o]] += graph.nodes[o].cost;
    for (bool mayGrow : {false, true})
      for (unsigned round = 0; round + 1 < slots.rounds; ++round)
        fill(round, mayGrow);
    return std::move(rounds);
  }

private:
  const Graph &graph;
  const Mapping &mapping;
  const Transfers &transfers;
  const Slots &slots;
  const SlotIndex index;
  Rounds rounds;
  std::vector<std::vector<unsigned>> work; ///< of each round and warp

  unsigned warpCount() const {
    unsigned count = 1;
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      if (graph.isMapped(o))
        count = std::max(count, mapping.warpOf[o] + 1);
    for (const std::vector<unsigned> &closers : mapping.closers)
      for (unsigned warp : closers)
        count = std::max(count, warp + 1);
    return count;
  }

  void limit(unsigned value, unsigned warp, unsigned round) {
    const unsigned o = graph.program->definedBy[value];
    if (mapping.warpOf[o] == warp)
      rounds.lastOf[o] = std::min(rounds.lastOf[o], round);
  }

  void findLast() {
    rounds.lastOf.assign(graph.nodes.size(), slots.rounds - 1);
    for (unsigned t = 0; t < transfers.list.size(); ++t) {
      const Transfer &transfer = transfers.list[t];
      if (!transfer.isPartial)
        limit(transfer.value, transfer.from, slots.of[t].round);
      else
        for (const Term &term : graph.terms[transfer.sum])
          if (term.operand.value)
            limit(*term.operand.value, transfer.from, slots.of[t].round);
    }
    for (unsigned o = unsigned(graph.nodes.size()); o-- > 0;) {
      if (!graph.isMapped(o))
        continue;
      for (unsigned value : graph.nodes[o].inputs)
        limit(value, mapping.warpOf[o], rounds.lastOf[o]);
      for (unsigned sum : graph.nodes[o].totals)
        for (const Term &term : graph.terms[sum])
          if (term.operand.value)
            limit(*term.operand.value, mapping.warpOf[o], rounds.lastOf[o]);
    }
  }

  /// The first round in which a warp has a value.
  unsigned roundOfValue(unsigned value, unsigned warp) const {
    const unsigned o = graph.program->definedBy[value];
    if (!graph.isSent(value))
      return 0;
    return mapping.warpOf[o] == warp ? rounds.of[o] : slots.of[*index.ofValue(value)].readRound;
  }

  unsigned roundOfTotal(unsigned sum, unsigned warp) const {
    unsigned round = 0;
    for (unsigned t = 0; t < graph.terms[sum].size(); ++t) {
      const std::vector<unsigned> &adders = transfers.addedBy[sum][t];
      if (std::ranges::find(adders, warp) == adders.end())
        round = std::max(round, slots.of[*index.ofPartial(sum, adders.front())].readRound);
      else if (graph.terms[sum][t].operand.value)
        round = std::max(round, roundOfValue(*graph.terms[sum][t].operand.value, warp));
    }
    return round;
  }

  bool isReady(unsigned o, unsigned round) const {
    const unsigned warp = mapping.warpOf[o];
    return std::ranges::all_of(graph.nodes[o].inputs,
                               [&](unsigned value) { return roundOfValue(value, warp) <= round; }) &&
           std::ranges::all_of(graph.nodes[o].totals,
                               [&](unsigned sum) { return roundOfTotal(sum, warp) <= round; });
  }

  void fill(unsigned round, bool mayGrow) {
    std::vector<unsigned> later;
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      if (graph.isMapped(o) && rounds.of[o] > round)
        later.push_back(o);
    std::ranges::stable_sort(later, {}, [&](unsigned o) { return rounds.lastOf[o]; });
    for (unsigned o : later)
      if (isReady(o, round) && isBetterIn(o, round, mayGrow))
        moveTo(o, round);
  }

  unsigned longest(unsigned round) const { return *std::ranges::max_element(work[round]); }

  /// It is, unless this round would get longer; where it may, unless by more than the later one gets shorter.
  bool isBetterIn(unsigned o, unsigned round, bool mayGrow) {
    const unsigned warp = mapping.warpOf[o], cost = graph.nodes[o].cost, now = rounds.of[o];
    const unsigned here = longest(round), there = longest(now);
    const unsigned longer = work[round][warp] + cost > here ? work[round][warp] + cost - here : 0;
    if (longer == 0 || !mayGrow)
      return longer == 0;
    work[now][warp] -= cost;
    const unsigned shorter = there - longest(now);
    work[now][warp] += cost;
    return longer < shorter;
  }

  void moveTo(unsigned o, unsigned round) {
    const unsigned warp = mapping.warpOf[o], cost = graph.nodes[o].cost;
    work[round][warp] += cost;
    work[rounds.of[o]][warp] -= cost;
    rounds.of[o] = round;
  }
};

} // namespace

Rounds chooseRounds(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                    const Slots &slots) {
  return Chooser(graph, mapping, transfers, slots).choose();
}

bool isAddedLast(const Graph &graph, unsigned sum, const Slot &slot) {
  return slot.stays && graph.totalReaders[sum].empty();
}

SlotIndex::SlotIndex(const Graph &graph, const Transfers &transfers, unsigned warps)
    : warps(warps), values(graph.readers.size()), partials(graph.terms.size() * warps) {
  for (unsigned t = 0; t < transfers.list.size(); ++t) {
    const Transfer &transfer = transfers.list[t];
    if (transfer.isPartial)
      partials[transfer.sum * warps + transfer.from] = t;
    else
      values[transfer.value] = t;
  }
}

} // namespace heddle::partition
