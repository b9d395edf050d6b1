// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Every warp's steps become pieces (Pieces.h), the lists are aligned (Align.h), variables are named
//    (Variables.h).
// 2. Positions are put in an order with few changes between sets of warps: only the order of each warp's own
//    pieces is given, so what belongs to one set of warps can move together. Variables that never live at
//    once in a warp become one.
// 3. Short regions without effects lose their branch: all warps go through them.
// 4. Regions of different warps in a row become the ways of a fork, cut where they are long.
#include "partition/Overlay.h"

#include "model/Thresholds.h"
#include "partition/OrderByShape.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace heddle::partition {
namespace {

using model::threshold::partition::branchInstructions;

Instance instanceOf(const Place &place, const std::vector<PieceList> &lists, const Variables &variables) {
  Instance instance;
  instance.pieces = place.pieces;
  for (unsigned warp = 0; warp < lists.size(); ++warp) {
    if (place.pieces[warp] == Piece::none)
      continue;
    const Piece &piece = lists[warp].pieces[place.pieces[warp]];
    if (!instance.warps) {
      instance.shape = piece.shape;
      for (unsigned web : piece.reads)
        instance.reads.push_back(variables.ofWeb[warp][web]);
      for (unsigned web : piece.writes)
        instance.writes.push_back(variables.ofWeb[warp][web]);
    }
    instance.warps |= 1u << warp;
  }
  return instance;
}

std::vector<Instance> instancesOf(const std::vector<Place> &places, const std::vector<PieceList> &lists,
                                  const Variables &variables) {
  std::vector<Instance> instances;
  for (const Place &place : places)
    instances.push_back(instanceOf(place, lists, variables));
  return instances;
}

/// An order of instances in which each warp's pieces keep theirs, and as many as possible of one set of warps
/// are in a row.
std::vector<unsigned> groupByWarps(const std::vector<Instance> &instances, unsigned warps) {
  std::vector<std::vector<unsigned>> ofWarp(warps);
  for (unsigned i = 0; i < instances.size(); ++i)
    for (unsigned warp = 0; warp < warps; ++warp)
      if (instances[i].warps >> warp & 1)
        ofWarp[warp].push_back(i);
  std::vector<size_t> next(warps);
  const auto isReady = [&](unsigned instance) {
    for (unsigned warp = 0; warp < warps; ++warp)
      if (instances[instance].warps >> warp & 1 && ofWarp[warp][next[warp]] != instance)
        return false;
    return true;
  };
  std::vector<unsigned> order;
  WarpMask current = 0;
  while (order.size() < instances.size()) {
    unsigned chosen = Piece::none;
    for (unsigned warp = 0; warp < warps; ++warp) {
      if (next[warp] == ofWarp[warp].size())
        continue;
      const unsigned candidate = ofWarp[warp][next[warp]];
      if (candidate == chosen || !isReady(candidate))
        continue;
      const bool goesOn = instances[candidate].warps == current;
      if (goesOn || chosen == Piece::none || (candidate < chosen && instances[chosen].warps != current))
        chosen = candidate;
    }
    current = instances[chosen].warps;
    for (unsigned warp = 0; warp < warps; ++warp)
      next[warp] += current >> warp & 1;
    order.push_back(chosen);
  }
  return order;
}

std::vector<Region> regionsOf(const std::vector<Instance> &instances, const std::vector<unsigned> &order) {
  std::vector<Region> regions;
  for (unsigned i : order) {
    if (regions.empty() || regions.back().warps != instances[i].warps)
      regions.push_back({instances[i].warps, {}, 0});
    regions.back().instances.push_back(i);
    regions.back().instructions += instructionsOf(instances[i].shape);
  }
  return regions;
}

/// Variables that live in one region alone: no other registers are affected by them.
std::vector<bool> localVariables(const std::vector<Instance> &instances, const std::vector<Region> &regions,
                                 unsigned count) {
  std::vector<unsigned> home(count, Piece::none);
  std::vector<bool> isLocal(count, true);
  for (unsigned region = 0; region < regions.size(); ++region)
    for (unsigned i : regions[region].instances)
      for (const auto *touched : {&instances[i].reads, &instances[i].writes})
        for (unsigned variable : *touched) {
          isLocal[variable] =
              isLocal[variable] && (home[variable] == Piece::none || home[variable] == region);
          home[variable] = region;
        }
  return isLocal;
}

/// Lets all warps go through short regions of some.
class Padding {
public:
  Padding(Overlaid &overlaid, const Variables &variables) : overlaid(overlaid), done(overlaid.warps) {
    for (unsigned warp = 0; warp < overlaid.warps; ++warp) {
      lives.emplace_back();
      for (unsigned web = 0; web < overlaid.lists[warp].webs.size(); ++web)
        if (const unsigned variable = variables.ofWeb[warp][web]; variable != Piece::none)
          lives.back()[variable].push_back(&overlaid.lists[warp].webs[web]);
    }
  }

  void run(std::vector<Region> &regions) {
    for (Region &region : regions) {
      if (region.warps != overlaid.all() && isCheaper(region) && isHarmless(region)) {
        region.warps = overlaid.all();
        for (unsigned i : region.instances)
          overlaid.hasZeroRow |= readsRow(overlaid.instances[i]);
      }
      for (unsigned i : region.instances)
        for (unsigned warp = 0; warp < overlaid.warps; ++warp)
          done[warp] += overlaid.instances[i].warps >> warp & 1;
    }
  }

private:
  Overlaid &overlaid;
  std::vector<std::map<unsigned, std::vector<const Web *>>> lives; ///< by warp and variable
  std::vector<unsigned> done;                                      ///< pieces of each warp before here

  static bool readsRow(const Instance &instance) {
    return instance.shape.kind == PieceKind::Get || instance.shape.kind == PieceKind::AddRow;
  }

  bool isCheaper(const Region &region) const {
    const unsigned others = overlaid.warps - unsigned(std::popcount(region.warps));
    return region.instructions * others <= branchInstructions * overlaid.warps;
  }

  bool isAlive(unsigned warp, unsigned variable) const {
    auto found = lives[warp].find(variable);
    return found != lives[warp].end() && std::ranges::any_of(found->second, [&](const Web *web) {
             return web->begin < 2 * done[warp] && web->end >= 2 * done[warp];
           });
  }

  bool isAliveElsewhere(const Region &region, unsigned variable) const {
    for (unsigned warp = 0; warp < overlaid.warps; ++warp)
      if (!(region.warps >> warp & 1) && isAlive(warp, variable))
        return true;
    return false;
  }

  bool isHarmless(const Region &region) const {
    std::set<unsigned> zeros; // variables that others find zero in
    for (unsigned i : region.instances) {
      const Instance &instance = overlaid.instances[i];
      const PieceKind kind = instance.shape.kind;
      if (kind == PieceKind::AddRow)
        continue;
      if (kind == PieceKind::Accumulate && instance.reads.size() == 2 && zeros.contains(instance.reads[1]))
        continue;
      const bool isPure = kind == PieceKind::Compute || kind == PieceKind::Get || kind == PieceKind::Zero ||
                          kind == PieceKind::Accumulate;
      if (!isPure || isAliveElsewhere(region, instance.writes[0]))
        return false;
      if (kind == PieceKind::Get)
        zeros.insert(instance.writes[0]);
      else
        zeros.erase(instance.writes[0]);
    }
    return true;
  }
};

std::vector<Region> joined(std::vector<Region> regions) {
  std::vector<Region> result;
  for (Region &region : regions) {
    if (result.empty() || result.back().warps != region.warps) {
      result.push_back(std::move(region));
      continue;
    }
    Region &last = result.back();
    last.instances.insert(last.instances.end(), region.instances.begin(), region.instances.end());
    last.instructions += region.instructions;
  }
  return result;
}

/// The first instructions of a region, no more than `most` unless one alone has more; they are taken from it.
Region takeFrom(Region &region, unsigned most, const std::vector<Instance> &instances) {
  Region taken = {region.warps, {}, 0};
  size_t count = 0;
  for (; count < region.instances.size(); ++count) {
    const unsigned instructions = instructionsOf(instances[region.instances[count]].shape);
    if (count > 0 && taken.instructions + instructions > most)
      break;
    taken.instructions += instructions;
  }
  taken.instances.assign(region.instances.begin(), region.instances.begin() + count);
  region.instances.erase(region.instances.begin(), region.instances.begin() + count);
  region.instructions -= taken.instructions;
  return taken;
}

/// Many warps on long ways of their own do not fit a cache together: they go on side by side, a bit at a
/// time.
void addCut(Fork fork, unsigned mostInWay, const std::vector<Instance> &instances, std::vector<Fork> &to) {
  if (fork.ways.size() <= 2) {
    to.push_back(std::move(fork));
    return;
  }
  while (!fork.ways.empty()) {
    Fork part;
    for (Region &way : fork.ways)
      part.ways.push_back(takeFrom(way, mostInWay, instances));
    std::erase_if(fork.ways, [](const Region &way) { return way.instances.empty(); });
    to.push_back(std::move(part));
  }
}

std::vector<Fork> forksOf(std::vector<Region> regions, const std::vector<Instance> &instances,
                          unsigned mostInWay) {
  std::vector<Fork> forks;
  Fork open;
  WarpMask taken = 0;
  for (Region &region : regions) {
    if (taken & region.warps) {
      addCut(std::move(open), mostInWay, instances, forks);
      open = {};
      taken = 0;
    }
    taken |= region.warps;
    open.ways.push_back(std::move(region));
  }
  if (!open.ways.empty())
    addCut(std::move(open), mostInWay, instances, forks);
  return forks;
}

/// What the program calls it, where all webs of a variable have one name; each name once.
std::vector<std::string> namesOf(const std::vector<PieceList> &lists, const Variables &variables) {
  std::vector<std::string> names(variables.count);
  std::vector<bool> differ(variables.count);
  for (size_t warp = 0; warp < lists.size(); ++warp)
    for (size_t web = 0; web < lists[warp].webs.size(); ++web) {
      const unsigned variable = variables.ofWeb[warp][web];
      if (variable == Piece::none)
        continue;
      std::string &name = names[variable];
      differ[variable] = differ[variable] || (!name.empty() && name != lists[warp].webs[web].name);
      name = lists[warp].webs[web].name;
    }
  std::map<std::string, unsigned> seen;
  for (unsigned variable = 0; variable < variables.count; ++variable) {
    std::string &name = names[variable];
    if (differ[variable])
      name = "r" + std::to_string(variable);
    if (const unsigned times = seen[name]++; times > 0)
      name += "_" + std::to_string(times + 1);
  }
  return names;
}

/// Results that no step closes, closed by the first warp at its beginning.
Partitioned withAllResults(const flow::Program &program, Partitioned partitioned) {
  std::vector<bool> isClosed(program.sums.size());
  for (const auto &steps : partitioned.warps)
    for (const Step &step : steps)
      if (step.kind == StepKind::Close)
        isClosed[step.sum] = true;
  std::vector<Step> missing;
  for (unsigned sum = 0; sum < program.resultCount(); ++sum)
    if (!isClosed[sum]) {
      Step step;
      step.kind = StepKind::Close;
      step.sum = sum;
      missing.push_back(step);
    }
  partitioned.warps.front().insert(partitioned.warps.front().begin(), missing.begin(), missing.end());
  return partitioned;
}

} // namespace

Overlaid overlay(const flow::Program &program, const Partitioned &given, const OverlayOptions &options) {
  const Partitioned partitioned = orderByShape(program, withAllResults(program, given));
  Overlaid result;
  result.warps = unsigned(partitioned.warps.size());
  result.rows = partitioned.rows;
  const RowFacts facts = rowFactsOf(program, partitioned);
  for (unsigned warp = 0; warp < result.warps; ++warp)
    result.lists.push_back(piecesOf(program, partitioned, warp, facts));
  std::vector<Place> places = align(result.lists);
  Variables variables = nameVariables(result.lists, places);
  result.instances = instancesOf(places, result.lists, variables);
  std::vector<Region> regions = regionsOf(result.instances, groupByWarps(result.instances, result.warps));
  packVariables(result.lists, localVariables(result.instances, regions, variables.count), variables);
  result.instances = instancesOf(places, result.lists, variables);
  result.variableNames = namesOf(result.lists, variables);
  if (options.pads)
    Padding(result, variables).run(regions);
  result.rows += result.hasZeroRow;
  result.forks = forksOf(joined(std::move(regions)), result.instances, options.mostInWay);
  return result;
}

} // namespace heddle::partition
