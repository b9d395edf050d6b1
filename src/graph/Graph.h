// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::graph {

/// A directed graph of numbered nodes: for each node, where its edges lead.
using Adjacency = std::vector<std::vector<unsigned>>;

/// Appends the nodes that can be reached from `root` without those already seen, each behind all that it leads
/// to, back edges apart. Of several successors the last is visited first.
void appendPostorder(const Adjacency &successors, unsigned root, std::vector<bool> &seen,
                     std::vector<unsigned> &order);

/// The nodes that can be reached from `root`, each before all that it leads to, back edges apart. Of several
/// successors the first, the branch taken, comes first.
std::vector<unsigned> reversePostorder(const Adjacency &successors, unsigned root);

} // namespace heddle::graph
