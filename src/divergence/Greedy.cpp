// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of section V: at first each thread is a group; the two groups whose merging gains most are
// merged; where that makes a full group, it is set aside and what is too much goes on. Until one group is
// left.
//
// For two threads with the same vector v the gain is Σ v. For v and any other u it is Σ 2 min(u, v) - max(u,
// v), which is less. So threads of one bucket are always merged before any of them meets another, and the
// algorithm may begin with whole buckets: full groups of them first, then one group for what is left of each
// (Grouping.h, Piece). That is exact, and leaves as many groups as there are distinct vectors.
//
// From there each group knows the best partner after it. When a group goes, those that wanted it keep their
// number as a bound and look again only when the bound comes out on top. Most groups never do.
//
// Bounds: the gain of g and h is at most 2 min(low(g), low(h)) - max(high(g), high(h)), low and high being
// the sums of least and of most. That is one comparison instead of a sum over columns.
#include "divergence/Grouping.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace heddle::divergence {

std::vector<Piece> Group::takeLast(uint32_t count) {
  std::vector<Piece> taken;
  size -= count;
  while (count) {
    Piece &last = pieces.back();
    const uint32_t part = std::min(count, last.count);
    taken.push_back({last.row, last.first + last.count - part, part});
    last.count -= part, count -= part;
    if (!last.count)
      pieces.pop_back();
  }
  std::reverse(taken.begin(), taken.end());
  return taken;
}

namespace {

constexpr double Nothing = -std::numeric_limits<double>::infinity();
constexpr uint32_t NoNode = ~0u;

class Merging {
public:
  Merging(const GroupingInput &given, std::vector<Piece> pieces)
      : input(given), columns(given.vectors.columns()) {
    std::sort(pieces.begin(), pieces.end(), [&](const Piece &a, const Piece &b) {
      return input.firstThread[a.row] < input.firstThread[b.row];
    });
    for (const Piece &piece : pieces)
      addBucket(piece);
  }

  std::vector<Group> run() {
    for (uint32_t node = 0; node < nodes.size(); ++node)
      findBest(node), push(node);
    while (alive > 1) {
      const auto [gain, minusNode] = wishes.top();
      const uint32_t node = uint32_t(-minusNode);
      wishes.pop();
      if (!nodes[node].group.size || gain != nodes[node].bound)
        continue; // gone, or has wished for another since
      if (nodes[node].stale) {
        findBest(node), push(node);
        continue;
      }
      if (nodes[node].best != NoNode)
        merge(node, nodes[node].best);
    }
    for (Node &node : nodes)
      if (node.group.size)
        done.push_back(std::move(node.group));
    return std::move(done);
  }

private:
  struct Node {
    Group group; ///< empty: gone
    double low = 0, high = 0;
    double bound = Nothing; ///< gain with `best`; stale: no gain with a later node is more
    uint32_t best = NoNode; ///< always a later node, so that each pair is looked at once
    bool stale = false;
  };

  double *least(uint32_t node) { return hulls.data() + size_t(node) * 2 * columns; }
  double *most(uint32_t node) { return least(node) + columns; }

  void addBucket(Piece piece) {
    for (; piece.count >= input.groupSize; piece.first += input.groupSize, piece.count -= input.groupSize) {
      done.emplace_back();
      done.back().add({piece.row, piece.first, input.groupSize});
    }
    if (piece.count)
      addNode({{piece}, piece.count});
  }

  void addNode(Group group) {
    const uint32_t index = uint32_t(nodes.size());
    nodes.push_back({std::move(group)});
    hulls.resize(hulls.size() + size_t(2) * columns);
    setHull(index);
    ++alive;
  }

  void setHull(uint32_t index) {
    Node &node = nodes[index];
    double *low = least(index), *high = most(index);
    std::fill(low, low + columns, std::numeric_limits<double>::infinity());
    std::fill(high, high + columns, 0.0);
    for (const Piece &piece : node.group.pieces) {
      const double *row = input.vectors.row(piece.row);
      for (uint32_t c = 0; c < columns; ++c)
        low[c] = std::min(low[c], row[c]), high[c] = std::max(high[c], row[c]);
    }
    node.low = node.high = 0;
    for (uint32_t c = 0; c < columns; ++c)
      node.low += low[c], node.high += high[c];
  }

  double boundOf(const Node &a, const Node &b) const {
    return 2 * std::min(a.low, b.low) - std::max(a.high, b.high);
  }

  void findBest(uint32_t index) {
    Node &node = nodes[index];
    node.bound = Nothing, node.best = NoNode, node.stale = false;
    for (uint32_t other = index + 1; other < nodes.size(); ++other) {
      if (!nodes[other].group.size || boundOf(node, nodes[other]) <= node.bound)
        continue;
      const double gain = gainOf(least(index), most(index), least(other), most(other), columns);
      if (gain > node.bound)
        node.bound = gain, node.best = other;
    }
  }

  void push(uint32_t index) {
    if (nodes[index].best != NoNode || nodes[index].stale)
      wishes.emplace(nodes[index].bound, -int64_t(index));
  }

  /// The group whose vectors were met first comes first in the union; what is too much is taken off its end.
  Group united(Group a, Group b) const {
    if (firstOf(b) < firstOf(a))
      std::swap(a, b);
    for (const Piece &piece : b.pieces)
      a.add(piece);
    return a;
  }
  uint32_t firstOf(const Group &group) const {
    uint32_t lowest = NoNode;
    for (const Piece &piece : group.pieces)
      lowest = std::min(lowest, input.firstThread[piece.row]);
    return lowest;
  }

  /// The merged group takes the later one's number: who comes before has it among its later nodes already.
  void merge(uint32_t a, uint32_t b) {
    Group merged = united(std::exchange(nodes[a].group, {}), std::exchange(nodes[b].group, {}));
    --alive;
    if (merged.size >= input.groupSize) {
      Group rest;
      for (const Piece &piece : merged.takeLast(merged.size - input.groupSize))
        rest.add(piece);
      done.push_back(std::move(merged));
      merged = std::move(rest);
    }
    for (uint32_t before = 0; before < b; ++before)
      if (nodes[before].group.size && (nodes[before].best == a || nodes[before].best == b))
        nodes[before].stale = true; // its number still bounds what it has left
    if (!merged.size) {
      --alive;
      return;
    }
    nodes[b].group = std::move(merged);
    setHull(b);
    for (uint32_t before = 0; before < b; ++before)
      offer(before, b);
    findBest(b), push(b);
  }

  /// `node` hears of a new later one.
  void offer(uint32_t index, uint32_t newcomer) {
    Node &node = nodes[index];
    if (!node.group.size || boundOf(node, nodes[newcomer]) <= node.bound)
      return;
    const double gain = gainOf(least(index), most(index), least(newcomer), most(newcomer), columns);
    if (gain > node.bound)
      node.bound = gain, node.best = newcomer, node.stale = false, push(index);
  }

  const GroupingInput &input;
  const uint32_t columns;
  std::vector<Node> nodes;
  std::vector<double> hulls; ///< least and most of each node
  std::vector<Group> done;
  uint32_t alive = 0;
  /// Gain, and the node's number negated: of equal gains the lowest node goes first.
  std::priority_queue<std::pair<double, int64_t>> wishes;
};

} // namespace

std::vector<Group> greedy(const GroupingInput &input, std::vector<Piece> pieces) {
  return Merging(input, std::move(pieces)).run();
}

} // namespace heddle::divergence
