// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy, as in Singe (section 4.1): units of operations go to the warp where they cost least, the most
// expensive first; those that others wait for come before those at the end of the graph. The cost of a warp
// is
//
//   flops      the work that it has at the operation's level; for an operation that no other waits for, the
//              work that it has from that level on, since such an operation fills gaps
//   registers  values that live on in the warp, and sums that it has partials of
//   locality   values and partial sums that would have to be sent, times the price of an access
//   shapes     the operation's cost for each of its shape that the warp has more than the warp with the
//              fewest: equal counts make equal code
//
// all in instructions. The greedy choice knows only what has been mapped before. So pairs of units of the
// same kind change places afterwards while that saves accesses: neither work nor shapes change.
#include "partition/Mapping.h"

#include "partition/Units.h"

#include <algorithm>
#include <map>

namespace heddle::partition {

namespace {

constexpr unsigned sweeps = 8; ///< of swaps, at most; most graphs are at rest after three or four

/// How many operations of each warp use something: values and totals that are read, sums that are added to.
class Uses {
public:
  Uses(size_t things, unsigned warps) : warps(warps), counts(things * warps), spread(things) {}

  unsigned at(unsigned thing, unsigned warp) const { return counts[thing * warps + warp]; }
  /// The number of other warps that use it.
  unsigned elsewhere(unsigned thing, unsigned warp) const { return spread[thing] - (at(thing, warp) > 0); }
  void add(unsigned thing, unsigned warp, int by) {
    unsigned &count = counts[thing * warps + warp];
    spread[thing] -= count > 0;
    count += unsigned(by);
    spread[thing] += count > 0;
  }

private:
  unsigned warps;
  std::vector<unsigned> counts, spread;
};

class Mapper {
public:
  Mapper(const Graph &graph, const PartitionOptions &options)
      : graph(graph), options(options), warps(options.warps), units(makeUnits(graph, options)),
        reads(graph.readers.size(), warps), totals(graph.terms.size(), warps),
        adds(graph.terms.size(), warps), load(units.levels, std::vector<double>(warps)), registers(warps),
        shapeCount(graph.shapes, std::vector<unsigned>(warps)) {
    mapping.warpOf.assign(graph.nodes.size(), everyWarp);
    collectSums();
    reserveWarps();
  }

  Mapping map() {
    for (const Unit *unit : inOrder())
      place(*unit, bestWarp(*unit));
    for (unsigned i = 0; i < sweeps && options.weights.locality > 0 && swapPairs();)
      ++i;
    chooseClosers();
    return std::move(mapping);
  }

private:
  const Graph &graph;
  const PartitionOptions &options;
  const unsigned warps;
  const Units units;
  Mapping mapping;
  Uses reads, totals, adds;
  std::vector<std::vector<double>> load; ///< of each level and warp
  std::vector<double> registers;
  std::vector<std::vector<unsigned>> shapeCount;
  std::vector<std::vector<unsigned>> sumsOf;          ///< that an operation's values are terms of, each once
  std::vector<std::pair<unsigned, unsigned>> allowed; ///< first and last + 1 warp, of each group

  void collectSums() {
    sumsOf.resize(graph.nodes.size());
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      for (const Term &term : graph.terms[s])
        if (const std::optional<unsigned> home = graph.homeOf(term))
          if (sumsOf[*home].empty() || sumsOf[*home].back() != s)
            sumsOf[*home].push_back(s);
  }

  /// The last warps are for groups; the first group that has more than there are shares what is left.
  void reserveWarps() {
    allowed.assign(1, {0, warps});
    unsigned end = warps;
    for (unsigned count : options.groupWarps) {
      const unsigned first = end > count ? end - count : 0;
      allowed.emplace_back(count == 0 ? 0 : first, count == 0 ? warps : end);
      end = std::max(first, 1u);
    }
  }

  std::pair<unsigned, unsigned> warpsFor(const Unit &unit) const {
    return unit.group < allowed.size() ? allowed[unit.group] : allowed[0];
  }

  std::vector<const Unit *> inOrder() const {
    std::vector<const Unit *> order;
    for (const Unit &unit : units.list)
      order.push_back(&unit);
    std::ranges::stable_sort(order, [](const Unit *a, const Unit *b) {
      return std::pair(b->isRead, b->cost) < std::pair(a->isRead, a->cost);
    });
    return order;
  }

  double workFrom(unsigned level, unsigned warp) const {
    double sum = 0;
    for (; level < units.levels; ++level)
      sum += load[level][warp];
    return sum;
  }

  /// On the average over its operations, by what they cost.
  double workAt(const Unit &unit, unsigned warp) const {
    double sum = 0, cost = 0;
    for (unsigned o : unit.operations) {
      const unsigned level = units.levelOf[o];
      sum += graph.nodes[o].cost * (unit.isRead ? load[level][warp] : workFrom(level, warp));
      cost += graph.nodes[o].cost;
    }
    return cost > 0 ? sum / cost : 0;
  }

  unsigned valuesRead(unsigned o) const {
    unsigned count = 0;
    for (const flow::Instruction &instruction : graph.program->operations[o].code)
      count += !graph.readers[instruction.result].empty();
    return count;
  }

  /// Accesses that come with the operation: what it is the first to want here, what others want of it, and
  /// sums that this warp has no part of yet.
  double accesses(unsigned o, unsigned warp) const {
    unsigned count = 0;
    for (unsigned value : graph.nodes[o].inputs)
      if (graph.isSent(value) && reads.at(value, warp) == 0)
        count += mapping.warpOf[graph.program->definedBy[value]] != warp;
    for (unsigned sum : graph.nodes[o].totals)
      if (totals.at(sum, warp) == 0)
        count += adds.elsewhere(sum, warp);
    for (const flow::Instruction &instruction : graph.program->operations[o].code)
      if (const unsigned readers = reads.elsewhere(instruction.result, warp))
        count += 1 + readers;
    for (unsigned sum : sumsOf[o])
      if (adds.at(sum, warp) == 0)
        count += accessesOfPartial(sum, warp);
    return count;
  }

  /// Written once and read by all that want the sum; a result is wanted by one of those that add to it.
  unsigned accessesOfPartial(unsigned sum, unsigned warp) const {
    if (graph.totalReaders[sum].empty())
      return adds.elsewhere(sum, warp) > 0 ? 2 : 0;
    const unsigned closers = totals.elsewhere(sum, warp);
    return closers > 0 ? 1 + closers : 0;
  }

  double costAt(const Unit &unit, unsigned warp) const {
    const Weights &weights = options.weights;
    double cost = weights.flops * workAt(unit, warp) + weights.registers * registers[warp];
    for (unsigned o : unit.operations) {
      const Node &node = graph.nodes[o];
      const std::vector<unsigned> &counts = shapeCount[node.shape];
      cost += weights.registers * double(newSums(o, warp)) +
              weights.locality * options.prices.access * accesses(o, warp) +
              weights.shapes * node.cost * (counts[warp] - *std::ranges::min_element(counts));
    }
    return cost;
  }

  long newSums(unsigned o, unsigned warp) const {
    return std::ranges::count_if(sumsOf[o], [&](unsigned sum) { return adds.at(sum, warp) == 0; });
  }

  unsigned bestWarp(const Unit &unit) const {
    const auto [first, last] = warpsFor(unit);
    unsigned best = first;
    double least = costAt(unit, first);
    for (unsigned warp = first + 1; warp < last; ++warp)
      if (const double cost = costAt(unit, warp); cost < least)
        best = warp, least = cost;
    return best;
  }

  void count(const Unit &unit, unsigned warp, int by) {
    for (unsigned o : unit.operations) {
      for (unsigned value : graph.nodes[o].inputs)
        reads.add(value, warp, by);
      for (unsigned sum : graph.nodes[o].totals)
        totals.add(sum, warp, by);
      for (unsigned sum : sumsOf[o])
        adds.add(sum, warp, by);
    }
  }

  void place(const Unit &unit, unsigned warp) {
    for (unsigned o : unit.operations) {
      const Node &node = graph.nodes[o];
      mapping.warpOf[o] = warp;
      load[units.levelOf[o]][warp] += node.cost;
      ++shapeCount[node.shape][warp];
      registers[warp] += valuesRead(o) + double(newSums(o, warp));
    }
    count(unit, warp, 1);
  }

  /// Moves a unit, and returns the accesses that it costs there.
  double move(const Unit &unit, unsigned warp) {
    count(unit, mapping.warpOf[unit.operations.front()], -1);
    for (unsigned o : unit.operations)
      mapping.warpOf[o] = warp;
    double cost = 0;
    for (unsigned o : unit.operations)
      cost += accesses(o, warp);
    count(unit, warp, 1);
    return cost;
  }

  /// Returns whether any pair changed places.
  bool swapPairs() {
    std::map<unsigned, std::vector<const Unit *>> alike;
    for (const Unit &unit : units.list)
      alike[unit.kind].push_back(&unit);
    bool changed = false;
    for (const auto &[kind, set] : alike)
      for (size_t i = 0; i < set.size(); ++i)
        for (size_t j = i + 1; j < set.size(); ++j)
          changed |= trySwap(*set[i], *set[j]);
    return changed;
  }

  /// Units of a kind are of one group, so each may go where the other is.
  bool trySwap(const Unit &a, const Unit &b) {
    const unsigned atA = mapping.warpOf[a.operations.front()], atB = mapping.warpOf[b.operations.front()];
    if (atA == atB)
      return false;
    const double before = move(a, atA); // what it costs where it is
    double saved = before - move(a, atB);
    const double other = move(b, atB);
    saved += other - move(b, atA);
    if (saved > 0)
      return true;
    move(a, atA);
    move(b, atB);
    return false;
  }

  /// Totals are read where the sum is closed. Results that are not read are distributed, the longest first.
  void chooseClosers() {
    std::vector<double> work(warps);
    std::vector<unsigned> free;
    mapping.closers.resize(graph.terms.size());
    for (unsigned s = 0; s < graph.terms.size(); ++s) {
      std::vector<unsigned> &closers = mapping.closers[s];
      for (unsigned reader : graph.totalReaders[s])
        closers.push_back(mapping.warpOf[reader]);
      std::ranges::sort(closers);
      closers.erase(std::unique(closers.begin(), closers.end()), closers.end());
      if (closers.empty() && graph.isWantedSum[s])
        free.push_back(s);
    }
    std::ranges::stable_sort(free, std::greater(), [&](unsigned s) { return graph.terms[s].size(); });
    for (unsigned s : free)
      mapping.closers[s] = {closerOf(s, work)};
  }

  /// What a warp has to read for a sum that it closes: values or partials of others.
  double readsOf(unsigned s, unsigned warp) const {
    if (options.sums == SumExchange::Values)
      return double(graph.terms[s].size() - adds.at(s, warp));
    return adds.elsewhere(s, warp);
  }

  /// The warp that then has the least to read, of those that add to the sum themselves.
  unsigned closerOf(unsigned s, std::vector<double> &work) const {
    const bool isAdded = adds.elsewhere(s, 0) > 0 || adds.at(s, 0) > 0;
    std::optional<unsigned> best;
    for (unsigned warp = 0; warp < warps; ++warp)
      if (!isAdded || adds.at(s, warp) > 0)
        if (!best || work[warp] + readsOf(s, warp) < work[*best] + readsOf(s, *best))
          best = warp;
    work[*best] += 1 + readsOf(s, *best);
    return *best;
  }
};

} // namespace

Mapping mapToWarps(const Graph &graph, const PartitionOptions &options) {
  return Mapper(graph, options).map();
}

} // namespace heddle::partition
