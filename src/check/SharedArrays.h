// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Which array of shared memory each access of a kernel belongs to, as far as its address comes from one
/// array by arithmetic: an access outside of it is out of bounds, although it may hit the next array.
class SharedArrays {
public:
  explicit SharedArrays(const vm::Kernel &kernel);

  struct Array {
    uint64_t begin = 0, end = ~uint64_t(0);
    const ptx::Variable *variable = nullptr; ///< null: it is not known which array
  };
  /// The array of a site.
  const Array &of(uint32_t site) const { return site < bySite.size() ? arrays[bySite[site]] : arrays[0]; }

private:
  std::vector<Array> arrays;
  std::vector<uint32_t> bySite;
};

} // namespace heddle::check
