// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/ConsumerOrder.h"

#include <algorithm>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;
using NodeKind = KernelNode::Kind;

class OrderFinder {
public:
  OrderFinder(const RoleView &view, const RoleSplit &split) : view(view), split(split) {
    for (const KernelNode *node : view.nodes())
      for (const Access *access : view.facts(*node).accesses)
        owners.emplace(access, node);
  }

  ConsumerOrder find() {
    const analysis::Accesses &accesses = view.study.accesses();
    const analysis::Dependences dependences = analysis::Dependences::of(accesses);
    for (const analysis::Dependence &dependence : dependences.all()) {
      if (!dependence.isOrdered || dependence.isAtomic)
        continue;
      for (unsigned source : groupOf(dependences, dependence.source))
        for (unsigned sink : groupOf(dependences, dependence.sink))
          consider(accesses.all()[source], accesses.all()[sink]);
    }
    return order;
  }

private:
  /// A dependence names the first access of a group of like ones.
  static std::vector<unsigned> groupOf(const analysis::Dependences &dependences, unsigned access) {
    for (const std::vector<unsigned> &group : dependences.groups())
      if (std::ranges::find(group, access) != group.end())
        return group;
    return {access};
  }

  const KernelNode *consumersNode(const Access &access) const {
    auto found = owners.find(&access);
    const bool isTile = access.array->decl && split.tiles.contains(dyn_cast<VarDecl>(access.array->decl));
    return found == owners.end() || isTile || !split.consumer.contains(found->second) ? nullptr
                                                                                      : found->second;
  }

  void consider(const Access &a, const Access &b) {
    const KernelNode *first = consumersNode(a), *second = consumersNode(b);
    if (!first || !second)
      return;
    const TileLoop *inFirst = split.loopOf(first), *inSecond = split.loopOf(second);
    if (inFirst && inFirst == inSecond)
      return inSameLoop(*inFirst, *first, *second);
    // A way leads from either to the other, perhaps around a loop outside: both ends are kept apart from the
    // tile loops between them.
    if (inFirst)
      order.behind.insert(inFirst->loop);
    if (inSecond)
      order.before.insert(inSecond->loop);
    if (!inFirst && !inSecond)
      for (const TileLoop &loop : split.loops)
        if (lieBetween(*first, loop, *second))
          order.behind.insert(loop.loop);
  }

  void inSameLoop(const TileLoop &loop, const KernelNode &first, const KernelNode &second) {
    const size_t a = *loop.indexOf(&first), b = *loop.indexOf(&second);
    order.atRelease.insert(loop.loop);
    if (std::min(a, b) < loop.fill && std::max(a, b) > loop.fill)
      order.atFill.insert(loop.loop);
  }

  /// No barrier of the block outside of tile loops is there to keep them apart, and the loop may lie between.
  bool lieBetween(const KernelNode &first, const TileLoop &loop, const KernelNode &second) const {
    const KernelNode *block = first.parent;
    while (block && !(block->kind == NodeKind::Block && second.isIn(block) && loop.loop->isIn(block)))
      block = block->parent;
    if (!block)
      return false;
    size_t from = 0, to = 0, at = 0;
    for (size_t i = 0; i < block->children.size(); ++i) {
      const KernelNode *child = block->children[i].get();
      from = first.isIn(child) ? i : from;
      to = second.isIn(child) ? i : to;
      at = loop.loop->isIn(child) ? i : at;
    }
    if (from > to)
      std::swap(from, to);
    const bool isBetween = at >= from && at <= to;
    // Around an outer loop the way goes through the other statements.
    for (size_t i = 0; i < block->children.size(); ++i) {
      const bool isInside = i > from && i < to;
      if (block->children[i]->kind == NodeKind::Barrier && isInside == isBetween)
        return false;
    }
    return true;
  }

  const RoleView &view;
  const RoleSplit &split;
  std::unordered_map<const Access *, const KernelNode *> owners;
  ConsumerOrder order;
};

} // namespace

ConsumerOrder orderOfConsumers(const RoleView &view, const RoleSplit &split) {
  return OrderFinder(view, split).find();
}

} // namespace heddle::transform
