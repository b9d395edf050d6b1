// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number 0 is for points of all warps: one of them is complete before anybody gets past it, so they never
// interfere. The others, in linear order, take the first number whose last point they do not interfere with;
// points before that one are complete earlier still.
//
// If none is free, the point becomes one of all warps. Those that did not attend it, or only arrived, wait
// just before the step at which they attend a later point. At the worst all points are of all warps.
#include "partition/Barriers.h"

#include <algorithm>
#include <optional>

namespace heddle::partition {

namespace {

std::vector<unsigned> warpsOf(const SyncPoint &point) {
  std::vector<unsigned> warps = point.arriving;
  warps.insert(warps.end(), point.waiting.begin(), point.waiting.end());
  return warps;
}

bool isAt(const Step &step) { return step.kind == StepKind::Arrive || step.kind == StepKind::Wait; }

/// The place in a warp's list at which it can wait at a point that it did not attend: before it is at any
/// later one, and after it has been at all earlier ones.
size_t placeFor(const std::vector<Step> &steps, unsigned point) {
  const auto later = std::ranges::find_if(steps, [&](const Step &s) { return isAt(s) && s.point > point; });
  const auto earlier =
      std::find_if(steps.rbegin(), steps.rend(), [&](const Step &s) { return isAt(s) && s.point < point; });
  return std::max(size_t(later - steps.begin()), size_t(steps.rend() - earlier));
}

/// What a warp did before it arrived must stay before the wait that takes the arrival's place.
void waitInsteadOf(std::vector<Step> &steps, unsigned point) {
  const auto there = std::ranges::find_if(steps, [&](const Step &s) { return isAt(s) && s.point == point; });
  if (there != steps.end() && there->kind == StepKind::Wait)
    return;
  size_t place = 0;
  if (there != steps.end()) {
    place = size_t(there - steps.begin());
    steps.erase(there);
  }
  place = std::max(place, placeFor(steps, point));
  steps.insert(steps.begin() + long(place), {.kind = StepKind::Wait, .point = point});
}

void makeWaitOfAll(Partitioned &partitioned, unsigned p) {
  SyncPoint &point = partitioned.points[p];
  point.arriving.clear();
  point.waiting.clear();
  for (unsigned warp = 0; warp < partitioned.warps.size(); ++warp) {
    point.waiting.push_back(warp);
    waitInsteadOf(partitioned.warps[warp], p);
  }
}

/// Gives numbers in order. Returns the first point that finds none.
std::optional<unsigned> number(Partitioned &partitioned, unsigned count) {
  const HappensBefore order(partitioned);
  std::vector<std::optional<unsigned>> last(count);
  const auto take = [&](unsigned p, unsigned barrier) {
    if (last[barrier] && interfere(partitioned, order, *last[barrier], p))
      return false;
    last[barrier] = p;
    partitioned.points[p].barrier = barrier;
    return true;
  };
  for (unsigned p = 0; p < partitioned.points.size(); ++p) {
    if (partitioned.points[p].waiting.size() == partitioned.warps.size()) {
      partitioned.points[p].barrier = 0;
      continue;
    }
    unsigned barrier = 1;
    while (barrier < count && !take(p, barrier))
      ++barrier;
    if (barrier >= count)
      return p;
  }
  return std::nullopt;
}

} // namespace

bool interfere(const Partitioned &partitioned, const HappensBefore &order, unsigned first, unsigned second) {
  for (unsigned a : warpsOf(partitioned.points[first]))
    for (unsigned b : warpsOf(partitioned.points[second]))
      if (!order.isBefore(a, order.attendance(first, a), b, order.attendance(second, b)))
        return true;
  return false;
}

unsigned allocateBarriers(Partitioned &partitioned, unsigned count) {
  unsigned changed = 0;
  for (std::optional<unsigned> stuck = number(partitioned, count); stuck;
       stuck = number(partitioned, count), ++changed)
    makeWaitOfAll(partitioned, *stuck);
  return changed;
}

} // namespace heddle::partition
