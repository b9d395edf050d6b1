// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Node.h"

#include <algorithm>
#include <sstream>

namespace heddle::generator {
namespace {

void write(const Node &node, std::string &out) {
  for (size_t i = 0; i < node.form.size(); ++i) {
    if (node.form[i] != '@') {
      out += node.form[i];
    } else if (node.form[++i] == '*') {
      for (const Node &child : node.children)
        write(child, out);
    } else {
      write(node.children.at(size_t(node.form[i] - '0')), out);
    }
  }
}

/// Two spaces for each open brace. Text inside of quotes holds no braces here.
std::string laidOut(const std::string &raw) {
  std::istringstream lines(raw);
  std::string out;
  int depth = 0;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty())
      continue;
    int change = 0, lowest = 0;
    for (char c : line) {
      change += c == '{' ? 1 : c == '}' ? -1 : 0;
      lowest = std::min(lowest, change);
    }
    out += std::string(size_t(2 * std::max(0, depth + lowest)), ' ') + line + "\n";
    depth += change;
  }
  return out;
}

} // namespace

Node node(Sort sort, std::string form, std::vector<Node> children) {
  return {sort, std::move(form), std::move(children), {}};
}
Node list(std::vector<Node> children) { return {Sort::List, "@*", std::move(children), {}}; }

std::string print(const Node &node) {
  std::string raw;
  write(node, raw);
  return laidOut(raw);
}

size_t sizeOf(const Node &node) {
  size_t size = 1;
  for (const Node &child : node.children)
    size += sizeOf(child);
  return size;
}

} // namespace heddle::generator
