// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::capture {

struct Range {
  uint64_t address = 0, bytes = 0;
};

/// Which ranges of memory can be reached from some bytes by following everything that may be a pointer.
///
/// Conservative: a value that lies in a range, or is its end, reaches it, whatever the value means to the program. The
/// caller scans the roots, then the content of each range that next() returns, until there is none:
///
///     search.scan(parameters, bytes, 4);
///     while (auto range = search.next())
///       search.scan(contentOf(*range), bytes, 8);
class Reachable {
public:
  /// Ranges do not overlap; they are numbered as given.
  explicit Reachable(std::vector<Range> ranges);

  /// Looks at the values of 8 bytes at every multiple of `step` in the bytes.
  void scan(const void *data, size_t bytes, size_t step);
  void reach(size_t range);
  /// A range that was reached and not returned yet; in the order in which they were reached.
  std::optional<size_t> next();
  bool isReached(size_t range) const { return reached[range]; }
  /// Whether a value lies in a range, or is the end of one.
  bool isInARange(uint64_t value) const;

private:
  /// Calls use(range) for each range that the value lies in, or is the end of.
  template <class Use> void forEachRangeOf(uint64_t value, const Use &use) const;

  std::vector<Range> ranges;
  std::vector<size_t> byAddress; ///< numbers of ranges, sorted
  std::vector<bool> reached;
  std::vector<size_t> order;
  size_t returned = 0;
  uint64_t lowest = 0, highest = 0;
};

} // namespace heddle::capture
