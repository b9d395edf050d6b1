// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronization points are numbered in an order that all warps keep (orderFault checks it), so one pass over
// the points is enough: at a point, the clocks of all who come are known. Their maximum, with the step at which
// each of them came, is what those who wait know from then on. Between two waits a warp learns nothing, so clocks
// are kept for waits only, and a question about a step goes to the last wait before it.
#include "partition/HappensBefore.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace heddle::partition {

namespace {

bool isMeeting(const Step &step) { return step.kind == StepKind::Arrive || step.kind == StepKind::Wait; }

bool contains(const std::vector<unsigned> &list, unsigned item) {
  return std::ranges::find(list, item) != list.end();
}

std::string orderFaultOf(const Partitioned &partitioned, unsigned warp, std::vector<unsigned> &attended) {
  std::optional<unsigned> lastWait;
  for (size_t i = 0; i < partitioned.warps[warp].size(); ++i) {
    const Step &step = partitioned.warps[warp][i];
    if (!isMeeting(step))
      continue;
    const std::string where = fmt::format("step {} of warp {}", i, warp);
    if (step.point >= partitioned.points.size())
      return fmt::format("{} is at point {}, which does not exist", where, step.point);
    const SyncPoint &point = partitioned.points[step.point];
    const bool waits = step.kind == StepKind::Wait;
    if (!contains(waits ? point.waiting : point.arriving, warp))
      return fmt::format("{} {} point {}, which does not count on it", where,
                         waits ? "waits at" : "arrives at", step.point);
    if (lastWait && step.point <= *lastWait)
      return fmt::format("{} is at point {} after a wait at point {}", where, step.point, *lastWait);
    ++attended[step.point];
    if (waits)
      lastWait = step.point;
  }
  return "";
}

} // namespace

std::string orderFault(const Partitioned &partitioned) {
  std::vector<unsigned> attended(partitioned.points.size());
  for (unsigned warp = 0; warp < partitioned.warps.size(); ++warp) {
    std::vector<unsigned> before = attended;
    if (std::string fault = orderFaultOf(partitioned, warp, attended); !fault.empty())
      return fault;
    for (unsigned p = 0; p < attended.size(); ++p)
      if (attended[p] > before[p] + 1)
        return fmt::format("warp {} is at point {} more than once", warp, p);
  }
  for (unsigned p = 0; p < attended.size(); ++p)
    if (attended[p] != partitioned.points[p].arriving.size() + partitioned.points[p].waiting.size())
      return fmt::format("point {} is never complete: {} warps come, {} are counted on", p, attended[p],
                         partitioned.points[p].threads() / 32);
  return "";
}

HappensBefore::HappensBefore(const Partitioned &partitioned)
    : warps(partitioned.warps.size()), learnt(warps), attendances(partitioned.points.size() * warps) {
  for (unsigned warp = 0; warp < warps; ++warp)
    for (size_t i = 0; i < partitioned.warps[warp].size(); ++i)
      if (isMeeting(partitioned.warps[warp][i]))
        attendances[partitioned.warps[warp][i].point * warps + warp] = i;
  for (unsigned p = 0; p < partitioned.points.size(); ++p) {
    Clock all(warps);
    for (const std::vector<unsigned> *list :
         {&partitioned.points[p].arriving, &partitioned.points[p].waiting})
      for (unsigned warp : *list) {
        const size_t step = attendance(p, warp);
        if (const Clock *clock = clockAt(warp, step))
          for (size_t w = 0; w < warps; ++w)
            all[w] = std::max(all[w], (*clock)[w]);
        all[warp] = std::max(all[warp], step + 1);
      }
    for (unsigned warp : partitioned.points[p].waiting)
      learnt[warp].push_back({attendance(p, warp), all});
  }
}

/// Clocks of later waits know all that those of earlier ones do, because a warp brings its own along.
const HappensBefore::Clock *HappensBefore::clockAt(unsigned warp, size_t step) const {
  const auto after =
      std::ranges::partition_point(learnt[warp], [&](const Learnt &each) { return each.step < step; });
  return after == learnt[warp].begin() ? nullptr : &std::prev(after)->clock;
}

bool HappensBefore::isBefore(unsigned a, size_t first, unsigned b, size_t second) const {
  if (a == b)
    return first < second;
  const Clock *clock = clockAt(b, second);
  return clock && (*clock)[a] > first;
}

} // namespace heddle::partition
