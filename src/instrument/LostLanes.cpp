// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which branch is to blame for an empty lane slot. The simulator knows for each pair of lanes where they diverged. A GPU
// is asked for sums only: how many lanes were active in each basic block, on the average of its executions, and how
// often lanes diverged at each branch. From these follows the cause, block by block:
//
//  1. A block loses what its immediate dominator loses, from the same branches, since every way to it leads through
//     there. (In a loop this is what the block before the loop loses.)
//  2. What it loses beyond that was lost between the two: at the branches that decide whether the block is reached
//     and that did not already decide about the dominator. The latch of a loop is such a branch for the loop's blocks, and
//     so are the branches by which lanes leave the loop before its latch.
//     Where there are several, each is to blame for as much as its share of divergent executions.
//  3. If no such branch made lanes diverge, lanes have not reconverged: it was at a branch between the dominator and the
//     block, or else before the dominator.
//  4. The first block of a function loses what the calls of it lose, by their executions.
//  5. What is due to no branch (lanes that call different functions through a pointer, and those that a warp never had)
//     is counted with the lanes that a warp never had.
//
// With one divergent branch between a block and its dominator this is exact, else it distributes a sum that is.
#include "instrument/LostLanes.h"

#include "graph/Dominance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace heddle::instrument {
namespace {

using divergence::CodePart;
using divergence::LaunchProfile;
constexpr double WarpLanes = 32;

/// Lanes that are lost in one execution of a block, by branch.
using Loss = std::map<uint32_t, double>;

double sumOf(const Loss &loss) {
  return std::accumulate(loss.begin(), loss.end(), 0.0,
                         [](double sum, const auto &each) { return sum + each.second; });
}

Loss scaled(const Loss &loss, double factor) {
  Loss made;
  for (const auto &[branch, lanes] : loss)
    made[branch] = lanes * factor;
  return made;
}

void add(Loss &sum, const Loss &more, double factor) {
  for (const auto &[branch, lanes] : more)
    sum[branch] += lanes * factor;
}

/// Dominators of a function's blocks and the branches that they depend on.
class Structure {
public:
  explicit Structure(const ptx::Function &function) : count(unsigned(function.blocks.size())) {
    graph::Adjacency successors(count + 1), predecessors(count + 1); // with a node for the end
    for (unsigned b = 0; b < count; ++b) {
      for (uint32_t next : function.blocks[b].succs)
        successors[b].push_back(next), predecessors[next].push_back(b);
      if (function.blocks[b].leaves)
        successors[b].push_back(count), predecessors[count].push_back(b);
    }
    forward.emplace(successors, predecessors, 0u);
    backward.emplace(predecessors, successors, count);
  }

  /// Dominators come before what they dominate.
  const std::vector<unsigned> &order() const { return forward->reversePostorder(); }
  /// Dominance::none for the first block.
  unsigned dominator(unsigned block) const { return forward->immediateDominator(block); }
  /// Blocks that are executed after `above`, itself included, and not only after `block`.
  std::vector<unsigned> between(unsigned above, unsigned block) const {
    std::vector<unsigned> found;
    for (unsigned b : order())
      if (forward->dominates(above, b) && !forward->dominates(block, b))
        found.push_back(b);
    return found;
  }
  /// Blocks whose last instruction decides whether this block is reached: next, or whether another decider is.
  std::set<unsigned> deciders(unsigned block) const {
    std::set<unsigned> found;
    std::vector<unsigned> todo = backward->frontier(block);
    while (!todo.empty()) {
      const unsigned decider = todo.back();
      todo.pop_back();
      if (found.insert(decider).second)
        todo.insert(todo.end(), backward->frontier(decider).begin(), backward->frontier(decider).end());
    }
    return found;
  }

private:
  unsigned count;
  std::optional<graph::Dominance> forward, backward;
};

class Attribution {
public:
  Attribution(LaunchProfile &profile, std::span<const CodePart> given,
              const std::vector<std::map<uint32_t, uint32_t>> &branchesAt)
      : launch(profile), parts(given), branchAt(branchesAt), losses(profile.blocks.size()) {
    uint32_t first = 0;
    for (uint32_t p = 0; p < parts.size(); ++p) {
      firstBlock.push_back(first);
      first += uint32_t(parts[p].function->blocks.size());
      partOf[parts[p].function] = p;
    }
  }

  void run() {
    for (uint32_t part : callersFirst())
      visit(part);
    for (divergence::Branch &branch : launch.branches)
      branch.lostLanes.assign(launch.blocks.size(), 0);
    for (size_t b = 0; b < losses.size(); ++b)
      distribute(uint32_t(b));
  }

private:
  /// What is due to no branch is absent, as on the simulator.
  void distribute(uint32_t block) {
    const divergence::CodeBlock &code = launch.blocks[block];
    uint64_t left =
        uint64_t(WarpLanes) * code.entries - std::min(uint64_t(WarpLanes) * code.entries, code.lanes);
    double sum = 0; // sums are rounded, so that none is lost
    uint64_t done = 0;
    for (const auto &[branch, lanes] : losses[block]) {
      sum += lanes * double(code.entries);
      const uint64_t lost = std::min(left, uint64_t(std::llround(sum)) - done);
      done += lost;
      launch.branches[branch].lostLanes[block] = lost;
      left -= lost;
    }
    launch.absentLanes[block] = left;
  }

  /// Of recursive functions, some call comes after what it calls: its loss is not handed on.
  std::vector<uint32_t> callersFirst() const {
    graph::Adjacency calls(parts.size());
    for (uint32_t p = 0; p < parts.size(); ++p)
      eachCall(p, [&](uint32_t callee, uint32_t) { calls[p].push_back(callee); });
    std::vector<bool> seen(parts.size());
    std::vector<unsigned> order;
    graph::appendPostorder(calls, 0, seen, order);
    std::reverse(order.begin(), order.end());
    for (uint32_t p = 0; p < parts.size(); ++p) // those that are called through pointers only
      if (!seen[p])
        order.push_back(p);
    return {order.begin(), order.end()};
  }

  template <class Use> void eachCall(uint32_t part, Use use) const {
    const ptx::Function &function = *parts[part].function;
    for (uint32_t i = 0; i < function.instrs.size(); ++i) {
      const ptx::Instr &instr = function.instrs[i];
      if (instr.op != ptx::Op::Call || instr.text != ptx::kNone)
        continue;
      const ptx::Operand &callee = function.operandsOf(instr)[0];
      if (callee.kind != ptx::OperandKind::Func)
        continue;
      if (auto found = partOf.find(&parts[part].module->functions[callee.index]); found != partOf.end())
        use(found->second, firstBlock[part] + function.blockOf[i]);
    }
  }

  /// Per execution, without lanes that the warp never had.
  double lostIn(uint32_t block) const {
    const divergence::CodeBlock &code = launch.blocks[block];
    if (code.entries == 0)
      return 0;
    const double slots = WarpLanes * double(code.entries);
    return std::max(0.0, slots - double(code.lanes) - double(launch.absentLanes[block])) /
           double(code.entries);
  }

  void visit(uint32_t part) {
    const Structure structure(*parts[part].function);
    for (unsigned b : structure.order())
      if (b < parts[part].function->blocks.size())
        losses[firstBlock[part] + b] = lossOf(part, b, structure);
    eachCall(part, [&](uint32_t callee, uint32_t block) {
      const auto entries = double(launch.blocks[block].entries);
      add(atCalls[callee], losses[block], entries);
      callEntries[callee] += entries;
    });
  }

  Loss lossOf(uint32_t part, unsigned block, const Structure &structure) {
    const double lost = lostIn(firstBlock[part] + block);
    Loss inherited = inheritedBy(part, block, structure);
    const double before = sumOf(inherited);
    if (lost <= before)
      return before > 0 ? scaled(inherited, lost / before) : Loss{};
    const Loss causes = causesOf(part, block, structure);
    if (const double divergences = sumOf(causes); divergences > 0)
      add(inherited, causes, (lost - before) / divergences);
    else if (before > 0)
      return scaled(inherited, lost / before);
    return inherited;
  }

  Loss inheritedBy(uint32_t part, unsigned block, const Structure &structure) {
    if (const unsigned above = structure.dominator(block); above != graph::Dominance::none)
      return losses[firstBlock[part] + above];
    return callEntries[part] > 0 ? scaled(atCalls[part], 1 / callEntries[part]) : Loss{};
  }

  /// The branches that the additional loss of a block is due to, with how often its lanes diverged there.
  Loss causesOf(uint32_t part, unsigned block, const Structure &structure) const {
    const unsigned above = structure.dominator(block);
    std::set<unsigned> before;
    if (above != graph::Dominance::none)
      before = structure.deciders(above);
    Loss causes;
    for (unsigned decider : structure.deciders(block))
      if (!before.contains(decider))
        addDivergences(causes, part, decider);
    for (unsigned at = above; causes.empty() && at != graph::Dominance::none; at = structure.dominator(at))
      for (unsigned between : structure.between(at, block))
        addDivergences(causes, part, between);
    return causes;
  }

  void addDivergences(Loss &causes, uint32_t part, unsigned block) const {
    const uint32_t last = parts[part].function->blocks[block].end - 1;
    auto found = branchAt[part].find(last);
    if (found != branchAt[part].end() && launch.branches[found->second].divergent > 0)
      causes[found->second] += double(launch.branches[found->second].divergent);
  }

  LaunchProfile &launch;
  const std::span<const CodePart> parts;
  const std::vector<std::map<uint32_t, uint32_t>> &branchAt;
  std::vector<uint32_t> firstBlock; ///< by part
  std::map<const ptx::Function *, uint32_t> partOf;
  std::vector<Loss> losses; ///< by basic block of the kernel
  std::map<uint32_t, Loss> atCalls;
  std::map<uint32_t, double> callEntries;
};

} // namespace

void attributeLostLanes(LaunchProfile &launch, std::span<const CodePart> parts,
                        const std::vector<std::map<uint32_t, uint32_t>> &branchAt) {
  Attribution(launch, parts, branchAt).run();
}

} // namespace heddle::instrument
