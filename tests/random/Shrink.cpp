// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are shrunk by the grammar that they were written by, not by their text: what is tried is to drop an element
// of a list (or half of the list), to put what is inside of a statement in its place, to replace a value by one of its
// parts or by 1, to leave out a directive. Each of these leaves a defined program, or one that does not compile, which
// the oracle recognizes.
//
// Trying one program costs almost as much as trying a dozen (they share a compilation), so a dozen reductions are tried
// at a time and the first that still fails is taken. Large subtrees come first.
#include "random/Shrink.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace heddle::generator {
namespace {

constexpr size_t triedTogether = 12;

/// One way to make a program smaller.
struct Reduction {
  enum class Kind {
    DropDirective,
    OneFile,
    DropUnusedItems,
    DropChildren,
    ReplaceByChild,
    ReplaceByOne
  } kind;
  Node Program::*tree = nullptr;
  std::vector<size_t> path; ///< to the node
  size_t first = 0, count = 0;
  size_t weight = 0; ///< nodes that it may take away
};

Node &at(Program &program, const Reduction &reduction) {
  Node *node = &(program.*reduction.tree);
  for (size_t child : reduction.path)
    node = &node->children.at(child);
  return *node;
}

/// A store to shared memory and the loads of it belong together with their barriers.
bool canUnwrap(const Node &node) {
  return node.sort == Sort::Statement && node.form.find("__syncthreads") == std::string::npos &&
         node.form.find("meet") == std::string::npos;
}

void collect(Node Program::*tree, const Node &node, std::vector<size_t> &path, std::vector<Reduction> &to) {
  using Kind = Reduction::Kind;
  const size_t size = sizeOf(node);
  if (node.sort == Sort::List) {
    for (size_t count = node.children.size(); count > 0; count /= 2)
      for (size_t first = 0; first < node.children.size(); first += count) {
        const size_t end = std::min(first + count, node.children.size());
        bool canGo = true;
        size_t weight = 0;
        for (size_t i = first; i < end; ++i) {
          canGo &= node.children[i].sort != Sort::Fixed;
          weight += sizeOf(node.children[i]);
        }
        if (canGo)
          to.push_back({Kind::DropChildren, tree, path, first, end - first, weight});
      }
  }
  const bool isValue = node.sort == Sort::Value || node.sort == Sort::Uniform;
  if (isValue && node.form != "1u")
    to.push_back({Kind::ReplaceByOne, tree, path, 0, 0, size});
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Node &child = node.children[i];
    const bool fits = isValue ? child.sort == node.sort : canUnwrap(node) && child.sort == Sort::List;
    if (fits)
      to.push_back({Kind::ReplaceByChild, tree, path, i, 0, size - sizeOf(child)});
    path.push_back(i);
    collect(tree, child, path, to);
    path.pop_back();
  }
}

std::vector<Reduction> reductionsOf(const Program &program) {
  using Kind = Reduction::Kind;
  std::vector<Reduction> all;
  for (size_t i = 0; i < program.directives.size() && program.directives.size() + program.pragmas.size() > 1;
       ++i)
    all.push_back({Kind::DropDirective, nullptr, {}, i, 0, 1000});
  if (program.layout == Layout::KernelInHeader)
    all.push_back({Kind::OneFile, nullptr, {}, 0, 0, 1000});
  all.push_back({Kind::DropUnusedItems, nullptr, {}, 0, 0, 2000});
  std::vector<size_t> path;
  for (Node Program::*tree : {&Program::kernels, &Program::items, &Program::launch, &Program::elsewhere})
    collect(tree, program.*tree, path, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Reduction &a, const Reduction &b) { return a.weight > b.weight; });
  return all;
}

/// Items that are not used any more; those that only such items mention go in the next round.
void dropUnusedItems(Program &program) {
  const std::string rest = print(program.kernels) + print(program.launch) + print(program.elsewhere);
  std::vector<std::string> texts;
  for (const Node &item : program.items.children)
    texts.push_back(print(item));
  std::vector<Node> kept;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string &name = program.items.children[i].name;
    bool isUsed = rest.find(name) != std::string::npos;
    for (size_t j = i + 1; j < texts.size(); ++j)
      isUsed |= texts[j].find(name) != std::string::npos;
    if (isUsed)
      kept.push_back(program.items.children[i]);
  }
  program.items.children = std::move(kept);
}

std::optional<Program> reduced(const Program &program, const Reduction &reduction) {
  using Kind = Reduction::Kind;
  Program smaller = program;
  switch (reduction.kind) {
  case Kind::DropDirective:
    smaller.directives.erase(smaller.directives.begin() + std::ptrdiff_t(reduction.first));
    break;
  case Kind::OneFile: smaller.layout = Layout::OneFile; break;
  case Kind::DropUnusedItems:
    dropUnusedItems(smaller);
    if (smaller.items.children.size() == program.items.children.size())
      return std::nullopt;
    break;
  case Kind::DropChildren: {
    std::vector<Node> &children = at(smaller, reduction).children;
    const auto first = children.begin() + std::ptrdiff_t(reduction.first);
    children.erase(first, first + std::ptrdiff_t(reduction.count));
    break;
  }
  case Kind::ReplaceByChild: {
    Node child = at(smaller, reduction).children[reduction.first];
    at(smaller, reduction) = std::move(child);
    break;
  }
  case Kind::ReplaceByOne: {
    Node &node = at(smaller, reduction);
    node.form = "1u";
    node.children.clear();
    break;
  }
  }
  return smaller;
}

} // namespace

Program shrunk(Program program, const StillFails &stillFails, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto isOver = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
  };
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    std::vector<Reduction> reductions = reductionsOf(program);
    for (size_t next = 0; next < reductions.size() && !isOver();) {
      std::vector<Program> candidates;
      size_t end = next;
      for (; end < reductions.size() && candidates.size() < triedTogether; ++end)
        if (std::optional<Program> smaller = reduced(program, reductions[end]))
          candidates.push_back(std::move(*smaller));
      const std::vector<bool> fails = stillFails(candidates);
      const auto found = std::find(fails.begin(), fails.end(), true);
      if (found == fails.end()) {
        next = end;
        continue;
      }
      program = std::move(candidates[size_t(found - fails.begin())]);
      isSmaller = true;
      // What was tried before did not help, and mostly does not now: go on after it.
      reductions = reductionsOf(program);
      next = std::min(next, reductions.size());
    }
    if (isOver())
      break;
  }
  return program;
}

} // namespace heddle::generator
