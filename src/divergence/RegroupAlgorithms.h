// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/Formulas.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::divergence {

/// Section V: which threads should be together. Sorting: by vector. Greedy: the two groups that gain most are
/// merged, again and again. Greedy-Max: groups are filled one after the other, each beginning with the
/// longest thread that is left, so that thread blocks come longest first.
enum class Algorithm { Sorting, Greedy, GreedyMax };
constexpr Algorithm Algorithms[] = {Algorithm::Sorting, Algorithm::Greedy, Algorithm::GreedyMax};

std::string_view
nameOf(Algorithm algorithm); ///< "sorting", "greedy", "greedy-max", as the directive has them
std::optional<Algorithm> algorithmNamed(std::string_view name);

struct RegroupOptions {
  uint32_t groupSize = 32; ///< threads; a multiple of the warp
  /// Greedy and Greedy-Max look at all pairs of distinct vectors (of what remains of them when each has
  /// filled its own groups), up to so many. With more they look at fewer pairs: RegroupAlgorithms.cpp states which, and
  /// what it costs.
  uint32_t exactUpTo = 4096;
  uint32_t pile = 1024;   ///< vectors that Greedy takes together then
  uint32_t window = 2048; ///< vectors that Greedy-Max chooses from then
};

struct Regrouping {
  /// order[place]: the thread whose work is done at that place. A permutation of all threads, group after
  /// group.
  std::vector<uint32_t> order;
  bool exact = true;
};

/// Ties are broken by the lowest thread that has the vector, so that the result is the same on every run.
Regrouping regroup(const BlockVectors &vectors, Latencies latencies, Algorithm algorithm,
                   const RegroupOptions &options = {});

} // namespace heddle::divergence
