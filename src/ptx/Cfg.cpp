// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks begin at the first instruction, at every branch target and behind every instruction that may go
// elsewhere. Post-dominators are found by the iterative method of Cooper, Harvey and Kennedy ("A simple, fast
// dominance algorithm", 2001) on the reversed graph, whose entry is a node of its own that stands for the
// function's end.
#include "ptx/Cfg.h"

#include <algorithm>
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

/// The reversed graph: node `end` is the function's end, ways into it are ways out of the function.
class PostDominators {
public:
  explicit PostDominators(Function &f)
      : function(f), end(uint32_t(f.blocks.size())), order(end + 1, kNone), parent(end + 1, kNone) {}

  void run() {
    for (uint32_t b = 0; b < end; ++b)
      if (function.blocks[b].leaves)
        exits.push_back(b);
    visitFrom(end);
    connectEndlessLoops();
    number();
    iterate();
    for (uint32_t b = 0; b < end; ++b)
      function.blocks[b].ipdom = parent[b] == end ? kNone : parent[b];
  }

private:
  /// Blocks that the end was not reached from hang on the last of them; it is made a way out, and so on.
  void connectEndlessLoops() {
    for (uint32_t b = end; b-- > 0;)
      if (!seen[b]) {
        extraExits.push_back(b);
        visitFrom(b);
      }
  }

  /// Post-order of the reversed graph, without recursion: functions may have a hundred thousand blocks.
  void visitFrom(uint32_t root) {
    seen.resize(end + 1, false);
    struct Visit {
      uint32_t node;
      size_t next;
    };
    std::vector<Visit> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      Visit &top = stack.back();
      const std::vector<uint32_t> &next = top.node == end ? exits : function.blocks[top.node].preds;
      if (top.next == next.size()) {
        postOrder.push_back(top.node);
        stack.pop_back();
      } else if (uint32_t node = next[top.next++]; !seen[node]) {
        seen[node] = true;
        stack.push_back({node, 0});
      }
    }
  }

  /// The end must be numbered highest although the endless loops were found after it.
  void number() {
    std::erase(postOrder, end);
    postOrder.push_back(end);
    for (uint32_t i = 0; i < postOrder.size(); ++i)
      order[postOrder[i]] = i;
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order[a] < order[b])
        a = parent[a];
      while (order[b] < order[a])
        b = parent[b];
    }
    return a;
  }

  uint32_t meetOfSuccessors(uint32_t b) const {
    bool toEnd = function.blocks[b].leaves || std::binary_search(extraExits.rbegin(), extraExits.rend(), b);
    uint32_t result = toEnd ? end : kNone;
    for (uint32_t succ : function.blocks[b].succs)
      if (parent[succ] != kNone)
        result = result == kNone ? succ : meet(result, succ);
    return result;
  }

  void iterate() {
    parent[end] = end;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = postOrder.size() - 1; i-- > 0;) {
        uint32_t b = postOrder[i];
        uint32_t now = meetOfSuccessors(b);
        changed |= now != parent[b];
        parent[b] = now;
      }
    }
  }

  Function &function;
  uint32_t end;
  std::vector<uint32_t> exits;      ///< blocks that leave the function
  std::vector<uint32_t> extraExits; ///< one for each endless loop, falling
  std::vector<bool> seen;
  std::vector<uint32_t> postOrder;
  std::vector<uint32_t> order;  ///< position in postOrder
  std::vector<uint32_t> parent; ///< immediate post-dominator, `end` for the function's end
};

} // namespace

bool endsBlock(const Instr &instr) { return branches(instr) || leavesFunction(instr); }

bool neverFallsThrough(const Instr &instr) { return !instr.guard && endsBlock(instr); }

void buildCfg(Function &function) {
  cutIntoBlocks(function);
  addEdges(function);
  PostDominators(function).run();
}

} // namespace heddle::ptx
