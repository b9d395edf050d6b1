// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every edge between two warps is a demand: `warp` must know, before it begins round `before`, that `of` has
// finished round `done`. Edges are data (the reader must know of the writer) or reuse of a row (its next
// writer must know of all readers).
//
// Boundary by boundary, in order: demands that earlier points have met, or that others of the same boundary
// meet through third warps, need nothing more. Of each that is not met and cannot wait longer, `of` arrives
// here and `warp` waits. All demands of a boundary that have a warp in common become one point: this is the
// grouping of points with common warps, and a round's whole exchange costs a warp one wait. What is left are
// points between sets of warps that have nothing to do with each other, so none of them waits for more than
// it has to.
//
// Points are numbered by boundary and each warp attends at most one a boundary, so every warp meets them in
// the same order. An arrival without a wait may be made earlier than its number says (the first of Singe's
// two reordering rules); it is made at the end of the last round that was demanded.
#include "partition/SyncPoints.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace heddle::partition {

namespace {

struct Demand {
  unsigned before = 0; ///< round
  unsigned warp = 0, of = 0;
  unsigned done = 0; ///< round
};

/// What a warp knows of the others: the rounds that they have finished, plus one.
using Knowledge = std::vector<unsigned>;

void learn(Knowledge &knowledge, const Knowledge &more) {
  for (size_t i = 0; i < knowledge.size(); ++i)
    knowledge[i] = std::max(knowledge[i], more[i]);
}

class PointFinder {
public:
  PointFinder(const Graph &graph, const Mapping &mapping, const Transfers &transfers, const Slots &slots,
              const Rounds &rounds, unsigned warps)
      : graph(graph), mapping(mapping), transfers(transfers), slots(slots), rounds(rounds), warps(warps),
        index(graph, transfers, warps), known(warps, std::vector<Knowledge>(slots.rounds, Knowledge(warps))) {
  }

  std::vector<RoundPoint> find() {
    collectTerms();
    collectDemands();
    for (unsigned round = 0; round + 1 < slots.rounds; ++round) {
      startRound(round);
      addPoints(round);
    }
    return std::move(points);
  }

private:
  const Graph &graph;
  const Mapping &mapping;
  const Transfers &transfers;
  const Slots &slots;
  const Rounds &rounds;
  const unsigned warps;
  const SlotIndex index;
  std::vector<std::vector<Knowledge>> known;       ///< of each warp, during each round
  std::multimap<unsigned, Demand> demands;         ///< by the boundary at which they must be met
  std::set<std::pair<unsigned, unsigned>> termsIn; ///< values, and warps that add them to sums as they come
  std::vector<RoundPoint> points;

  void demand(Demand demand) {
    if (demand.warp != demand.of)
      demands.emplace(demand.before - 1, demand);
  }

  void collectDemands() {
    for (unsigned t = 0; t < transfers.list.size(); ++t) {
      const Transfer &transfer = transfers.list[t];
      const Slot &slot = slots.of[t];
      for (unsigned reader : transfer.readers)
        demand({firstUse(transfer, slot, reader), reader, transfer.from, slot.round});
      if (slot.after)
        for (unsigned reader : transfers.list[*slot.after].readers)
          demand({slot.round, transfer.from, reader, slots.of[*slot.after].lastRead});
    }
  }

  /// The first round in which a warp reads a row. What is passed on, and what is added to sums, is read at
  /// once.
  unsigned firstUse(const Transfer &transfer, const Slot &slot, unsigned warp) const {
    if (!slot.stays || transfer.isPartial || isTermIn(transfer.value, warp))
      return slot.readRound;
    unsigned first = slots.rounds - 1;
    for (unsigned reader : graph.readers[transfer.value])
      if (mapping.warpOf[reader] == warp)
        first = std::min(first, rounds.of[reader]);
    return first;
  }

  void collectTerms() {
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      for (unsigned t = 0; t < graph.terms[s].size(); ++t)
        if (const auto &value = graph.terms[s][t].operand.value)
          if (const std::optional<unsigned> sent = index.ofValue(*value);
              sent && !isAddedLast(graph, s, slots.of[*sent]))
            for (unsigned warp : transfers.addedBy[s][t])
              termsIn.emplace(*value, warp);
  }

  bool isTermIn(unsigned value, unsigned warp) const { return termsIn.contains({value, warp}); }

  void startRound(unsigned round) {
    for (unsigned warp = 0; warp < warps; ++warp) {
      if (round > 0)
        learn(known[warp][round], known[warp][round - 1]);
      known[warp][round][warp] = round; // what is before this round
    }
  }

  void addPoints(unsigned round) {
    std::map<std::pair<unsigned, unsigned>, Demand> unmet; // one of each warp on each other: the latest
    const auto [first, last] = demands.equal_range(round);
    for (auto each = first; each != last; ++each) {
      const Demand &demand = each->second;
      if (known[demand.warp][round][demand.of] > demand.done)
        continue;
      Demand &kept = unmet.try_emplace({demand.warp, demand.of}, demand).first->second;
      kept.done = std::max(kept.done, demand.done);
    }
    std::vector<Demand> list;
    for (const auto &[pair, demand] : unmet)
      list.push_back(demand);
    dropImplied(list);
    for (const std::vector<Demand> &together : connected(list))
      addPoint(round, together);
  }

  /// A warp learns from each that it waits for what that one knew when it arrived. One by one, and against
  /// what is left: of two that imply each other one stays.
  void dropImplied(std::vector<Demand> &list) const {
    for (size_t i = 0; i < list.size();) {
      const Demand &demand = list[i];
      const bool isImplied = std::ranges::any_of(list, [&](const Demand &other) {
        return other.warp == demand.warp && other.of != demand.of &&
               known[other.of][other.done][demand.of] > demand.done;
      });
      if (isImplied)
        list.erase(list.begin() + long(i));
      else
        ++i;
    }
  }

  /// Demands in sets that have no warp in common.
  std::vector<std::vector<Demand>> connected(const std::vector<Demand> &list) const {
    std::vector<unsigned> set(warps);
    std::iota(set.begin(), set.end(), 0u);
    const auto find = [&](unsigned warp) {
      while (set[warp] != warp)
        warp = set[warp];
      return warp;
    };
    for (const Demand &each : list)
      set[std::max(find(each.warp), find(each.of))] = std::min(find(each.warp), find(each.of));
    std::map<unsigned, std::vector<Demand>> sets;
    for (const Demand &each : list)
      sets[find(each.warp)].push_back(each);
    std::vector<std::vector<Demand>> result;
    for (auto &[root, members] : sets)
      result.push_back(std::move(members));
    return result;
  }

  void addPoint(unsigned round, const std::vector<Demand> &together) {
    std::map<unsigned, Attendance> attendances;
    for (const Demand &each : together) {
      Attendance &arriving = attendances.try_emplace(each.of, Attendance{each.of, 0, false}).first->second;
      arriving.round = std::max(arriving.round, each.done);
      attendances.try_emplace(each.warp, Attendance{each.warp, 0, false}).first->second.waits = true;
    }
    RoundPoint point{round, {}};
    Knowledge all(warps);
    for (auto &[warp, attendance] : attendances) {
      if (attendance.waits)
        attendance.round = round;
      Knowledge own = known[warp][attendance.round];
      own[warp] = attendance.round + 1;
      learn(all, own);
      point.warps.push_back(attendance);
    }
    for (const Attendance &attendance : point.warps)
      if (attendance.waits)
        learn(known[attendance.warp][round + 1], all);
    points.push_back(std::move(point));
  }
};

} // namespace

std::vector<RoundPoint> findPoints(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                                   const Slots &slots, const Rounds &rounds, unsigned warps) {
  return PointFinder(graph, mapping, transfers, slots, rounds, warps).find();
}

} // namespace heddle::partition
