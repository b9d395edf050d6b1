// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round of a warp is
//
//   1. what came at its beginning and is added up: partials of others, and terms of sums; in the last one all
//      terms of results that stay in rows
//   2. values that wait for a row which only this round has free
//   3. operations that others wait for, each followed by what becomes of its values: rows, sums
//   4. values that are in a row for this round only and are needed later
//   5. arrivals at points
//   6. operations that no warp waits for yet
//   7. the wait at the end of the round
//
// Values are read from their rows just before the first operation that wants them. Within 3 and 6 operations
// come in an order that all warps have in common, by shape, so that their code can be laid over each other;
// among those of one shape the next is that which finds most of what it reads in registers.
#include "partition/Schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::partition {

namespace {

class Writer {
public:
  Writer(unsigned warp, const Graph &graph, const Mapping &mapping, const Transfers &transfers,
         const Slots &slots, const Rounds &rounds, const std::vector<RoundPoint> &points, unsigned warps)
      : warp(warp), graph(graph), program(*graph.program), mapping(mapping), transfers(transfers),
        slots(slots), rounds(rounds), points(points), index(graph, transfers, warps),
        isDone(graph.nodes.size()), isHeld(graph.readers.size()), isAdded(graph.readers.size()),
        termsOf(graph.readers.size()), unadded(graph.terms.size()), unread(graph.terms.size()),
        isClosed(graph.terms.size()) {
    collectTerms();
    collectArrivals();
    for (const Transfer &transfer : transfers.list)
      if (transfer.isPartial && reads(transfer))
        ++unread[transfer.sum];
  }

  std::vector<Step> write() {
    for (round = 0; round < slots.rounds; ++round)
      writeRound();
    steps.push_back({.kind = StepKind::Wait, .point = unsigned(points.size())});
    return std::move(steps);
  }

private:
  const unsigned warp;
  const Graph &graph;
  const flow::Program &program;
  const Mapping &mapping;
  const Transfers &transfers;
  const Slots &slots;
  const Rounds &rounds;
  const std::vector<RoundPoint> &points;
  const SlotIndex index;

  std::vector<Step> steps;
  unsigned round = 0;
  std::vector<bool> isDone;  ///< of each operation, in this warp
  std::vector<bool> isHeld;  ///< of each value: it is in this warp's registers
  std::vector<bool> isAdded; ///< of each value: its terms have been added
  std::vector<std::vector<std::pair<unsigned, unsigned>>>
      termsOf;                                          ///< sums and terms that this warp adds, of each value
  std::vector<std::pair<unsigned, unsigned>> constants; ///< terms that have no value
  std::map<unsigned, std::vector<unsigned>> last;       ///< terms that are added at the end, of each sum
  std::vector<unsigned> unadded, unread; ///< terms and partials that are still to come, of each sum
  std::vector<bool> isClosed;
  std::vector<unsigned> putLater;              ///< transfers whose row is not free yet
  std::vector<std::vector<unsigned>> arrivals; ///< at the end of each round: points
  std::vector<std::optional<unsigned>> waits;  ///< at the end of each round

  bool reads(const Transfer &transfer) const { return std::ranges::binary_search(transfer.readers, warp); }
  bool closes(unsigned s) const { return std::ranges::binary_search(mapping.closers[s], warp); }

  void collectTerms() {
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      for (unsigned t = 0; t < graph.terms[s].size(); ++t) {
        const std::vector<unsigned> &adders = transfers.addedBy[s][t];
        if (std::ranges::find(adders, warp) == adders.end())
          continue;
        ++unadded[s];
        const flow::Operand &operand = graph.terms[s][t].operand;
        if (!operand.value)
          constants.emplace_back(s, t);
        else if (isForTheEnd(s, *operand.value))
          last[s].push_back(t);
        else
          termsOf[*operand.value].emplace_back(s, t);
      }
  }

  /// What this warp itself makes as late as in the last round is added at once.
  bool isForTheEnd(unsigned s, unsigned value) const {
    const std::optional<unsigned> sent = index.ofValue(value);
    const unsigned o = program.definedBy[value];
    return closes(s) && sent && isAddedLast(graph, s, slots.of[*sent]) &&
           !(isMine(o) && rounds.of[o] + 1 == slots.rounds);
  }

  /// The longest sums first: those of different warps are alike then.
  void addLast() {
    std::vector<unsigned> order;
    for (const auto &[s, terms] : last)
      order.push_back(s);
    std::ranges::stable_sort(order, std::greater(), [&](unsigned s) { return last[s].size(); });
    for (unsigned s : order)
      for (unsigned t : last[s]) {
        hold(*graph.terms[s][t].operand.value);
        add(s, t);
      }
  }

  void collectArrivals() {
    arrivals.resize(slots.rounds);
    waits.resize(slots.rounds);
    for (unsigned p = 0; p < points.size(); ++p)
      for (const Attendance &attendance : points[p].warps)
        if (attendance.warp == warp && attendance.waits)
          waits[attendance.round] = p;
        else if (attendance.warp == warp)
          arrivals[attendance.round].push_back(p);
  }

  void writeRound() {
    if (round == 0)
      addWhatAllHave();
    readPartials();
    addTermsThatCame();
    if (round + 1 == slots.rounds)
      addLast();
    putWhatWaited();
    doOperations(true);
    keepWhatPasses();
    for (unsigned p : arrivals[round])
      steps.push_back({.kind = StepKind::Arrive, .point = p});
    doOperations(false);
    if (waits[round])
      steps.push_back({.kind = StepKind::Wait, .point = *waits[round]});
  }

  void addWhatAllHave() {
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      closeIfWhole(s); // those that nothing is added to
    for (auto [s, t] : constants)
      add(s, t);
    for (unsigned value = 0; value < termsOf.size(); ++value)
      if (!termsOf[value].empty() && !graph.isSent(value))
        makeReplicated(program.definedBy[value]);
  }

  void readPartials() {
    for (unsigned t = 0; t < transfers.list.size(); ++t) {
      const Transfer &transfer = transfers.list[t];
      if (!transfer.isPartial || slots.of[t].readRound != round || !reads(transfer))
        continue;
      steps.push_back({.kind = StepKind::AddPartial, .row = slots.of[t].row, .sum = transfer.sum});
      --unread[transfer.sum];
      closeIfWhole(transfer.sum);
    }
  }

  void addTermsThatCame() {
    for (unsigned t = 0; t < transfers.list.size(); ++t) {
      const Transfer &transfer = transfers.list[t];
      if (!transfer.isPartial && slots.of[t].readRound == round && reads(transfer) &&
          !termsOf[transfer.value].empty())
        hold(transfer.value);
    }
  }

  void putWhatWaited() {
    std::erase_if(putLater, [&](unsigned t) {
      if (slots.of[t].putFrom == round)
        put(t);
      return slots.of[t].putFrom == round;
    });
  }

  void keepWhatPasses() {
    for (unsigned t = 0; t < transfers.list.size(); ++t) {
      const Transfer &transfer = transfers.list[t];
      if (!transfer.isPartial && slots.of[t].lastRead == round && reads(transfer))
        hold(transfer.value);
    }
  }

  void doOperations(bool urgent) {
    for (std::vector<unsigned> &alike : inOrder(urgent))
      while (!alike.empty()) {
        const auto next = std::ranges::min_element(alike, {}, [&](unsigned o) { return missing(o); });
        const unsigned o = *next;
        alike.erase(next);
        doOperation(o);
      }
  }

  /// The operations of a part of the round, in sets of one shape.
  std::vector<std::vector<unsigned>> inOrder(bool urgent) const {
    std::vector<std::tuple<unsigned, unsigned, unsigned>> keyed; // depth, shape, operation
    std::vector<unsigned> depth(graph.nodes.size());
    for (unsigned o = 0; o < graph.nodes.size(); ++o) {
      if (!isMine(o) || rounds.of[o] != round)
        continue;
      for (unsigned before : operationsBefore(o))
        if (isMine(before) && rounds.of[before] == round)
          depth[o] = std::max(depth[o], depth[before] + 1);
      if ((rounds.lastOf[o] == round) == urgent)
        keyed.emplace_back(depth[o], graph.nodes[o].shape, o);
    }
    std::ranges::sort(keyed);
    std::vector<std::vector<unsigned>> sets;
    for (size_t i = 0; i < keyed.size(); ++i) {
      const auto [d, shape, o] = keyed[i];
      if (i == 0 || std::pair(d, shape) != std::pair(std::get<0>(keyed[i - 1]), std::get<1>(keyed[i - 1])))
        sets.emplace_back();
      sets.back().push_back(o);
    }
    return sets;
  }

  bool isMine(unsigned o) const { return graph.isMapped(o) && mapping.warpOf[o] == warp; }

  std::vector<unsigned> operationsBefore(unsigned o) const {
    std::vector<unsigned> list;
    for (unsigned value : graph.nodes[o].inputs)
      list.push_back(program.definedBy[value]);
    for (unsigned sum : graph.nodes[o].totals)
      for (const Term &term : graph.terms[sum])
        if (term.operand.value)
          list.push_back(program.definedBy[*term.operand.value]);
    return list;
  }

  size_t missing(unsigned o) const {
    return size_t(std::ranges::count_if(
        graph.nodes[o].inputs, [&](unsigned value) { return !isHeld[value] && graph.isSent(value); }));
  }

  void doOperation(unsigned o) {
    for (unsigned value : graph.nodes[o].inputs)
      hold(value);
    doCode(o);
  }

  void makeReplicated(unsigned o) {
    if (!isDone[o])
      doOperation(o);
  }

  void doCode(unsigned o) {
    steps.push_back({.kind = StepKind::Do, .operation = o});
    isDone[o] = true;
    for (const flow::Instruction &instruction : program.operations[o].code) {
      const unsigned value = instruction.result;
      isHeld[value] = true;
      if (const std::optional<unsigned> t = index.ofValue(value); t && isMine(o)) {
        if (slots.of[*t].putFrom <= round)
          put(*t);
        else
          putLater.push_back(*t);
      }
    }
    for (const flow::Instruction &instruction : program.operations[o].code)
      addTerms(instruction.result);
  }

  /// Sees to it that a value is in this warp's registers.
  void hold(unsigned value) {
    if (isHeld[value])
      return;
    if (!graph.isSent(value)) {
      makeReplicated(program.definedBy[value]);
      return;
    }
    steps.push_back({.kind = StepKind::Get, .value = value, .row = slots.of[*index.ofValue(value)].row});
    isHeld[value] = true;
    addTerms(value);
  }

  void addTerms(unsigned value) {
    if (isAdded[value])
      return;
    isAdded[value] = true;
    for (auto [s, t] : termsOf[value])
      add(s, t);
  }

  void add(unsigned s, unsigned t) {
    const Term &term = graph.terms[s][t];
    steps.push_back(
        {.kind = StepKind::Accumulate, .sum = s, .coefficient = term.coefficient, .term = term.operand});
    if (--unadded[s] > 0)
      return;
    if (const std::optional<unsigned> partial = index.ofPartial(s, warp)) {
      if (slots.of[*partial].putFrom <= round)
        put(*partial);
      else
        putLater.push_back(*partial);
    }
    closeIfWhole(s);
  }

  void put(unsigned t) {
    const Transfer &transfer = transfers.list[t];
    if (transfer.isPartial)
      steps.push_back({.kind = StepKind::PutPartial, .row = slots.of[t].row, .sum = transfer.sum});
    else
      steps.push_back({.kind = StepKind::Put, .value = transfer.value, .row = slots.of[t].row});
  }

  void closeIfWhole(unsigned s) {
    if (!closes(s) || isClosed[s] || unadded[s] > 0 || unread[s] > 0)
      return;
    isClosed[s] = true;
    steps.push_back({.kind = StepKind::Close, .sum = s});
  }
};

SyncPoint pointOf(const RoundPoint &point) {
  SyncPoint result;
  for (const Attendance &attendance : point.warps)
    (attendance.waits ? result.waiting : result.arriving).push_back(attendance.warp);
  return result;
}

} // namespace

Partitioned schedule(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                     const Slots &slots, const Rounds &rounds, const std::vector<RoundPoint> &points,
                     const PartitionOptions &options) {
  Partitioned partitioned;
  partitioned.rows = slots.rows;
  for (const RoundPoint &point : points)
    partitioned.points.push_back(pointOf(point));
  SyncPoint end;
  for (unsigned warp = 0; warp < options.warps; ++warp) {
    end.waiting.push_back(warp);
    partitioned.warps.push_back(
        Writer(warp, graph, mapping, transfers, slots, rounds, points, options.warps).write());
  }
  partitioned.points.push_back(end);
  return partitioned;
}

} // namespace heddle::partition
