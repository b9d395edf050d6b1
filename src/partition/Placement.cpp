// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Store: each transfer has a row. Buffer: each takes a row that is free, and is read in the next round.
//
// Mixed is the best of what fits, tried in this order:
//   1. each has a row;
//   2. each has a row as long as anybody wants it, then others do: this takes no more rounds than the first;
//   3. those that more than one warp reads, the most read first, have a row each, and the rest pass through
//   what
//      is left; how many rows are given away is tried out, for the fewest rounds.
//
// A row that is written before the end of round r and last read in round l is free again for round l + 1: its
// readers arrive at a boundary before that, and its next writer waits for them. Where no row is free the
// round ends and another begins; the next transfers go with that one.
//
// Within a boundary warps alternate, each in the order in which it does its operations, so that a pass takes
// about the same number of rows from each and can begin when the first operations are done.
#include "partition/Placement.h"

#include "partition/Rounds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace heddle::partition {

namespace {

constexpr unsigned forEver = ~0u;
constexpr unsigned shares = 8; ///< the parts in which rows are given away on trial

class Placer {
public:
  Placer(const Graph &graph, const Transfers &transfers, unsigned rowCount)
      : graph(graph), transfers(transfers), rows(rowCount) {
    slots.of.resize(transfers.list.size());
  }

  /// These have rows to themselves, beside the others.
  void giveRows(std::span<const unsigned> stay) {
    for (unsigned t : stay) {
      slots.of[t].stays = true;
      slots.of[t].row = slots.rows++;
    }
  }

  Slots place() {
    const std::vector<unsigned> order = inOrder();
    unsigned round = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const unsigned boundary = transfers.list[order[i]].boundary;
      round = placeInRound(order[i], round);
      if (i + 1 == order.size() || transfers.list[order[i + 1]].boundary != boundary)
        ++round;
    }
    slots.rounds = round + 1;
    for (Slot &each : slots.of)
      each.row += each.stays ? 0 : slots.rows;
    slots.rows += used;
    return std::move(slots);
  }

private:
  struct Row {
    std::optional<unsigned> last; ///< the transfer that has it
    unsigned freeFrom = 0;        ///< round
  };

  const Graph &graph;
  const Transfers &transfers;
  Slots slots;
  std::vector<Row> rows; ///< that are passed through
  unsigned used = 0;     ///< of them

  std::vector<unsigned> inOrder() const {
    using Key = std::tuple<unsigned, unsigned, unsigned>; // boundary, round, warp
    std::vector<std::pair<Key, unsigned>> keyed;
    std::map<std::pair<unsigned, unsigned>, unsigned> turns; // taken, of boundary and warp
    for (unsigned t : byWork()) {
      const Transfer &transfer = transfers.list[t];
      const unsigned turn = turns[{transfer.boundary, transfer.from}]++;
      keyed.push_back({{transfer.boundary, turn, transfer.from}, t});
    }
    std::ranges::sort(keyed);
    std::vector<unsigned> order;
    for (const auto &[key, t] : keyed)
      order.push_back(t);
    return order;
  }

  /// In the order in which warps do their operations: see Schedule.cpp.
  std::vector<unsigned> byWork() const {
    std::vector<unsigned> order(transfers.list.size());
    for (unsigned t = 0; t < order.size(); ++t)
      order[t] = t;
    const auto key = [&](unsigned t) {
      const Transfer &transfer = transfers.list[t];
      const unsigned o = transfer.isPartial ? 0 : graph.program->definedBy[transfer.value];
      const unsigned shape = transfer.isPartial ? 0 : graph.nodes[o].shape;
      return std::tuple(transfer.isPartial, transfers.phaseOf[o], shape, o);
    };
    std::ranges::stable_sort(order, [&](unsigned a, unsigned b) { return key(a) < key(b); });
    return order;
  }

  /// Returns the round in which it found a row.
  unsigned placeInRound(unsigned t, unsigned round) {
    Slot &slot = slots.of[t];
    slot.lastRead = forEver;
    if (!slot.stays) {
      size_t row = freeRow(round);
      while (row == rows.size())
        row = freeRow(++round);
      slot.after = rows[row].last;
      slot.row = unsigned(row); // they follow the rows that stay: see place()
      slot.putFrom = round;
      slot.lastRead = round + 1;
      rows[row] = {t, round + 2};
      used = std::max(used, unsigned(row) + 1);
    }
    slot.round = round;
    slot.readRound = round + 1;
    return round;
  }

  size_t freeRow(unsigned round) const {
    return size_t(std::ranges::find_if(rows, [&](const Row &row) { return row.freeFrom <= round; }) -
                  rows.begin());
  }
};

Slots placeEach(const Graph &graph, const Transfers &transfers) {
  std::vector<unsigned> all(transfers.list.size());
  std::iota(all.begin(), all.end(), 0u);
  Placer placer(graph, transfers, 0);
  placer.giveRows(all);
  return placer.place();
}

/// The last round in which anybody reads a row that holds its value as long as it is wanted.
unsigned lastReadOf(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                    const Slots &slots, const Rounds &rounds, const std::vector<bool> &isLate, unsigned t) {
  const Transfer &transfer = transfers.list[t];
  unsigned last = slots.of[t].readRound;
  if (transfer.isPartial)
    return last;
  for (unsigned reader : graph.readers[transfer.value])
    if (mapping.warpOf[reader] != transfer.from)
      last = std::max(last, rounds.of[reader]);
  return isLate[transfer.value] ? slots.rounds - 1 : last;
}

/// Rows change hands when their value is not needed any more: interval colouring, in the rounds of placeEach.
Slots placeAsLongAsWanted(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                          Slots slots) {
  const Rounds rounds = chooseRounds(graph, mapping, transfers, slots);
  std::vector<bool> isLate(graph.readers.size()); // a term that is added in the last round
  for (unsigned s = 0; s < graph.terms.size(); ++s)
    if (graph.totalReaders[s].empty())
      for (const Term &term : graph.terms[s])
        if (term.operand.value)
          isLate[*term.operand.value] = true;
  std::vector<unsigned> order(slots.of.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](unsigned t) { return slots.of[t].round; });
  std::vector<unsigned> holder; // of each row
  for (unsigned t : order) {
    Slot &slot = slots.of[t];
    slot.lastRead = lastReadOf(graph, mapping, transfers, slots, rounds, isLate, t);
    const auto free =
        std::ranges::find_if(holder, [&](unsigned h) { return slots.of[h].lastRead < slot.round; });
    slot.row = unsigned(free - holder.begin());
    if (free == holder.end()) {
      holder.push_back(t);
      continue;
    }
    slot.after = *free;
    slot.putFrom = slot.round;
    *free = t;
  }
  slots.rows = unsigned(holder.size());
  return slots;
}

Slots passThrough(const Graph &graph, const Transfers &transfers, unsigned rowCount) {
  return Placer(graph, transfers, rowCount).place();
}

Slots placeMixed(const Graph &graph, const Transfers &transfers, unsigned limit, unsigned bufferRows) {
  std::vector<unsigned> shared;
  for (unsigned t = 0; t < transfers.list.size(); ++t)
    if (!transfers.list[t].isPartial && transfers.list[t].readers.size() > 1)
      shared.push_back(t);
  std::ranges::stable_sort(shared, std::greater(), [&](unsigned t) { return transfers.list[t].uses; });
  const size_t most = std::min<size_t>(shared.size(), limit - (bufferRows ? std::min(bufferRows, limit) : 1));
  std::optional<Slots> best;
  for (unsigned share = shares + 1; share-- > 0;) {
    const auto stay = std::span(shared).first(most * share / shares);
    const unsigned left = limit - unsigned(stay.size());
    Placer placer(graph, transfers, bufferRows ? std::min(bufferRows, left) : left);
    placer.giveRows(stay);
    Slots slots = placer.place();
    if (!best || slots.rounds < best->rounds)
      best = std::move(slots);
  }
  return *best;
}

} // namespace

std::optional<Slots> placeTransfers(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                                    const PartitionOptions &options, Diagnostics &diagnostics) {
  const unsigned limit = options.rowBudget(), count = unsigned(transfers.list.size());
  if (count > 0 && limit == 0) {
    diagnostics
        .refuse({},
                fmt::format("{} blocks per multiprocessor leave no row of shared memory for {} values and "
                            "partial sums that go from warp to warp",
                            options.ctas, count))
        .withHint("ask for fewer blocks, or for one warp");
    return std::nullopt;
  }
  if (options.placement == Placement::Buffer)
    return passThrough(graph, transfers, options.bufferRows ? std::min(options.bufferRows, limit) : limit);
  Slots each = placeEach(graph, transfers);
  if (count <= limit && (options.placement == Placement::Store || options.bufferRows == 0))
    return each;
  if (options.placement == Placement::Store)
    diagnostics.warning({},
                        fmt::format("{} values and partial sums do not fit {} rows of shared memory: rows "
                                    "are used again",
                                    count, limit));
  if (Slots again = placeAsLongAsWanted(graph, mapping, transfers, std::move(each)); again.rows <= limit)
    return again;
  return placeMixed(graph, transfers, limit, options.bufferRows);
}

} // namespace heddle::partition
