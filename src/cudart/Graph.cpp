// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Graph.h"

namespace heddle::cudart {
namespace {

enum class Mark { New, Open, Done };

/// Depth first, dependences before the node. False: it depends on itself.
bool visit(const CUgraphNode_st *node, std::unordered_map<const CUgraphNode_st *, Mark> &marks,
           std::vector<const CUgraphNode_st *> &order) {
  Mark &mark = marks[node];
  if (mark != Mark::New)
    return mark == Mark::Done;
  mark = Mark::Open;
  for (const CUgraphNode_st *before : node->after)
    if (!visit(before, marks, order))
      return false;
  marks[node] = Mark::Done;
  order.push_back(node);
  return true;
}

} // namespace

std::vector<const CUgraphNode_st *> inOrder(const CUgraph_st &graph) {
  std::unordered_map<const CUgraphNode_st *, Mark> marks;
  std::vector<const CUgraphNode_st *> order;
  for (const CUgraphNode_st &node : graph.nodes)
    if (!visit(&node, marks, order))
      return {};
  return order;
}

} // namespace heddle::cudart
