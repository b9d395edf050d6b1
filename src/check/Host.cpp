// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What host code and the streams do to global memory, and which launches come before which.
#include "check/Parts.h"

#include <algorithm>

namespace heddle::check {
namespace {

// Copies that are remembered for launches that nothing orders with them. Older ones have long been waited
// for.
constexpr size_t MostHostWork = 512;

} // namespace

const LaunchState *Checker::Parts::launchOfActor(uint32_t actor) const {
  for (const auto &[number, launch] : running)
    if (actor >= launch->firstActor && actor - launch->firstActor < launch->blocks)
      return launch.get();
  auto at = std::upper_bound(ended.begin(), ended.end(), actor,
                             [](uint32_t wanted, const auto &launch) { return wanted < launch->firstActor; });
  // Launches of several streams end in another order than they began.
  for (auto back = at; back != ended.begin();) {
    --back;
    if (actor >= (*back)->firstActor && actor - (*back)->firstActor < (*back)->blocks)
      return back->get();
  }
  for (; at != ended.end(); ++at)
    if (actor >= (*at)->firstActor && actor - (*at)->firstActor < (*at)->blocks)
      return at->get();
  return nullptr;
}

/// Whether the launch of that block comes before another. Without orders, what is over does.
bool Checker::Parts::isOrdered(uint32_t actor, const LaunchState &launch) const {
  const LaunchState *other = launchOfActor(actor);
  if (!other || other == &launch)
    return !other;
  if (other->order && launch.order)
    return launch.order->isAfter(*other->order);
  return !other->running;
}

bool Checker::Parts::hostHasWritten(uint64_t address, uint64_t bytes) const {
  auto at = hostWritten.upper_bound(address);
  if (at != hostWritten.begin() && std::prev(at)->second > address)
    return true;
  return at != hostWritten.end() && at->first < address + bytes;
}

/// Only what cudaMalloc and device-side malloc give is empty: variables start as zeros, and host code may
/// write managed and mapped memory without anybody seeing it.
bool Checker::Parts::startsWritten(uint64_t address, uint64_t bytes) const {
  if (!options.memory)
    return true;
  std::optional<vm::Allocation> piece = options.memory->find(address);
  if (!piece || (piece->kind != vm::AllocationKind::Device && piece->kind != vm::AllocationKind::DeviceHeap))
    return true;
  return hostHasWritten(address, bytes);
}

void Checker::Parts::hostTouched(uint64_t address, uint64_t bytes, bool write, const char *what) {
  if (!bytes)
    return;
  std::optional<WorkOrder> order = takeOrder();
  std::unique_lock lock(guard);
  if (write) {
    global.hostWrote(address, bytes);
    auto [at, fresh] = hostWritten.try_emplace(address, address + bytes);
    at->second = std::max(at->second, address + bytes);
    while (std::next(at) != hostWritten.end() && std::next(at)->first <= at->second) {
      at->second = std::max(at->second, std::next(at)->second);
      hostWritten.erase(std::next(at));
    }
    if (at != hostWritten.begin() && std::prev(at)->second >= at->first) {
      std::prev(at)->second = std::max(std::prev(at)->second, at->second);
      hostWritten.erase(at);
    }
  }
  if (!order)
    return;
  hostWork.push_back({*order, address, address + bytes, write, what});
  if (hostWork.size() > MostHostWork)
    hostWork.pop_front();
  // Launches that nothing orders with this: did they touch the range?
  std::vector<const LaunchState *> loose;
  for (const auto &[number, launch] : running)
    if (launch->order && !order->isAfter(*launch->order)) {
      loose.push_back(launch.get());
      launch->loose.push_back({address, address + bytes, write, what});
    }
  for (const auto &launch : ended)
    if (launch->order && !order->isAfter(*launch->order))
      loose.push_back(launch.get());
  if (loose.empty())
    return;
  const GlobalPast *found = nullptr;
  const LaunchState *whose = nullptr;
  GlobalPast kept;
  bool wrote = false;
  global.each(address, bytes, [&](const GlobalPast &past, bool isWrite) {
    if (found || (!isWrite && !write))
      return;
    for (const LaunchState *launch : loose)
      if (past.actor >= launch->firstActor && past.actor - launch->firstActor < launch->blocks) {
        kept = past, wrote = isWrite, whose = launch;
        found = &kept;
      }
  });
  if (!found)
    return;
  lock.unlock();
  tell(Rule::RaceLaunches, *whose, kept.place,
       fmt::format("kernel {} {} memory here that a {} of another stream {}; nothing orders the two",
                   whose->name, wrote ? "writes" : "reads", what, write ? "writes" : "reads"),
       0, {}, "record an event after the one and let the other's stream wait for it, or use one stream");
}

} // namespace heddle::check
