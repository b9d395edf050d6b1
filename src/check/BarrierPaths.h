// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Which branches of a kernel decide whether a thread comes to a block barrier: those whose two ways join
/// again in code that does something, with a barrier on only one of them. A thread that takes the other way
/// passes the barrier by.
///     if (i < 48) __syncthreads();   out[i] = tile[i];   the branch decides
///     if (i >= n) return;  __syncthreads();  ...         it does not: who takes the other way ends
class BarrierPaths {
public:
  explicit BarrierPaths(const vm::Kernel &kernel);

  /// Whether that site is such a branch.
  bool decides(uint32_t site) const { return site < branches.size() && branches[site]; }
  /// Whether lanes that take (or do not take) the branch pass the barrier at `barrierSite` by.
  bool passesBy(uint32_t branchSite, bool taken, uint32_t barrierSite) const;

private:
  struct Branch {
    std::vector<uint32_t> skipped[2]; ///< sites of barriers, by whether it is taken
  };
  std::vector<uint32_t> branches; ///< by site: 1 + index in `facts`, 0: none
  std::vector<Branch> facts;
};

} // namespace heddle::check
