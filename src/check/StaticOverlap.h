// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticConditions.h"
#include "vm/Limits.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

struct isl_ctx;

namespace heddle::check {

/// What is known of blockIdx.
struct BlockRange {
  std::optional<vm::Dim3> grid;
  vm::Dim3 mostBlocks = {0, 0, 0}; ///< in each direction, where the grid is not known; 0 for unknown
  bool reads[3] = {};              ///< dimensions of blockIdx that the kernel reads

  /// 0: without end.
  int64_t limit(unsigned k) const {
    if (grid)
      return along(*grid, k);
    return isEndless(k) ? 0 : std::max<int64_t>(1, along(mostBlocks, k));
  }
  /// Nothing is known of this direction, and it is taken to have one block: more would all do the same work.
  bool isAssumedFlat(unsigned k) const { return !grid && !isEndless(k) && along(mostBlocks, k) == 0; }

private:
  static int64_t along(const vm::Dim3 &size, unsigned k) {
    return int64_t(k == 0 ? size.x : k == 1 ? size.y : size.z);
  }
  bool isEndless(unsigned k) const {
    const bool readsAny = reads[0] || reads[1] || reads[2];
    return reads[k] || (!readsAny && k == 0);
  }
};

/// The bytes that one instruction touches at addresses of one form.
struct Touched {
  FormId form = Forms::Opaque;
  std::array<FormId, Facts::Most> facts; ///< sums that are at least 0, with the offsets of each address
  uint32_t bytes = 4;
  /// A first byte, relative to the form, and what is added to each fact's form there.
  struct Address {
    int64_t offset = 0;
    std::array<int64_t, Facts::Most> facts = {};
    auto operator<=>(const Address &) const = default;
  };
  std::vector<Address> addresses;
};

/// Whether threads touch the same memory, for every value of blockIdx, gridDim and the parameters.
class Overlaps {
public:
  /// `nameOf` names a parameter's 4 bytes in reasons.
  Overlaps(const Forms &forms, const BlockRange &range, std::function<std::string(Forms::Symbol)> nameOf);

  enum class Answer : uint8_t { No, Maybe, Yes };
  struct Result {
    Answer answer = Answer::No;
    bool isExact = false; ///< of Yes: the very bytes that are touched were compared
    std::string why;      ///< of others than No, as what follows "whether they overlap": "depends on data"
    std::optional<Forms::Symbol> width; ///< of Maybe: the parameter that no comparison keeps an index below
  };

  const BlockRange &blocks() const { return range; }
  /// Threads of two blocks.
  Result betweenBlocks(const Touched &a, const Touched &b);
  /// Threads of one block, other than at the same offset of one form in the same iterations of loops: who
  /// compares those can do it exactly.
  Result withinBlock(const Touched &a, const Touched &b);

private:
  friend class Comparison;
  const Forms &forms;
  const BlockRange range;
  const std::function<std::string(Forms::Symbol)> nameOf;
  std::unique_ptr<isl_ctx, void (*)(isl_ctx *)> context;
};

} // namespace heddle::check
