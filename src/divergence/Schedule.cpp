// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiprocessor that k blocks share gives each a k-th of its time. What each has still to do therefore
// shrinks by the same amount for all, and one number tells where the multiprocessor is: how much a block that
// was there from the beginning would have got. A block that starts at s with latency l ends when that number
// is s + l.
#include "divergence/Schedule.h"

#include <algorithm>
#include <queue>
#include <set>

namespace heddle::divergence {
namespace {

class Multiprocessor {
public:
  size_t resident() const { return ends.size(); }

  void start(double now, double latency) {
    advance(now);
    ends.insert(given + latency);
  }
  /// When the next of its blocks ends, if none comes in between.
  double nextEnd() const { return at + (*ends.begin() - given) * double(ends.size()); }
  void finishNext() {
    const double now = nextEnd();
    given = *ends.begin();
    at = now;
    ends.erase(ends.begin());
  }

private:
  void advance(double now) {
    if (!ends.empty())
      given += (now - at) / double(ends.size());
    at = now;
  }

  double at = 0;    ///< time
  double given = 0; ///< what a block that was always there would have got by then
  std::multiset<double> ends;
};

} // namespace

Scheduled schedule(std::span<const double> blockLatencies, unsigned sms, unsigned blocksPerSm) {
  Scheduled result;
  const size_t blocks = blockLatencies.size();
  result.sm.resize(blocks);
  result.starts.resize(blocks);
  std::vector<Multiprocessor> multiprocessors(sms);
  size_t next = 0;
  for (; next < std::min(blocks, size_t(sms) * blocksPerSm); ++next) {
    result.sm[next] = unsigned(next % sms);
    multiprocessors[next % sms].start(0, blockLatencies[next]);
  }
  using Event = std::pair<double, unsigned>; // ties: the lower number has room first
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (unsigned sm = 0; sm < sms; ++sm)
    if (multiprocessors[sm].resident())
      events.emplace(multiprocessors[sm].nextEnd(), sm);
  while (!events.empty()) {
    const auto [now, sm] = events.top();
    events.pop();
    Multiprocessor &multiprocessor = multiprocessors[sm];
    multiprocessor.finishNext();
    result.end = now;
    if (next < blocks) {
      result.sm[next] = sm;
      result.starts[next] = now;
      multiprocessor.start(now, blockLatencies[next++]);
    }
    if (multiprocessor.resident())
      events.emplace(multiprocessor.nextEnd(), sm);
  }
  return result;
}

} // namespace heddle::divergence
