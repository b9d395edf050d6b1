// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace heddle::check::test {
namespace {

using Kind = Op::Kind;
using Random = std::mt19937_64;

unsigned pick(Random &random, unsigned low, unsigned high) {
  return low + unsigned(random() % (high - low + 1));
}

/// A ring between two groups of warps. Barrier names: full of slot s is first + s, empty is first + slots +
/// s.
struct Ring {
  std::vector<unsigned> producers, consumers;
  unsigned slots, iterations, firstBarrier, firstSlot;
  bool phased; ///< mbarriers
  /// Producers wait in the first iterations too: consumers say "empty" once for each slot at the start, or the
  /// phase before the first counts as over.
  bool primed;
  /// Producers wait at "full" too, and with one slot consumers at "empty": slower, still right.
  bool bothWait;
  bool readsAll;    ///< a consumer reads all slices of a slot, else one
  bool leavesFirst; ///< within an iteration, slices are read from the last to the first

  unsigned threads() const { return unsigned(producers.size() + consumers.size()) * 32; }
  unsigned lap(unsigned iteration) const { return iteration / slots; }
  unsigned full(unsigned iteration) const { return firstBarrier + iteration % slots; }
  unsigned empty(unsigned iteration) const { return firstBarrier + slots + iteration % slots; }
  unsigned slot(unsigned iteration) const { return firstSlot + iteration % slots; }
};

class Builder {
public:
  explicit Builder(Random &random) : random(random) {}

  Plan build() {
    // A chain of groups: between neighbours there is a ring. 16 barriers are all there is.
    const unsigned links = pick(random, 1, 3);
    groups(links + 1);
    unsigned barriers = 0;
    for (unsigned link = 0; link < links; ++link) {
      Ring ring = makeRing(link, links, barriers);
      barriers += 2 * ring.slots;
      for (unsigned i = 0; i < 2 * ring.slots; ++i) {
        const auto &who = i < ring.slots ? ring.producers : ring.consumers;
        plan.mbarriers.push_back(unsigned(who.size()) * 32);
      }
      plan.slots += ring.slots;
      rings.push_back(ring);
    }
    plan.slices = 0;
    for (const Ring &ring : rings)
      plan.slices = std::max(plan.slices, unsigned(ring.producers.size()));
    for (const Ring &ring : rings)
      prime(ring);
    for (unsigned iteration = 0; iteration < rings[0].iterations; ++iteration)
      for (const Ring &ring : rings)
        iterate(ring, iteration);
    if (std::none_of(rings.begin(), rings.end(), [](const Ring &ring) { return ring.phased; }))
      plan.mbarriers.clear();
    describe(barriers);
    return std::move(plan);
  }

private:
  void groups(unsigned count) {
    unsigned next = 0;
    for (unsigned g = 0; g < count; ++g) {
      std::vector<unsigned> &group = members.emplace_back();
      for (unsigned n = pick(random, 1, count == 2 ? 4 : 2); n > 0; --n)
        group.push_back(next++);
    }
    plan.warps.resize(next);
    iterations = pick(random, 1, 19);
  }

  Ring makeRing(unsigned link, unsigned links, unsigned barriers) {
    const unsigned most = std::min(8u, (16 - barriers) / 2 - (links - link - 1));
    Ring ring{};
    ring.producers = members[link], ring.consumers = members[link + 1];
    ring.slots = pick(random, 1, links == 1 ? most : std::min(most, 4u));
    ring.iterations = iterations;
    ring.phased = random() % 3 == 0;
    ring.firstBarrier = barriers, ring.firstSlot = plan.slots;
    ring.primed = iterations >= ring.slots && random() % 3 == 0;
    ring.bothWait = random() % 5 == 0;
    ring.readsAll = random() % 2, ring.leavesFirst = random() % 2;
    return ring;
  }

  void add(const Ring &ring, unsigned warp, Kind kind, unsigned barrier, unsigned parity) {
    Op op{kind};
    op.barrier = barrier, op.phased = ring.phased;
    if (ring.phased)
      op.parity = parity;
    else
      op.threads = ring.threads();
    plan.warps[warp].push_back(op);
  }
  void touch(unsigned warp, Kind kind, unsigned slot, unsigned slice) {
    Op op{kind};
    op.slot = slot, op.slice = slice;
    plan.warps[warp].push_back(op);
  }

  void arrive(const Ring &ring, unsigned warp, unsigned barrier) {
    add(ring, warp, Kind::Arrive, barrier, 0);
  }
  void wait(const Ring &ring, unsigned warp, unsigned barrier, unsigned phase) {
    add(ring, warp, Kind::Sync, barrier, phase & 1);
  }

  void prime(const Ring &ring) {
    for (unsigned slot = 0; ring.primed && !ring.phased && slot < ring.slots; ++slot)
      for (unsigned warp : ring.consumers)
        arrive(ring, warp, ring.empty(slot));
  }

  void iterate(const Ring &ring, unsigned iteration) {
    for (size_t p = 0; p < ring.producers.size(); ++p)
      produce(ring, iteration, unsigned(p));
    for (size_t c = 0; c < ring.consumers.size(); ++c)
      consume(ring, iteration, unsigned(c));
  }

  void produce(const Ring &ring, unsigned iteration, unsigned p) {
    const unsigned warp = ring.producers[p];
    if (ring.primed || iteration >= ring.slots)
      wait(ring, warp, ring.empty(iteration), ring.lap(iteration) + 1); // the phase before this one's
    touch(warp, Kind::Write, ring.slot(iteration), p);
    if (ring.bothWait && !ring.phased)
      wait(ring, warp, ring.full(iteration), 0);
    else
      arrive(ring, warp, ring.full(iteration));
  }

  void consume(const Ring &ring, unsigned iteration, unsigned c) {
    const unsigned warp = ring.consumers[c], slices = unsigned(ring.producers.size());
    wait(ring, warp, ring.full(iteration), ring.lap(iteration));
    if (ring.readsAll)
      for (unsigned i = 0; i < slices; ++i)
        touch(warp, Kind::Read, ring.slot(iteration), ring.leavesFirst ? slices - 1 - i : i);
    else
      touch(warp, Kind::Read, ring.slot(iteration), c % slices);
    if (iteration + ring.slots >= ring.iterations)
      return; // no thread waits for the last ones
    if (ring.bothWait && !ring.phased && ring.slots == 1)
      wait(ring, warp, ring.empty(iteration), 0);
    else
      arrive(ring, warp, ring.empty(iteration));
  }

  void describe(unsigned barriers) {
    plan.about =
        fmt::format("{} warps, {} barriers, {} iterations;", plan.warps.size(), barriers, iterations);
    for (const Ring &ring : rings)
      plan.about += fmt::format(" {} to {} warps over {} slots{}{}{};", ring.producers.size(),
                                ring.consumers.size(), ring.slots, ring.phased ? ", phased" : "",
                                ring.primed ? ", primed" : "", ring.bothWait ? ", both wait" : "");
  }

  Random &random;
  Plan plan;
  unsigned iterations = 0;
  std::vector<std::vector<unsigned>> members;
  std::vector<Ring> rings;
};

// --- mistakes

struct At {
  size_t warp, index;
};

using Wanted = std::function<bool(const std::vector<Op> &, size_t)>;

std::optional<At> somewhere(const Plan &plan, Random &random, const Wanted &wanted) {
  std::vector<At> places;
  for (size_t w = 0; w < plan.warps.size(); ++w)
    for (size_t i = 0; i < plan.warps[w].size(); ++i)
      if (wanted(plan.warps[w], i))
        places.push_back({w, i});
  if (places.empty())
    return std::nullopt;
  return places[random() % places.size()];
}

Wanted ofKind(Kind kind) {
  return [kind](const std::vector<Op> &ops, size_t i) { return ops[i].kind == kind; };
}
/// An operation of one kind right before one of another.
Wanted pairOf(Kind first, Kind second) {
  return [=](const std::vector<Op> &ops, size_t i) {
    return ops[i].kind == first && i + 1 < ops.size() && ops[i + 1].kind == second;
  };
}
bool isBarrier(const std::vector<Op> &ops, size_t i) { return ops[i].isBarrier(); }

bool removeOne(Plan &plan, Random &random, Kind kind) {
  std::optional<At> at = somewhere(plan, random, ofKind(kind));
  if (at)
    plan.warps[at->warp].erase(plan.warps[at->warp].begin() + long(at->index));
  return at.has_value();
}

bool turnInto(Plan &plan, Random &random, Kind from, Kind to) {
  std::optional<At> at = somewhere(plan, random, ofKind(from));
  if (at)
    plan.warps[at->warp][at->index].kind = to;
  return at.has_value();
}

bool swapPair(Plan &plan, Random &random, const Wanted &first) {
  std::optional<At> at = somewhere(plan, random, first);
  if (at)
    std::swap(plan.warps[at->warp][at->index], plan.warps[at->warp][at->index + 1]);
  return at.has_value();
}

unsigned barriersOf(const Plan &plan) {
  unsigned most = 0;
  for (const std::vector<Op> &ops : plan.warps)
    for (const Op &op : ops)
      most = std::max(most, op.isBarrier() ? op.barrier + 1 : 0);
  return most;
}

bool wrongBarrier(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, isBarrier);
  const unsigned barriers = barriersOf(plan);
  if (!at || barriers < 2)
    return false;
  Op &op = plan.warps[at->warp][at->index];
  op.barrier = (op.barrier + pick(random, 1, barriers - 1)) % barriers;
  return true;
}

/// One time in two the count misses a warp, else it has one too many.
unsigned wrongCountOf(unsigned threads, Random &random) {
  return random() % 2 && threads > 32 ? threads - 32 : threads + 32;
}

bool wrongCount(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, isBarrier);
  if (!at)
    return false;
  Op &op = plan.warps[at->warp][at->index];
  unsigned &threads = op.phased ? plan.mbarriers[op.barrier] : op.threads;
  threads = wrongCountOf(threads, random);
  return true;
}

/// All agree on a count, and all are wrong.
bool wrongCountEverywhere(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, isBarrier);
  if (!at)
    return false;
  const Op wanted = plan.warps[at->warp][at->index];
  if (wanted.phased)
    return false; // an mbarrier has one count
  const unsigned threads = wrongCountOf(wanted.threads, random);
  for (std::vector<Op> &ops : plan.warps)
    for (Op &op : ops)
      if (op.isBarrier() && !op.phased && op.barrier == wanted.barrier)
        op.threads = threads;
  return true;
}

bool wrongSlot(Plan &plan, Random &random) {
  std::optional<At> at =
      somewhere(plan, random, [](const std::vector<Op> &ops, size_t i) { return !ops[i].isBarrier(); });
  if (!at || plan.slots < 2)
    return false;
  const Kind kind = plan.warps[at->warp][at->index].kind;
  const bool always = random() % 2;
  for (size_t i = always ? 0 : at->index; i < (always ? plan.warps[at->warp].size() : at->index + 1); ++i)
    if (Op &op = plan.warps[at->warp][i]; op.kind == kind)
      op.slot = (op.slot + 1) % plan.slots;
  return true;
}

bool noEmptyWaits(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, pairOf(Kind::Sync, Kind::Write));
  if (!at)
    return false;
  std::vector<Op> &ops = plan.warps[at->warp], kept;
  for (size_t i = 0; i < ops.size(); ++i)
    if (!pairOf(Kind::Sync, Kind::Write)(ops, i))
      kept.push_back(ops[i]);
  ops = std::move(kept);
  return true;
}

/// A warp ends one barrier, or two, before the others think it does.
bool skippedLastSlice(Plan &plan, Random &random) {
  std::vector<Op> &ops = plan.warps[random() % plan.warps.size()];
  for (unsigned barriers = pick(random, 1, 2); barriers > 0 && !ops.empty(); ops.pop_back())
    barriers -= ops.back().isBarrier();
  return true;
}

bool isPhasedWait(const std::vector<Op> &ops, size_t i) { return ops[i].kind == Kind::Sync && ops[i].phased; }

bool wrongParity(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, isPhasedWait);
  if (at)
    plan.warps[at->warp][at->index].parity ^= 1;
  return at.has_value();
}

/// From some turn on the phase bit is the wrong one, as when it starts over with an outer loop.
bool phaseNotCarried(Plan &plan, Random &random) {
  std::optional<At> at = somewhere(plan, random, isPhasedWait);
  if (!at)
    return false;
  std::vector<Op> &ops = plan.warps[at->warp];
  for (size_t i = at->index; i < ops.size(); ++i)
    if (isPhasedWait(ops, i) && ops[i].barrier == ops[at->index].barrier)
      ops[i].parity ^= 1;
  return true;
}

bool swappedOrder(Plan &plan, Random &random) {
  return swapPair(plan, random, [](const std::vector<Op> &ops, size_t i) {
    return i + 1 < ops.size() && ops[i].isBarrier() && ops[i + 1].isBarrier() &&
           ops[i].barrier != ops[i + 1].barrier;
  });
}

} // namespace

std::string_view nameOf(Mistake mistake) {
  constexpr std::string_view names[] = {
      "missing arrive",         "missing wait",        "wrong barrier",      "wrong count",
      "wrong count everywhere", "wrong slot",          "no empty waits",     "skipped last iteration",
      "swapped order",          "published too early", "released too early", "wait instead of arrive",
      "arrive instead of wait", "wrong parity",        "phase not carried"};
  return names[unsigned(mistake)];
}

Plan makePipeline(Random &random) { return Builder(random).build(); }

bool plant(Mistake mistake, Plan &plan, Random &random) {
  switch (mistake) {
  case Mistake::MissingArrive: return removeOne(plan, random, Kind::Arrive);
  case Mistake::MissingWait: return removeOne(plan, random, Kind::Sync);
  case Mistake::WrongBarrier: return wrongBarrier(plan, random);
  case Mistake::WrongCount: return wrongCount(plan, random);
  case Mistake::WrongCountEverywhere: return wrongCountEverywhere(plan, random);
  case Mistake::WrongSlot: return wrongSlot(plan, random);
  case Mistake::NoEmptyWaits: return noEmptyWaits(plan, random);
  case Mistake::SkippedLastSlice: return skippedLastSlice(plan, random);
  case Mistake::SwappedOrder: return swappedOrder(plan, random);
  case Mistake::PublishedTooEarly: return swapPair(plan, random, pairOf(Kind::Write, Kind::Arrive));
  case Mistake::ReleasedTooEarly: return swapPair(plan, random, pairOf(Kind::Read, Kind::Arrive));
  case Mistake::WaitInsteadOfArrive: return turnInto(plan, random, Kind::Arrive, Kind::Sync);
  case Mistake::ArriveInsteadOfWait: return turnInto(plan, random, Kind::Sync, Kind::Arrive);
  case Mistake::WrongParity: return wrongParity(plan, random);
  case Mistake::PhaseNotCarried: return phaseNotCarried(plan, random);
  }
  return false;
}

} // namespace heddle::check::test
