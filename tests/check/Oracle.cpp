// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One schedule is played with vector clocks, a component a warp:
//   - arrive and sync add the warp's clock to the barrier's; who waits takes the barrier's clock along when
//   it completes;
//   - a round of a barrier is safe when everyone who comes to the next one knows that all have come to the
//   last: then the
//     arrival cannot be counted for the wrong round, whatever the schedule;
//   - of an mbarrier the arrivals alone count, and who waits names the parity of a phase: it goes on at once
//   where the
//     phase under way has the other parity;
//   - two accesses to a slice race when one writes and neither's time is known to the other;
//   - so they do when lanes of one warp wrote and read and the warp did not meet itself in between;
//   - a read of a slice that no known write filled reads nothing.
// What differs between schedules shows as the union over several of them.
#include "check/Oracle.h"

#include <algorithm>
#include <map>
#include <random>

namespace heddle::check::test {
namespace {

using Kind = Op::Kind;
using Clock = std::vector<unsigned>;

void join(Clock &into, const Clock &other) {
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

bool knows(const Clock &clock, const Clock &of) {
  return std::equal(clock.begin(), clock.end(), of.begin(), std::greater_equal<>());
}

struct Round {
  unsigned threads = 0, arrived = 0;
  std::vector<size_t> came, waiting;
  Clock clock;
};

struct Barrier {
  Round now;
  Clock last; ///< of everyone who came to the round before; empty: there was none
};

struct Mbarrier {
  unsigned pending = 0, phase = 0;
  Clock clock, last; ///< of this phase, of the one before
  std::vector<size_t> waiting;
};

struct Access {
  size_t warp;
  unsigned time;
  bool writes;
};

class Play {
public:
  Play(const Plan &plan, uint64_t seed, Truth &truth)
      : plan(plan), truth(truth), random(seed), at(plan.warps.size(), 0), waits(plan.warps.size(), false),
        clocks(plan.warps.size(), Clock(plan.warps.size(), 0)), met(plan.warps.size(), 0) {
    for (size_t w = 0; w < clocks.size(); ++w)
      clocks[w][w] = 1;
    for (unsigned threads : plan.mbarriers)
      mbarriers.push_back({threads, 0, Clock(clocks.size(), 0), Clock(clocks.size(), 0), {}});
  }

  void run() {
    // Fair, always the first, always the last: the extremes show most.
    const unsigned taste = unsigned(random() % 3);
    while (!broken) {
      std::vector<size_t> ready;
      for (size_t w = 0; w < at.size(); ++w)
        if (!waits[w] && at[w] < plan.warps[w].size())
          ready.push_back(w);
      if (ready.empty())
        break;
      step(taste == 0 ? ready.front() : taste == 1 ? ready.back() : ready[random() % ready.size()]);
    }
    for (const auto &[name, barrier] : barriers)
      if (!barrier.now.waiting.empty() && !broken)
        report("deadlock/barrier");
    for (const Mbarrier &mbarrier : mbarriers)
      if (!mbarrier.waiting.empty() && !broken)
        report("deadlock/mbarrier");
    for (const auto &[name, barrier] : barriers)
      truth.arrivalsLeft |= barrier.now.arrived && barrier.now.waiting.empty();
  }

private:
  void report(const char *rule) { truth.rules.insert(rule); }

  void step(size_t w) {
    const Op &op = plan.warps[w][at[w]++];
    if (op.isBarrier() && op.phased)
      op.kind == Kind::Arrive ? arrive(w, op) : wait(w, op);
    else if (op.isBarrier())
      reach(w, op);
    else
      access(w, op);
    ++clocks[w][w];
  }

  void reach(size_t w, const Op &op) {
    Barrier &barrier = barriers[op.barrier];
    Round &round = barrier.now;
    if (!barrier.last.empty() && !knows(clocks[w], barrier.last))
      report("barrier/reused");
    if (op.threads > plan.threads())
      return report("barrier/count"), void(broken = true);
    if (round.arrived && round.threads != op.threads)
      return report("barrier/count"), void(broken = true);
    if (std::find(round.came.begin(), round.came.end(), w) != round.came.end())
      report("barrier/reused"); // counted twice for one round
    round.came.push_back(w);
    if (round.clock.empty())
      round.clock = Clock(clocks.size(), 0);
    round.threads = op.threads;
    round.arrived += 32;
    join(round.clock, clocks[w]);
    if (op.kind == Kind::Sync) {
      round.waiting.push_back(w);
      waits[w] = true;
    }
    if (round.arrived == round.threads)
      complete(barrier);
  }

  void learn(size_t w, const Clock &clock) {
    join(clocks[w], clock);
    met[w] = std::max(met[w], clock[w]);
  }

  void complete(Barrier &barrier) {
    if (barrier.now.waiting.empty())
      report("barrier/no-waiter");
    for (size_t w : barrier.now.waiting) {
      learn(w, barrier.now.clock);
      waits[w] = false;
    }
    barrier.last = barrier.now.clock;
    barrier.now = {};
  }

  void arrive(size_t w, const Op &op) {
    Mbarrier &mbarrier = mbarriers[op.barrier];
    if (!knows(clocks[w], mbarrier.last))
      report("barrier/mbarrier-count"); // may be counted for the phase before
    if (mbarrier.pending < 32)
      return report("barrier/mbarrier-count"), void(broken = true);
    join(mbarrier.clock, clocks[w]);
    mbarrier.pending -= 32;
    if (mbarrier.pending == 0)
      complete(mbarrier, plan.mbarriers[op.barrier]);
  }

  void complete(Mbarrier &mbarrier, unsigned threads) {
    for (size_t w : mbarrier.waiting) {
      learn(w, mbarrier.clock);
      waits[w] = false;
    }
    mbarrier = {threads, mbarrier.phase + 1, Clock(clocks.size(), 0), mbarrier.clock, {}};
  }

  void wait(size_t w, const Op &op) {
    Mbarrier &mbarrier = mbarriers[op.barrier];
    if ((mbarrier.phase & 1) != op.parity)
      return learn(w, mbarrier.last);
    mbarrier.waiting.push_back(w);
    waits[w] = true;
  }

  void access(size_t w, const Op &op) {
    auto &before = accesses[{op.slot, op.slice}];
    const bool writes = op.kind == Kind::Write;
    bool filled = false;
    for (const Access &other : before) {
      const bool known = clocks[w][other.warp] >= other.time;
      if (other.warp != w && !known && (writes || other.writes))
        report("race/shared");
      if (other.warp == w && writes != other.writes && met[w] < other.time)
        report("warp/lockstep");
      filled |= other.writes && (known || other.warp == w);
    }
    if (!writes && !filled)
      report("uninitialized/shared");
    before.push_back({w, clocks[w][w], writes});
  }

  const Plan &plan;
  Truth &truth;
  std::mt19937_64 random;
  std::vector<size_t> at;
  std::vector<bool> waits;
  std::vector<Clock> clocks;
  std::vector<unsigned> met; ///< for each warp, up to when each of its lanes knows of all others
  std::map<unsigned, Barrier> barriers;
  std::vector<Mbarrier> mbarriers;
  std::map<std::pair<unsigned, unsigned>, std::vector<Access>> accesses;
  bool broken = false;
};

} // namespace

Truth rules(const Plan &plan, uint64_t seed) {
  Truth all;
  for (unsigned i = 0; i < 48; ++i) {
    Truth truth;
    Play(plan, seed + i, truth).run();
    all.isSettled &= i == 0 || truth.rules == all.rules;
    all.rules.merge(truth.rules);
    all.arrivalsLeft |= truth.arrivalsLeft;
  }
  return all;
}

} // namespace heddle::check::test
