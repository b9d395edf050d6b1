// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Components.h"

#include <algorithm>

namespace heddle::chem {
namespace {

class Tarjan {
public:
  explicit Tarjan(const std::vector<std::vector<unsigned>> &graph)
      : needs(graph), number(graph.size()), lowest(graph.size()), onStack(graph.size()) {
    for (unsigned node = 0; node < needs.size(); ++node)
      if (!number[node])
        visit(node);
  }

  std::vector<std::vector<unsigned>> found;

private:
  const std::vector<std::vector<unsigned>> &needs;
  std::vector<unsigned> number, lowest; ///< in order of visits, from 1; 0 is not visited
  std::vector<bool> onStack;
  std::vector<unsigned> stack;
  unsigned visits = 0;

  void visit(unsigned node) {
    number[node] = lowest[node] = ++visits;
    stack.push_back(node);
    onStack[node] = true;
    for (unsigned next : needs[node]) {
      if (!number[next])
        visit(next);
      if (onStack[next])
        lowest[node] = std::min(lowest[node], lowest[next]);
    }
    if (lowest[node] == number[node])
      popComponent(node);
  }

  void popComponent(unsigned root) {
    auto begin = std::ranges::find(stack, root);
    found.emplace_back(begin, stack.end());
    stack.erase(begin, stack.end());
    std::ranges::sort(found.back());
    for (unsigned node : found.back())
      onStack[node] = false;
  }
};

} // namespace

std::vector<std::vector<unsigned>> components(const std::vector<std::vector<unsigned>> &needs) {
  return Tarjan(needs).found;
}

} // namespace heddle::chem
