// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiprocessor that k blocks share gives each a k-th of its time. What each has still to do therefore
// shrinks by the same amount for all, and one number describes where the multiprocessor is: how much a block that
// was there from the beginning would have got. A block that starts at s with latency l ends when that number
// is s + l.
#include "divergence/Schedule.h"

#include <algorithm>
#include <numeric>
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

namespace {

/// Equal blocks that started together end together; rounding must not make an order of that.
constexpr double SameTime = 1e-12;

class Dispatcher {
public:
  Dispatcher(std::span<const double> latencies, unsigned sms, unsigned blocksPerSm)
      : latencies(latencies), blocksPerSm(blocksPerSm), multiprocessors(sms) {
    result.sm.resize(latencies.size());
    result.starts.resize(latencies.size());
  }

  Scheduled run() {
    std::vector<unsigned> all(multiprocessors.size());
    std::iota(all.begin(), all.end(), 0u);
    giveOut(std::move(all), 0);
    while (!events.empty()) {
      result.end = events.top().first;
      giveOut(finishAll(result.end), result.end);
    }
    return std::move(result);
  }

private:
  /// Ends whatever ends now; the multiprocessors where something did.
  std::vector<unsigned> finishAll(double now) {
    std::vector<unsigned> freed;
    while (!events.empty() && events.top().first <= now * (1 + SameTime)) {
      const unsigned sm = events.top().second;
      events.pop();
      Multiprocessor &multiprocessor = multiprocessors[sm];
      while (multiprocessor.resident() && multiprocessor.nextEnd() <= now * (1 + SameTime))
        multiprocessor.finishNext();
      freed.push_back(sm);
    }
    std::sort(freed.begin(), freed.end());
    return freed;
  }

  /// A block to each in turn, as long as there is room.
  void giveOut(std::vector<unsigned> candidates, double now) {
    const std::vector<unsigned> changed = candidates;
    while (next < latencies.size() && !candidates.empty()) {
      std::erase_if(candidates, [&](unsigned sm) { return multiprocessors[sm].resident() == blocksPerSm; });
      for (unsigned sm : candidates)
        if (next < latencies.size())
          start(sm, now);
    }
    for (unsigned sm : changed)
      if (multiprocessors[sm].resident())
        events.emplace(multiprocessors[sm].nextEnd(), sm);
  }

  void start(unsigned sm, double now) {
    result.sm[next] = sm;
    result.starts[next] = now;
    multiprocessors[sm].start(now, latencies[next++]);
  }

  std::span<const double> latencies;
  unsigned blocksPerSm;
  std::vector<Multiprocessor> multiprocessors;
  using Event = std::pair<double, unsigned>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events; ///< the next end of each
  size_t next = 0;                                                       ///< block to go out
  Scheduled result;
};

} // namespace

Scheduled schedule(std::span<const double> blockLatencies, unsigned sms, unsigned blocksPerSm) {
  return Dispatcher(blockLatencies, sms, blocksPerSm).run();
}

} // namespace heddle::divergence
