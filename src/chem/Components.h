// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace heddle::chem {

/// The strongly connected components of a graph, by Tarjan's algorithm: `needs[i]` lists what node i needs.
/// Every component comes after those it needs; its nodes are in order.
std::vector<std::vector<unsigned>> components(const std::vector<std::vector<unsigned>> &needs);

} // namespace heddle::chem
