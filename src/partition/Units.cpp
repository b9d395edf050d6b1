// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation whose values go to one other operation and nowhere else has no reason to be in another warp,
// unless there is much of that kind: so the two are one unit, up to a share of a warp's work. The same holds
// for one that reads a sum of which a value is the only term: that is how programs hand values from stage to
// stage.
//
// A level is the latest at which an operation can be done without making others late: that is when it will be
// done where nothing else speaks for it (Rounds.cpp), so that is where work must be even. One that no other waits for
// has the earliest instead, and may be done at any later time.
#include "partition/Units.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace heddle::partition {

namespace {

constexpr unsigned none = ~0u;

class Maker {
public:
  Maker(const Graph &graph, const PartitionOptions &options)
      : graph(graph), options(options), consumers(graph.nodes.size()), joined(graph.nodes.size()),
        cost(graph.nodes.size()) {
    std::iota(joined.begin(), joined.end(), 0u);
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      cost[o] = graph.nodes[o].cost;
  }

  Units make() {
    collectConsumers();
    joinPairs();
    joinReadersOfResults();
    collectUnits();
    findLevels();
    numberKinds();
    return std::move(units);
  }

private:
  struct Consumers {
    std::set<unsigned> byValue;    ///< operations that read a value itself
    std::set<unsigned> byLoneTerm; ///< that read the total of a sum of which it is the only term
    std::set<unsigned> bySums;     ///< that read the total of a sum which others add to as well
  };

  const Graph &graph;
  const PartitionOptions &options;
  std::vector<Consumers> consumers; ///< of each operation
  std::vector<unsigned> joined;     ///< union-find
  std::vector<unsigned> cost;       ///< of the unit, where the operation is its root
  Units units;

  unsigned groupOf(unsigned o) const { return o < options.groups.size() ? options.groups[o] : 0; }

  unsigned find(unsigned o) {
    while (joined[o] != o)
      o = joined[o] = joined[joined[o]];
    return o;
  }

  void join(unsigned a, unsigned b) {
    a = find(a), b = find(b);
    if (a == b)
      return;
    joined[std::max(a, b)] = std::min(a, b);
    cost[std::min(a, b)] += cost[std::max(a, b)];
  }

  void collectConsumers() {
    for (unsigned value = 0; value < graph.readers.size(); ++value)
      for (unsigned reader : graph.readers[value])
        consumers[graph.program->definedBy[value]].byValue.insert(reader);
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      for (const Term &term : graph.terms[s])
        if (const std::optional<unsigned> home = graph.homeOf(term)) {
          Consumers &of = consumers[*home];
          (graph.terms[s].size() == 1 ? of.byLoneTerm : of.bySums)
              .insert(graph.totalReaders[s].begin(), graph.totalReaders[s].end());
        }
  }

  void joinPairs() {
    double work = 0;
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      work += graph.isMapped(o) ? graph.nodes[o].cost : 0;
    const double limit = work / options.warps * model::threshold::partition::mostUnitShare;
    for (unsigned o = 0; o < graph.nodes.size(); ++o) {
      const Consumers &of = consumers[o];
      if (!graph.isMapped(o) || of.byValue.size() > 1 || of.byLoneTerm.size() > 1 || !of.bySums.empty())
        continue;
      for (const std::set<unsigned> *set : {&of.byValue, &of.byLoneTerm})
        for (unsigned reader : *set)
          if (groupOf(o) == groupOf(reader) && cost[find(o)] + cost[find(reader)] <= limit)
            join(o, reader);
    }
  }

  /// A result is stored once, so one warp closes it and does all that reads its total.
  void joinReadersOfResults() {
    for (unsigned s = 0; s < graph.totalReaders.size(); ++s)
      if (graph.program->sums[s].isResult)
        for (unsigned reader : graph.totalReaders[s])
          join(reader, graph.totalReaders[s].front());
  }

  void collectUnits() {
    units.of.assign(graph.nodes.size(), 0);
    std::map<unsigned, unsigned> numbers; // of roots
    for (unsigned o = 0; o < graph.nodes.size(); ++o) {
      if (!graph.isMapped(o))
        continue;
      const auto [place, isNew] = numbers.try_emplace(find(o), unsigned(units.list.size()));
      if (isNew)
        units.list.emplace_back();
      Unit &unit = units.list[place->second];
      unit.operations.push_back(o);
      unit.cost += graph.nodes[o].cost;
      unit.group = std::max(unit.group, groupOf(o));
      units.of[o] = place->second;
    }
  }

  bool isApart(unsigned a, unsigned b) const { return units.of[a] != units.of[b]; }

  template <class Visit> void eachConsumer(unsigned o, Visit visit) const {
    for (const std::set<unsigned> *set :
         {&consumers[o].byValue, &consumers[o].byLoneTerm, &consumers[o].bySums})
      for (unsigned consumer : *set)
        visit(consumer);
  }

  void findLevels() {
    std::vector<unsigned> earliest(graph.nodes.size());
    for (unsigned o = 0; o < graph.nodes.size(); ++o) {
      if (!graph.isMapped(o))
        continue;
      units.levels = std::max(units.levels, earliest[o] + 1);
      eachConsumer(o, [&](unsigned consumer) {
        earliest[consumer] = std::max(earliest[consumer], earliest[o] + isApart(o, consumer));
        units.list[units.of[o]].isRead |= isApart(o, consumer);
      });
    }
    units.levelOf = earliest;
    for (unsigned o = unsigned(graph.nodes.size()); o-- > 0;) {
      if (!graph.isMapped(o))
        continue;
      unsigned latest = none;
      eachConsumer(o, [&](unsigned consumer) {
        latest = std::min(latest, units.levelOf[consumer] - isApart(o, consumer));
      });
      if (latest != none)
        units.levelOf[o] = latest;
    }
  }

  void numberKinds() {
    std::map<std::vector<unsigned>, unsigned> kinds;
    for (Unit &unit : units.list) {
      std::vector<unsigned> key = {unit.isRead, unit.group};
      for (unsigned o : unit.operations)
        key.insert(key.end(), {units.levelOf[o], graph.nodes[o].shape});
      unit.kind = kinds.try_emplace(key, unsigned(kinds.size())).first->second;
    }
  }
};

} // namespace

Units makeUnits(const Graph &graph, const PartitionOptions &options) { return Maker(graph, options).make(); }

} // namespace heddle::partition
