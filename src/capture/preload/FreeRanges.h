// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace heddle::capture {

/// Ranges of addresses that nobody has. Neighbours are joined. The lowest range that is large enough is taken first, so
/// the same calls give the same addresses in every run.
class FreeRanges {
public:
  /// Nothing where no range is large enough.
  std::optional<uint64_t> take(uint64_t bytes);
  void give(uint64_t address, uint64_t bytes);

private:
  std::map<uint64_t, uint64_t> ranges; ///< bytes by address
};

} // namespace heddle::capture
