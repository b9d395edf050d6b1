// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum has terms in several warps and is wanted whole in one, or in several where its total is read. A warp
// that has terms of it but does not close it either adds them up and sends its partial, or sends the values.
//
// By accesses: a partial is written once and read once. Values are written once whatever the number of sums
// they are terms of, and read by each closer. So one term of a warp is better sent as a value when that value
// travels anyway, or is the only term of its warp in a second sum too; two terms and more are better added up
// first. Where several warps close a sum, each gets the values and adds them up itself: a closer with terms
// of its own would have to send its partial before it adds those of others.
//
// A transfer goes at the last boundary at which its first reader still gets it in time: that is where its
// reader waits anyway. What results are made of goes at the very end, all together; where values do not stay
// in rows, their terms go at the first boundary instead, since they would only take up registers.
#include "partition/Transfers.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::partition {

namespace {

class TransferFinder {
public:
  TransferFinder(const Graph &graph, const Mapping &mapping, const PartitionOptions &options)
      : graph(graph), mapping(mapping), options(options), valueReaders(graph.readers.size()),
        sentFor(graph.readers.size()) {
    result.addedBy.resize(graph.terms.size());
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      result.addedBy[s].resize(graph.terms[s].size());
  }

  Transfers find() {
    collectValueReaders();
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      groupTerms(s);
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      chooseExchange(s);
    addValues();
    addPartials();
    findPhases();
    findBoundaries();
    return std::move(result);
  }

private:
  const Graph &graph;
  const Mapping &mapping;
  const PartitionOptions &options;
  Transfers result;
  std::vector<std::map<unsigned, unsigned>> valueReaders; ///< warp to number of uses there, of each value
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> termsOf; ///< of a sum in a warp
  std::vector<std::vector<unsigned>> sentFor; ///< sums for which each value is sent
  std::map<unsigned, unsigned> lonely;        ///< value to number of sums in which it is its warp's only term
  std::set<std::pair<unsigned, unsigned>> partials; ///< sums and warps that send their part of them

  unsigned definer(unsigned value) const { return graph.program->definedBy[value]; }
  unsigned warpOfValue(unsigned value) const { return mapping.warpOf[definer(value)]; }

  void collectValueReaders() {
    for (unsigned value = 0; value < graph.readers.size(); ++value)
      if (graph.isSent(value))
        for (unsigned reader : graph.readers[value])
          if (mapping.warpOf[reader] != warpOfValue(value))
            ++valueReaders[value][mapping.warpOf[reader]];
  }

  bool isCloser(unsigned s, unsigned warp) const {
    return std::ranges::binary_search(mapping.closers[s], warp);
  }

  void groupTerms(unsigned s) {
    for (unsigned t = 0; t < graph.terms[s].size(); ++t)
      if (const unsigned warp = mapping.warpOfTerm(graph, graph.terms[s][t]); warp != everyWarp)
        termsOf[{s, warp}].push_back(t);
    for (unsigned warp = 0; warp < options.warps; ++warp)
      if (auto found = termsOf.find({s, warp}); found != termsOf.end() && !isCloser(s, warp))
        if (found->second.size() == 1)
          ++lonely[*graph.terms[s][found->second.front()].operand.value];
  }

  void sendValues(unsigned s, const std::vector<unsigned> &terms) {
    for (unsigned t : terms) {
      const unsigned value = *graph.terms[s][t].operand.value;
      result.addedBy[s][t] = mapping.closers[s];
      for (unsigned closer : mapping.closers[s])
        if (closer != warpOfValue(value)) {
          ++valueReaders[value][closer];
          sentFor[value].push_back(s);
        }
    }
  }

  void sendPartial(unsigned s, unsigned warp, const std::vector<unsigned> &terms) {
    for (unsigned t : terms)
      result.addedBy[s][t] = {warp};
    if (mapping.closers[s] != std::vector{warp})
      partials.emplace(s, warp);
  }

  void chooseExchange(unsigned s) {
    for (unsigned t = 0; t < graph.terms[s].size(); ++t)
      if (mapping.warpOfTerm(graph, graph.terms[s][t]) == everyWarp)
        result.addedBy[s][t] = mapping.closers[s];
    for (unsigned warp = 0; warp < options.warps; ++warp) {
      const auto found = termsOf.find({s, warp});
      if (found == termsOf.end())
        continue;
      if (mapping.closers[s].size() > 1 || (!isCloser(s, warp) && betterAsValues(s, found->second)))
        sendValues(s, found->second);
      else
        sendPartial(s, warp, found->second);
    }
  }

  bool travels(unsigned value) const { return !valueReaders[value].empty(); }

  bool betterAsValues(unsigned s, const std::vector<unsigned> &terms) {
    if (options.sums != SumExchange::Choose)
      return options.sums == SumExchange::Values;
    const unsigned value = *graph.terms[s][terms.front()].operand.value;
    return terms.size() == 1 && (travels(value) || lonely[value] > 1);
  }

  void addValues() {
    for (unsigned value = 0; value < valueReaders.size(); ++value) {
      if (valueReaders[value].empty())
        continue;
      Transfer transfer{.value = value, .from = warpOfValue(value)};
      for (auto [warp, uses] : valueReaders[value]) {
        transfer.readers.push_back(warp);
        transfer.uses += uses;
      }
      result.list.push_back(std::move(transfer));
    }
  }

  void addPartials() {
    for (const auto &[sum, warp] : partials) {
      Transfer transfer{.isPartial = true, .sum = sum, .from = warp};
      for (unsigned closer : mapping.closers[sum])
        if (closer != warp)
          transfer.readers.push_back(closer);
      transfer.uses = unsigned(transfer.readers.size());
      result.list.push_back(std::move(transfer));
    }
  }

  /// The first phase in which a warp can have the whole of a sum.
  unsigned closePhase(unsigned s, unsigned warp) const {
    unsigned phase = 0;
    for (const Term &term : graph.terms[s])
      if (const std::optional<unsigned> home = graph.homeOf(term))
        phase = std::max(phase, result.phaseOf[*home] + (mapping.warpOf[*home] != warp));
    return phase;
  }

  void findPhases() {
    result.phaseOf.assign(graph.nodes.size(), 0);
    for (unsigned o = 0; o < graph.nodes.size(); ++o) {
      if (!graph.isMapped(o))
        continue;
      unsigned &phase = result.phaseOf[o];
      for (unsigned value : graph.nodes[o].inputs)
        if (graph.isSent(value))
          phase = std::max(phase, result.phaseOf[definer(value)] + (warpOfValue(value) != mapping.warpOf[o]));
      for (unsigned sum : graph.nodes[o].totals)
        phase = std::max(phase, closePhase(sum, mapping.warpOf[o]));
      result.phases = std::max(result.phases, phase + 1);
    }
    for (unsigned s = 0; s < graph.terms.size(); ++s)
      for (unsigned closer : mapping.closers[s])
        result.phases = std::max(result.phases, closePhase(s, closer) + 1);
  }

  void findBoundaries() {
    for (Transfer &transfer : result.list)
      transfer.boundary = transfer.isPartial ? boundaryOfPartial(transfer) : boundaryOfValue(transfer);
  }

  unsigned boundaryOfPartial(const Transfer &transfer) const {
    if (graph.totalReaders[transfer.sum].empty())
      return result.phases - 2;
    return closePhase(transfer.sum, transfer.readers.front()) - 1;
  }

  unsigned boundaryOfValue(const Transfer &transfer) const {
    unsigned boundary = result.phases - 2;
    for (unsigned reader : graph.readers[transfer.value])
      if (mapping.warpOf[reader] != transfer.from)
        boundary = std::min(boundary, result.phaseOf[reader] - 1);
    for (unsigned sum : sentFor[transfer.value])
      boundary = std::min(boundary, boundaryOfTerm(sum, transfer));
    return boundary;
  }

  unsigned boundaryOfTerm(unsigned sum, const Transfer &transfer) const {
    if (graph.totalReaders[sum].empty())
      return options.placement == Placement::Buffer ? result.phaseOf[definer(transfer.value)]
                                                    : result.phases - 2;
    unsigned boundary = result.phases - 2;
    for (unsigned closer : mapping.closers[sum])
      if (closer != transfer.from)
        boundary = std::min(boundary, closePhase(sum, closer) - 1);
    return boundary;
  }
};

} // namespace

Transfers findTransfers(const Graph &graph, const Mapping &mapping, const PartitionOptions &options) {
  return TransferFinder(graph, mapping, options).find();
}

} // namespace heddle::partition
