// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of events is small: only loops and branches that hold a barrier are left in it, everything else is
// a region. For a region we look backwards for all places where the stretch it belongs to may have begun:
//
//   - go back over the siblings before it; a sibling that holds barriers gives the last of them on each way
//   through
//     it, and ends the search unless it has a way without a barrier;
//   - at the head of a loop, go on before the loop, and also at the end of its body (the iteration before);
//   - at the kernel's start, that is where it began.
//
// Two regions meet where they share a beginning. With B the beginning, a region is, in a loop around it,
// either in B's own iteration, in the next one (the loop's end was passed), in the first (B is outside, and
// each iteration stops at a barrier), or in any. Comparing that for both gives the relation of their
// iterations.
#include "analysis/Order.h"

#include <algorithm>
#include <functional>

namespace heddle::analysis {
namespace {

bool isStop(const Event &event, bool warpBarriers) {
  return event.kind == Event::Kind::Barrier || (warpBarriers && event.kind == Event::Kind::WarpBarrier);
}

bool hasBarrierInside(const Event &event) {
  if (event.kind == Event::Kind::Barrier || event.kind == Event::Kind::WarpBarrier)
    return true;
  return std::any_of(event.children.begin(), event.children.end(),
                     [](const auto &c) { return hasBarrierInside(*c); });
}

void forEach(const Event &event, const std::function<void(const Event &)> &visit) {
  visit(event);
  for (const auto &child : event.children)
    forEach(*child, visit);
}

bool isInside(const Event *event, const Loop *loop) {
  for (; event; event = event->parent)
    if (event->kind == Event::Kind::Loop && event->loop == loop)
      return true;
  return false;
}

bool isBelow(const Event *event, const Event &above) {
  while (event && event != &above)
    event = event->parent;
  return event;
}

void mergeSequence(Event &sequence, std::vector<unsigned> &renumbered, unsigned &count) {
  std::vector<std::unique_ptr<Event>> kept;
  for (auto &child : sequence.children) {
    if (hasBarrierInside(*child)) {
      for (auto &way : child->children)
        mergeSequence(*way, renumbered, count);
      kept.push_back(std::move(child));
      continue;
    }
    if (kept.empty() || kept.back()->kind != Event::Kind::Region) {
      kept.push_back(std::make_unique<Event>());
      kept.back()->kind = Event::Kind::Region;
      kept.back()->region = count++;
    }
    forEach(*child, [&](const Event &inner) {
      if (inner.kind == Event::Kind::Region)
        renumbered[inner.region] = kept.back()->region;
    });
  }
  sequence.children = std::move(kept);
  for (unsigned i = 0; i < sequence.children.size(); ++i) {
    sequence.children[i]->parent = &sequence;
    sequence.children[i]->indexInParent = i;
  }
}

/// Where, in one loop, a region is relative to the beginning of its stretch.
enum class Spot { Same, Next, Later, First, Any };

Relation relation(Spot a, Spot b) {
  if (a == Spot::Any || b == Spot::Any)
    return Relation::Any;
  if (a == b && a != Spot::Later)
    return Relation::Equal;
  if (a == Spot::Same)
    return b == Spot::Next ? Relation::Next : b == Spot::Later ? Relation::Before : Relation::Any;
  if (b == Spot::Same)
    return a == Spot::Next ? Relation::Previous : a == Spot::Later ? Relation::After : Relation::Any;
  return Relation::Any;
}

std::vector<const Loop *> loopsAround(const Event *event) {
  std::vector<const Loop *> list;
  for (; event; event = event->parent)
    if (event->kind == Event::Kind::Loop)
      list.insert(list.begin(), event->loop);
  return list;
}

} // namespace

std::vector<unsigned> mergeRegions(Event &root, unsigned regions, unsigned &count) {
  std::vector<unsigned> renumbered(regions, 0);
  count = 0;
  mergeSequence(root, renumbered, count);
  return renumbered;
}

Order::Order(const Accesses &theAccesses) : accesses(theAccesses) {
  regionEvents.resize(accesses.regions());
  forEach(accesses.order(), [&](const Event &event) {
    if (event.kind == Event::Kind::Region)
      regionEvents[event.region] = &event;
  });
  for (bool warp : {false, true}) {
    std::function<Facts(const Event &)> learn = [&](const Event &event) {
      Facts facts{isStop(event, warp), !isStop(event, warp)};
      bool allPass = true, anyPasses = event.children.empty();
      for (const auto &child : event.children) {
        Facts inner = learn(*child);
        facts.stops |= inner.stops;
        allPass &= inner.passes;
        anyPasses |= inner.passes;
      }
      if (event.kind == Event::Kind::Sequence)
        facts.passes = allPass;
      if (event.kind == Event::Kind::Branch)
        facts.passes = anyPasses;
      if (event.kind == Event::Kind::Loop) {
        loopPasses[warp][event.loop] = allPass;
        facts.passes = allPass || event.mayBeSkipped;
      }
      return known[warp][&event] = facts;
    };
    learn(accesses.order());
  }
}

Order::Facts Order::factsOf(const Event &event, bool warpBarriers) const {
  return known[warpBarriers].at(&event);
}

/// The barriers inside `event` from which its end can be reached without another.
void Order::lastBarriers(const Event &event, bool warpBarriers, std::vector<const Event *> &found) const {
  if (isStop(event, warpBarriers))
    found.push_back(&event);
  if (event.kind == Event::Kind::Branch || event.kind == Event::Kind::Loop)
    for (const auto &way : event.children)
      lastBarriers(*way, warpBarriers, found);
  if (event.kind == Event::Kind::Sequence)
    for (size_t i = event.children.size(); i-- > 0;) {
      lastBarriers(*event.children[i], warpBarriers, found);
      if (!factsOf(*event.children[i], warpBarriers).passes)
        return;
    }
}

void Order::startsBefore(const Event &event, bool warpBarriers, Start state,
                         std::vector<Start> &found) const {
  auto addAll = [&](const Event &inside, Start with) {
    std::vector<const Event *> barriers;
    lastBarriers(inside, warpBarriers, barriers);
    for (const Event *barrier : barriers)
      found.push_back({barrier, with.passed, with.passedOften});
  };
  const Event *parent = event.parent;
  if (!parent) {
    found.push_back({nullptr, state.passed, state.passedOften});
    return;
  }
  if (parent->kind == Event::Kind::Sequence)
    for (unsigned i = event.indexInParent; i-- > 0;) {
      addAll(*parent->children[i], state);
      if (!factsOf(*parent->children[i], warpBarriers).passes)
        return;
    }
  if (parent->kind == Event::Kind::Loop) {
    Start around{nullptr, parent->loop, factsOf(event, warpBarriers).passes};
    addAll(event, around);
  }
  startsBefore(*parent, warpBarriers, state, found);
}

const std::vector<Order::Start> &Order::startsOf(unsigned region, bool warpBarriers) const {
  auto [at, isNew] = starts[warpBarriers].try_emplace(region);
  if (isNew)
    startsBefore(*regionEvents[region], warpBarriers, {}, at->second);
  return at->second;
}

/// Loops and branches around a barrier are decided alike by all threads of a block. From one beginning, one
/// thread cannot go around such a loop while another leaves it, nor can they take different ways of one such
/// branch.
bool Order::excludeEachOther(const Start &a, const Event *first, const Start &b, const Event *second) const {
  auto goesAround = [](const Start &start, const Loop *loop) {
    return start.passed == loop && !start.passedOften;
  };
  auto leaves = [](const Start &start, const Event *region, const Loop *loop) {
    return !isInside(region, loop) || (start.passed && start.passed != loop && loop->isInside(start.passed));
  };
  for (const Loop *loop : loopsAround(a.from))
    if ((goesAround(a, loop) && leaves(b, second, loop)) || (goesAround(b, loop) && leaves(a, first, loop)))
      return true;
  if (a.passed != b.passed)
    return false;
  // In one iteration of the loops around: not where a loop was entered on the way, of which some iterations may have passed without
  // a barrier. There the other may still be behind in an earlier one.
  auto isOneIteration = [&](const Event *event) {
    for (const Loop *loop : loopsAround(event->parent)) {
      const bool entered =
          !isInside(a.from, loop) || (a.passed && a.passed != loop && loop->isInside(a.passed));
      if (entered && loopPasses[false].at(loop))
        return false;
    }
    return true;
  };
  // One enters a loop that holds a barrier on each way through it, or a way of a branch that does, and the other
  // is already after it: it would have gone past the loop or the way that the first one enters.
  auto goesPast = [&](const Event *in, const Event *behind) {
    for (const Event *way = in, *around = in->parent; around && behind->region > in->region;
         way = around, around = around->parent) {
      if (isBelow(behind, *around) || isBelow(a.from, *around) || !isOneIteration(around))
        continue;
      if (around->kind == Event::Kind::Loop && factsOf(*around, false).stops &&
          !loopPasses[false].at(around->loop))
        return true;
      if (around->kind == Event::Kind::Branch && !factsOf(*way, false).passes)
        return true;
    }
    return false;
  };
  if (!a.passedOften && !b.passedOften && (goesPast(first, second) || goesPast(second, first)))
    return true;
  // The lowest event above both: a branch whose ways they are on?
  for (const Event *way = first; way->parent; way = way->parent) {
    const Event *above = way->parent;
    const Event *other = second;
    while (other && other->parent != above)
      other = other->parent;
    if (other)
      return above->kind == Event::Kind::Branch && other != way && factsOf(*above, false).stops;
  }
  return false;
}

std::vector<RegionPair> Order::pairs(unsigned first, unsigned second, bool warpBarriers) const {
  std::vector<const Loop *> common = loopsAround(regionEvents[first]);
  std::erase_if(common, [&](const Loop *loop) { return !isInside(regionEvents[second], loop); });
  auto spotIn = [&](const Start &start, const Loop *loop) {
    bool passes = loopPasses[warpBarriers].at(loop);
    if (start.passed == loop)
      return start.passedOften ? Spot::Later : Spot::Next;
    // Inside the loop that was passed, or with the beginning outside: the loop was entered again.
    bool entered = !isInside(start.from, loop) || (start.passed && loop->isInside(start.passed));
    if (!entered)
      return Spot::Same;
    return passes ? Spot::Any : Spot::First;
  };
  std::vector<RegionPair> found;
  for (const Start &a : startsOf(first, warpBarriers))
    for (const Start &b : startsOf(second, warpBarriers)) {
      if (a.from != b.from || excludeEachOther(a, regionEvents[first], b, regionEvents[second]))
        continue;
      RegionPair pair;
      for (const Loop *loop : common)
        pair.loops.emplace_back(loop, relation(spotIn(a, loop), spotIn(b, loop)));
      if (std::find(found.begin(), found.end(), pair) == found.end())
        found.push_back(std::move(pair));
    }
  return found;
}

bool Order::mayPrecede(unsigned first, unsigned second) const {
  // Regions are numbered in program order; a loop with a barrier brings the later ones before the earlier.
  if (first < second)
    return true;
  for (const Event *event = regionEvents[first]; event; event = event->parent)
    if (event->kind == Event::Kind::Loop && isInside(regionEvents[second], event->loop))
      return true;
  return false;
}

} // namespace heddle::analysis
