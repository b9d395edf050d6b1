// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Wanted is what results are made of, found from the end of the program to its start.
// 2. Shapes are numbered, the most expensive first.
// 3. Replication: what can be done from fields alone precedes everything else, so all warps would wait
//    for it. It is done by each of them if that costs less than sending its values and waiting; the wait is
//    shared by all operations that could be sent together. What has been replicated makes more operations
//    ready, and the question is asked again. In the end, what is wanted by one operation only is that
//    operation's own.
#include "partition/Graph.h"

#include "flow/Cost.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::partition {

using flow::Instruction;
using flow::Op;
using flow::Operand;
using flow::Operation;

namespace {

void addOnce(std::vector<unsigned> &list, unsigned item) {
  if (std::ranges::find(list, item) == list.end())
    list.push_back(item);
}

void collectInputs(Graph &graph) {
  const flow::Program &program = *graph.program;
  for (unsigned o = 0; o < program.operations.size(); ++o)
    for (const Instruction &instruction : program.operations[o].code) {
      if (instruction.op == Op::Total)
        addOnce(graph.nodes[o].totals, instruction.index);
      for (const Operand &operand : instruction.operands)
        if (operand.value && program.definedBy[*operand.value] != o)
          addOnce(graph.nodes[o].inputs, *operand.value);
    }
}

void want(Graph &graph, const Operand &operand) {
  if (operand.value)
    graph.nodes[graph.program->definedBy[*operand.value]].isWanted = true;
}

/// Values are used after they are made and sums read after their terms, so one walk backwards suffices.
void findWanted(Graph &graph) {
  const flow::Program &program = *graph.program;
  for (unsigned s = 0; s < program.sums.size(); ++s)
    graph.isWantedSum[s] = program.sums[s].isResult;
  for (unsigned o = unsigned(program.operations.size()); o-- > 0;) {
    const Operation &operation = program.operations[o];
    for (const flow::Contribution &contribution : operation.contributions)
      if (graph.isWantedSum[contribution.sum])
        want(graph, contribution.value);
    if (!graph.nodes[o].isWanted)
      continue;
    for (unsigned value : graph.nodes[o].inputs)
      want(graph, Operand::of(value));
    for (unsigned sum : graph.nodes[o].totals)
      graph.isWantedSum[sum] = true;
  }
}

void collectUses(Graph &graph) {
  const flow::Program &program = *graph.program;
  for (unsigned o = 0; o < program.operations.size(); ++o) {
    for (const flow::Contribution &c : program.operations[o].contributions)
      if (graph.isWantedSum[c.sum])
        graph.terms[c.sum].push_back({c.coefficient, c.value});
    if (!graph.nodes[o].isWanted)
      continue;
    for (unsigned value : graph.nodes[o].inputs)
      graph.readers[value].push_back(o);
    for (unsigned sum : graph.nodes[o].totals)
      graph.totalReaders[sum].push_back(o);
  }
}

/// Operation codes and where operands come from: an instruction of the same operation (counted from its
/// start), another operation, or a constant. Additions to sums count where they are done with the operation.
std::vector<unsigned> shapeOf(const Graph &graph, unsigned o, bool hasAdditions) {
  enum { Constant, Input, Own };
  const Operation &operation = graph.program->operations[o];
  std::map<unsigned, unsigned> own;
  std::vector<unsigned> shape;
  for (const Instruction &instruction : operation.code) {
    shape.insert(shape.end(), {unsigned(instruction.op), unsigned(instruction.steps.thresholds.size())});
    if (instruction.op == Op::Load)
      shape.push_back(instruction.field);
    for (const Operand &operand : instruction.operands) {
      if (operand.isConstant())
        shape.push_back(Constant);
      else if (auto found = own.find(*operand.value); found != own.end())
        shape.insert(shape.end(), {Own, found->second});
      else
        shape.push_back(Input);
    }
    own.emplace(instruction.result, unsigned(own.size()));
  }
  shape.push_back(hasAdditions ? unsigned(operation.contributions.size()) : 0);
  return shape;
}

/// The most expensive first, then the commonest: shapes that differ in little cost about the same, so they
/// come side by side, and code that is laid over other code finds most of itself there.
void numberShapes(Graph &graph, bool hasAdditions) {
  std::map<std::vector<unsigned>, std::vector<unsigned>> operations;
  for (unsigned o = 0; o < graph.nodes.size(); ++o)
    operations[shapeOf(graph, o, hasAdditions)].push_back(o);
  std::vector<const std::vector<unsigned> *> order;
  for (const auto &[shape, list] : operations)
    order.push_back(&list);
  std::ranges::sort(order, [&](const auto *a, const auto *b) {
    const unsigned costA = graph.nodes[a->front()].cost, costB = graph.nodes[b->front()].cost;
    return std::tuple(costB, b->size(), a->front()) < std::tuple(costA, a->size(), b->front());
  });
  for (unsigned number = 0; number < order.size(); ++number)
    for (unsigned o : *order[number])
      graph.nodes[o].shape = number;
  graph.shapes = unsigned(order.size());
}

bool mayReplicate(const Graph &graph, unsigned o) {
  const Node &node = graph.nodes[o];
  return node.isWanted && !node.isReplicated && node.totals.empty() &&
         graph.program->operations[o].isPure() &&
         std::ranges::all_of(node.inputs, [&](unsigned value) { return !graph.isSent(value); });
}

/// Is doing it in every warp that wants it cheaper than sending it there, with its share of the wait?
bool paysToReplicate(const Graph &graph, unsigned o, const PartitionOptions &options, size_t together) {
  std::vector<unsigned> readers;
  unsigned values = 0;
  for (const Instruction &instruction : graph.program->operations[o].code) {
    const std::vector<unsigned> &of = graph.readers[instruction.result];
    values += !of.empty();
    for (unsigned reader : of)
      addOnce(readers, reader);
  }
  if (values == 0)
    return false; // its values are terms of sums only
  const double warps = std::min(double(readers.size()), double(options.warps));
  const double again = graph.nodes[o].cost * (warps - 1);
  return again <=
         options.prices.access * values * (1 + warps) + options.prices.wait * warps / double(together);
}

/// What one mapped operation alone reads is done once in any case: better it counts as that warp's work.
void keepWhatOneReads(Graph &graph) {
  for (unsigned o = unsigned(graph.nodes.size()); o-- > 0;) {
    std::vector<unsigned> readers;
    for (const Instruction &instruction : graph.program->operations[o].code)
      for (unsigned reader : graph.readers[instruction.result])
        addOnce(readers, reader);
    if (readers.size() == 1 && !graph.nodes[readers.front()].isReplicated)
      graph.nodes[o].isReplicated = false;
  }
}

void replicate(Graph &graph, const PartitionOptions &options) {
  for (bool changed = true; changed;) {
    std::vector<unsigned> ready;
    for (unsigned o = 0; o < graph.nodes.size(); ++o)
      if (mayReplicate(graph, o))
        ready.push_back(o);
    changed = false;
    for (unsigned o : ready)
      if (paysToReplicate(graph, o, options, ready.size()))
        graph.nodes[o].isReplicated = changed = true;
  }
  keepWhatOneReads(graph);
}

} // namespace

std::optional<unsigned> Graph::homeOf(const Term &term) const {
  if (!term.operand.value || !isSent(*term.operand.value))
    return std::nullopt;
  return program->definedBy[*term.operand.value];
}

Graph makeGraph(const flow::Program &program, const PartitionOptions &options) {
  Graph graph;
  graph.program = &program;
  graph.nodes.resize(program.operations.size());
  graph.readers.resize(program.definedBy.size());
  graph.terms.resize(program.sums.size());
  graph.totalReaders.resize(program.sums.size());
  graph.isWantedSum.resize(program.sums.size());
  for (unsigned o = 0; o < graph.nodes.size(); ++o)
    graph.nodes[o].cost = flow::instructionsOf(program.operations[o]);
  collectInputs(graph);
  findWanted(graph);
  collectUses(graph);
  numberShapes(graph, options.sums != SumExchange::Values);
  if (options.replicate)
    replicate(graph, options);
  return graph;
}

} // namespace heddle::partition
