// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of a full warp, as most kernels compute them: in groups of eight lanes, each group at a constant stride.
// That covers consecutive elements, a broadcast, columns, and rows of tiles as narrow as eight threads. Such an
// access is checked by the ends of its groups and moved by vectors.
#pragma once

#include "vm/HostVersions.h"
#include "vm/Lanes.h"

#include <cstdint>
#include <cstring>

namespace heddle::vm {

constexpr unsigned GroupLanes = 8, Groups = Lanes / GroupLanes;

/// Strides beyond this are left to the general path, so that no sum of a few of them wraps around.
constexpr uint32_t MaxStride = 1u << 24;

template <class Address> struct LanePattern {
  Address first[Groups]; ///< address of the first lane of each group
  Address stride;        ///< between neighbouring lanes, modulo the size of Address

  Address last(unsigned group) const { return first[group] + stride * (GroupLanes - 1); }
  /// All bits that are set in an address or in the stride: if the low ones are clear, every lane is aligned.
  Address bits() const { return first[0] | first[1] | first[2] | first[3] | stride; }
  /// Whether every lane is in [begin, begin + span].
  bool isWithin(Address begin, Address span) const {
    bool inside = true;
    for (unsigned g = 0; g < Groups; ++g)
      inside &= first[g] - begin <= span && last(g) - begin <= span;
    return inside;
  }
};

/// The pattern of row[lane] + add; false if there is none.
template <class Address>
HEDDLE_INLINE bool findPattern(const Address *row, Address add, LanePattern<Address> &out) {
  using Group = Address __attribute__((vector_size(GroupLanes * sizeof(Address))));
  const Address stride = row[1] - row[0];
  const Group expected = {0, stride, 2 * stride, 3 * stride, 4 * stride, 5 * stride, 6 * stride, 7 * stride};
  Group wrong = {};
  for (unsigned g = 0; g < Groups; ++g) {
    Group at;
    std::memcpy(&at, row + g * GroupLanes, sizeof at);
    out.first[g] = row[g * GroupLanes] + add;
    wrong |= (at - row[g * GroupLanes]) ^ expected;
  }
  out.stride = stride;
  return __builtin_reduce_or(wrong) == 0 && Address(stride + MaxStride) < 2 * Address(MaxStride);
}

} // namespace heddle::vm
