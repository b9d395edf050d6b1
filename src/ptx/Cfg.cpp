// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks begin at the first instruction, at every branch target and behind every instruction that may go
// elsewhere. Post-dominators are dominators of the reversed graph, whose entry is a node of its own that
// represents the function's end.
#include "ptx/Cfg.h"

#include "graph/Dominance.h"

#include <utility>

namespace heddle::ptx {
namespace {

bool leavesFunction(const Instr &instr) {
  return instr.op == Op::Ret || instr.op == Op::Exit || instr.op == Op::Trap;
}

bool branches(const Instr &instr) { return instr.op == Op::Bra || instr.op == Op::BrxIdx; }

/// Calls fn(instruction index) for each place a branch may go to, fall-through apart.
template <class Fn> void forEachTarget(const Function &function, const Instr &instr, Fn fn) {
  std::span<const Operand> operands = function.operandsOf(instr);
  if (instr.op == Op::Bra)
    fn(operands[0].index);
  else if (instr.op == Op::BrxIdx)
    for (uint32_t target : function.targetLists[operands[1].index])
      fn(target);
}

void cutIntoBlocks(Function &function) {
  size_t n = function.instrs.size();
  std::vector<bool> begins(n + 1, false);
  begins[0] = true;
  for (size_t i = 0; i < n; ++i) {
    if (endsBlock(function.instrs[i]))
      begins[i + 1] = true;
    forEachTarget(function, function.instrs[i], [&](uint32_t target) { begins[target] = true; });
  }
  function.blocks.clear();
  function.blockOf.assign(n, 0);
  for (uint32_t i = 0; i < n; ++i) {
    if (begins[i])
      function.blocks.push_back({i, i});
    function.blocks.back().end = i + 1;
    function.blockOf[i] = uint32_t(function.blocks.size() - 1);
  }
}

void addEdges(Function &function) {
  std::vector<uint32_t> lastFrom(function.blocks.size(), kNone); // for each block, who pointed at it last
  auto addEdge = [&](uint32_t from, uint32_t to) {
    if (std::exchange(lastFrom[to], from) == from)
      return;
    function.blocks[from].succs.push_back(to);
    function.blocks[to].preds.push_back(from);
  };
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const Instr &last = function.instrs[function.blocks[b].end - 1];
    function.blocks[b].leaves = leavesFunction(last);
    if (!neverFallsThrough(last) && b + 1 < function.blocks.size())
      addEdge(b, b + 1);
    forEachTarget(function, last, [&](uint32_t target) { addEdge(b, function.blockOf[target]); });
  }
}

/// The graph with a node of its own for the function's end.
class GraphWithEnd {
public:
  explicit GraphWithEnd(const Function &function)
      : end(unsigned(function.blocks.size())), successors(end + 1), predecessors(end + 1) {
    for (unsigned b = 0; b < end; ++b) {
      successors[b] = function.blocks[b].succs;
      predecessors[b] = function.blocks[b].preds;
    }
    for (unsigned b = 0; b < end; ++b)
      if (function.blocks[b].leaves)
        leadToEnd(b);
    connectEndlessLoops();
  }

  std::vector<unsigned> postDominators() const {
    return graph::immediateDominators(predecessors, successors, end);
  }

  const unsigned end;

private:
  void leadToEnd(unsigned block) {
    successors[block].push_back(end);
    predecessors[end].push_back(block);
  }

  /// Blocks from which no path leads to the end: the last of them is made a way out, and so on.
  void connectEndlessLoops() {
    std::vector<bool> seen(end + 1);
    std::vector<unsigned> ignored;
    graph::appendPostorder(predecessors, end, seen, ignored);
    for (unsigned b = end; b-- > 0;)
      if (!seen[b]) {
        leadToEnd(b);
        graph::appendPostorder(predecessors, b, seen, ignored);
      }
  }

  graph::Adjacency successors, predecessors;
};

void findReconvergence(Function &function) {
  const GraphWithEnd graph(function);
  const std::vector<unsigned> found = graph.postDominators();
  for (unsigned b = 0; b < graph.end; ++b)
    function.blocks[b].ipdom = found[b] == graph.end ? kNone : found[b];
}

} // namespace

bool endsBlock(const Instr &instr) { return branches(instr) || leavesFunction(instr); }

bool neverFallsThrough(const Instr &instr) { return !instr.guard && endsBlock(instr); }

void buildCfg(Function &function) {
  cutIntoBlocks(function);
  addEdges(function);
  findReconvergence(function);
}

} // namespace heddle::ptx
