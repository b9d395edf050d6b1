// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/HostMemory.h"

#include "check/AccessEvents.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

// Copies that are remembered for launches that nothing orders with them. Older ones have long been waited
// for.
constexpr size_t MostHostWork = 512;

} // namespace

void HostWrites::wrote(uint64_t address, uint64_t bytes) {
  auto [at, fresh] = ranges.try_emplace(address, address + bytes);
  at->second = std::max(at->second, address + bytes);
  while (std::next(at) != ranges.end() && std::next(at)->first <= at->second) {
    at->second = std::max(at->second, std::next(at)->second);
    ranges.erase(std::next(at));
  }
  if (at != ranges.begin() && std::prev(at)->second >= at->first) {
    std::prev(at)->second = std::max(std::prev(at)->second, at->second);
    ranges.erase(at);
  }
}

void HostWrites::freed(uint64_t address, uint64_t bytes) {
  for (auto at = ranges.lower_bound(address); at != ranges.end() && at->first < address + bytes;)
    at = ranges.erase(at);
}

bool HostWrites::startsWritten(uint64_t address, uint64_t bytes) const {
  if (!memory)
    return true;
  std::optional<vm::Allocation> piece = memory->find(address);
  if (!piece || (piece->kind != vm::AllocationKind::Device && piece->kind != vm::AllocationKind::DeviceHeap))
    return true;
  auto at = ranges.upper_bound(address);
  if (at != ranges.begin() && std::prev(at)->second > address)
    return true;
  return at != ranges.end() && at->first < address + bytes;
}

bool HostWrites::isOneRange(uint64_t address, uint64_t bytes) const {
  auto at = ranges.upper_bound(address);
  return at != ranges.begin() && std::prev(at)->second >= address + bytes;
}

void HostWork::add(const WorkOrder &order, HostCopy copy) {
  work.emplace_back(order, std::move(copy));
  if (work.size() > MostHostWork)
    work.pop_front();
}

std::vector<HostCopy> HostWork::unorderedWith(const WorkOrder &launch) const {
  std::vector<HostCopy> copies;
  for (const auto &[order, copy] : work)
    if (!launch.isAfter(order))
      copies.push_back(copy);
  return copies;
}

void LooseCopies::add(HostCopy copy) {
  std::lock_guard lock(guard);
  copies.push_back(std::move(copy));
  any = true;
}

void LooseCopies::check(const Where &at, const vm::AccessEvent &event, bool write, const GlobalNames &names,
                        Reporter &reporter) const {
  if (!any)
    return;
  std::vector<HostCopy> present;
  {
    std::lock_guard lock(guard);
    present = copies;
  }
  for (const HostCopy &copy : present)
    vm::eachLane(event.mask, [&](unsigned lane) {
      const uint64_t address = event.addresses[lane];
      if (address < copy.end && address + event.bytes > copy.begin && (write || copy.write) &&
          reporter.isNew(Rule::RaceLaunches, at.instrId, 0))
        reporter.report(
            Rule::RaceLaunches, at.launch, at.instrId,
            fmt::format("kernel {} {} {}, which a {} of another stream {}; nothing orders the two",
                        at.launch.name, write ? "writes" : "reads",
                        names.of(at.launch, address, elementBytes(event)), copy.what,
                        copy.write ? "writes" : "reads"),
            0, {},
            "record an event after the first and make the stream of the second wait for it "
            "(cudaStreamWaitEvent), or use one stream");
    });
}

} // namespace heddle::check
