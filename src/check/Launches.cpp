// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are numbered in the order in which launches begin, and most programs have one stream: then all launches
// with lower numbers are over and ordered before a new one. That is one comparison, `orderedBelow`; only for
// blocks above it are orders of streams looked at.
#include "check/Launches.h"

#include "vm/Code.h"

#include <algorithm>

namespace heddle::check {

KernelFacts::KernelFacts(const vm::Kernel &kernel)
    : paths(kernel), arrays(kernel), decides(kernel.info.sites) {
  for (uint32_t site = 0; site < decides.size(); ++site)
    decides[site] = paths.decides(site);
}

const LaunchFacts &Launches::begin(LaunchFacts facts) {
  auto entry = std::make_unique<Entry>(Entry{std::move(facts)});
  LaunchFacts &launch = entry->facts;
  launch.firstActor = nextActor;
  nextActor += uint32_t(launch.blocks);
  launch.orderedBelow = orderedBelow(launch);
  running[launch.number] = std::move(entry);
  return launch;
}

uint32_t Launches::orderedBelow(const LaunchFacts &launch) const {
  uint32_t below = launch.firstActor;
  for (const auto &[number, other] : running)
    if (!isOrdered(other->facts.firstActor, launch))
      below = std::min(below, other->facts.firstActor);
  for (auto entry = ended.rbegin(); entry != ended.rend(); ++entry) {
    const LaunchFacts &other = (*entry)->facts;
    if (!isOrdered(other.firstActor, launch))
      below = std::min(below, other.firstActor);
    else if (other.orderedBelow == other.firstActor)
      break; // all before it came before it, hence before us
  }
  return below;
}

void Launches::end(uint64_t number) {
  auto found = running.find(number);
  found->second->running = false;
  ended.push_back(std::move(found->second));
  running.erase(found);
}

const Launches::Entry *Launches::find(uint32_t actor) const {
  for (const auto &[number, launch] : running)
    if (launch->facts.has(actor))
      return launch.get();
  auto at = std::upper_bound(ended.begin(), ended.end(), actor, [](uint32_t wanted, const auto &launch) {
    return wanted < launch->facts.firstActor;
  });
  // Launches of several streams end in another order than they began.
  for (auto back = at; back != ended.begin();) {
    --back;
    if ((*back)->facts.has(actor))
      return back->get();
  }
  for (; at != ended.end(); ++at)
    if ((*at)->facts.has(actor))
      return at->get();
  return nullptr;
}

const LaunchFacts *Launches::ofActor(uint32_t actor) const {
  const Entry *entry = find(actor);
  return entry ? &entry->facts : nullptr;
}

bool Launches::isOrdered(uint32_t actor, const LaunchFacts &launch) const {
  const Entry *other = find(actor);
  if (!other || &other->facts == &launch)
    return !other;
  if (other->facts.order && launch.order)
    return launch.order->isAfter(*other->facts.order);
  return !other->running;
}

std::vector<const LaunchFacts *> Launches::unorderedWith(const WorkOrder &work) const {
  std::vector<const LaunchFacts *> loose;
  const auto add = [&](const Entry &launch) {
    if (launch.facts.order && !work.isAfter(*launch.facts.order))
      loose.push_back(&launch.facts);
  };
  for (const auto &[number, launch] : running)
    add(*launch);
  for (const auto &launch : ended)
    add(*launch);
  return loose;
}

} // namespace heddle::check
