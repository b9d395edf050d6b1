// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Myers' greedy algorithm (1986): the furthest reaching path with d edits on every diagonal k = x - y, for d
// = 0, 1, 2... What is kept of each d is enough to walk back from the end.
#include "report/LineDiff.h"

#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using Kind = DiffLine::Kind;

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class Edits {
public:
  Edits(const std::vector<std::string_view> &before, const std::vector<std::string_view> &after)
      : a(before), b(after) {}

  std::vector<DiffLine> script() {
    search();
    std::vector<DiffLine> lines;
    auto x = long(a.size()), y = long(b.size());
    for (long d = long(reached.size()) - 1; d >= 0; --d) {
      const long k = x - y;
      const bool down = d > 0 && comesFromAbove(reached[size_t(d)], d, k);
      const long fromK = down ? k + 1 : k - 1;
      const long fromX = d > 0 ? at(reached[size_t(d)], fromK) : 0, fromY = d > 0 ? fromX - fromK : 0;
      while (x > fromX && y > fromY && a[size_t(x - 1)] == b[size_t(y - 1)])
        --y, lines.push_back({Kind::Same, std::string(a[size_t(--x)])});
      if (d == 0)
        break;
      if (down)
        lines.push_back({Kind::Added, std::string(b[size_t(--y)])});
      else
        lines.push_back({Kind::Removed, std::string(a[size_t(--x)])});
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
  }

private:
  /// By diagonal, from -d-1 to d+1: the furthest x before the d-th edit.
  using Furthest = std::vector<long>;
  static long at(const Furthest &furthest, long k) { return furthest[size_t(k + long(furthest.size()) / 2)]; }
  static bool comesFromAbove(const Furthest &furthest, long d, long k) {
    return k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
  }

  void search() {
    Furthest now = {0, 0, 0};
    for (long d = 0;; ++d) {
      reached.push_back(now);
      Furthest next(size_t(2 * d + 5), 0);
      for (long k = -d; k <= d; k += 2) {
        long x = d == 0 ? 0 : comesFromAbove(now, d, k) ? at(now, k + 1) : at(now, k - 1) + 1;
        while (x < long(a.size()) && x - k < long(b.size()) && a[size_t(x)] == b[size_t(x - k)])
          ++x;
        next[size_t(k + long(next.size()) / 2)] = x;
        if (x >= long(a.size()) && x - k >= long(b.size()))
          return;
      }
      now = std::move(next);
    }
  }

  const std::vector<std::string_view> &a, &b;
  std::vector<Furthest> reached; ///< by number of edits
};

/// Only what is near a change.
std::vector<DiffLine> withoutWhatIsFar(const std::vector<DiffLine> &all, size_t context) {
  std::vector<bool> near(all.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].kind != Kind::Same)
      for (size_t j = i - std::min(i, context); j < std::min(all.size(), i + context + 1); ++j)
        near[j] = true;
  std::vector<DiffLine> shown;
  for (size_t i = 0; i < all.size();) {
    if (near[i]) {
      shown.push_back(all[i++]);
      continue;
    }
    const size_t begin = i;
    while (i < all.size() && !near[i])
      ++i;
    shown.push_back({Kind::Gap, fmt::format("{} as before", counted(i - begin, "line"))});
  }
  return shown;
}

} // namespace

std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after, size_t context) {
  if (before == after)
    return {};
  const std::vector<std::string_view> a = linesOf(before), b = linesOf(after);
  return withoutWhatIsFar(Edits(a, b).script(), context);
}

} // namespace heddle::report
