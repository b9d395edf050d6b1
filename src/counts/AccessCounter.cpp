// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each access in the source costs, counted request by request: `heddle profile --accesses` prints it, and tests
// compare it with what `heddle analyze` states without running the program. The requests with most lanes are counted
// apart, because a statement about "a warp" means one with all the lanes that can execute the access.
#include "counts/AccessCounter.h"

#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"
#include "vm/NotedLoads.h"
#include "vm/Source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>

namespace heddle::counts {
namespace {

const char *nameOf(vm::AccessKind kind) {
  switch (kind) {
  case vm::AccessKind::Load:
  case vm::AccessKind::AsyncRead: return "read";
  case vm::AccessKind::Store:
  case vm::AccessKind::AsyncWrite: return "write";
  case vm::AccessKind::Atomic:
  case vm::AccessKind::Reduction: return "atomic";
  }
  return "";
}

bool haveOneAddress(const uint64_t *addresses, uint32_t mask) {
  const uint64_t first = addresses[std::countr_zero(mask)];
  bool isOne = true;
  vm::eachLane(mask, [&](unsigned lane) { isOne &= addresses[lane] == first; });
  return isOne;
}

} // namespace

void AccessCounts::add(const AccessCounts &other) {
  space = other.space, kind = other.kind, bytes = other.bytes;
  requests += other.requests, lanes += other.lanes, cost += other.cost;
  if (other.mostLanes < mostLanes)
    return;
  if (other.mostLanes > mostLanes)
    mostLanes = other.mostLanes, widestRequests = oneAddressRequests = 0, leastCost = ~0U, mostCost = 0;
  widestRequests += other.widestRequests, oneAddressRequests += other.oneAddressRequests;
  leastCost = std::min(leastCost, other.leastCost);
  mostCost = std::max(mostCost, other.mostCost);
}

AccessCounter::Code AccessCounter::codeOf(const vm::Kernel &kernel) {
  Code locations(kernel.info.sites);
  for (const auto &code : kernel.codes)
    for (size_t i = 0; i < code->function->instrs.size(); ++i)
      locations[code->firstSite + i] = vm::sourceOf(*code->module, code->function->instrs[i]);
  return locations;
}

AccessCounter::AccessCounter(const vm::Kernel &, const Code &locations) : code(locations) {}

void AccessCounter::kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info,
                                uint64_t number) {
  launch = {info.name, number, request.grid, request.block, {}};
}

void AccessCounter::access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) {
  if (event.space == vm::Space::Global || event.space == vm::Space::Shared)
    count(at, site, {event.space, event.kind, event.mask, event.bytes, event.addresses});
}

bool AccessCounter::plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) {
  std::array<uint64_t, vm::Lanes> buffer;
  if (access.space == vm::Space::Global || access.space == vm::Space::Shared)
    count(at, site,
          {access.space, access.isStore ? vm::AccessKind::Store : vm::AccessKind::Load, access.mask,
           access.bytes, vm::addressesOf(access, buffer)});
  return true;
}

void AccessCounter::notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) {
  vm::eachLoad(loads,
               [&](vm::SiteRef site, const vm::PlainAccess &access) { plainAccess(at, site, access); });
}

/// A copy that bypasses registers reads or writes global memory like any access.
void AccessCounter::async(const vm::WarpRef &at, vm::SiteRef site, const vm::AsyncEvent &event) {
  const bool reads = event.fromSpace == vm::Space::Global;
  const uint32_t mask = event.mask & event.reading;
  if (event.kind == vm::AsyncEvent::Kind::Issue && mask && (reads || event.toSpace == vm::Space::Global))
    count(at, site,
          {vm::Space::Global, reads ? vm::AccessKind::Load : vm::AccessKind::Store, mask, event.bytes,
           reads ? event.from : event.to});
}

void AccessCounter::count(const vm::WarpRef &at, vm::SiteRef site, const Request &request) {
  std::vector<AccessCounts> &sites = cores[at.core % MostCores];
  if (sites.empty())
    sites.resize(code.size());
  AccessCounts &sum = sites[site.site];
  const bool isAtomic = request.kind == vm::AccessKind::Atomic || request.kind == vm::AccessKind::Reduction;
  const unsigned cost = request.space == vm::Space::Global
                            ? vm::sectors(request.addresses, request.mask, request.bytes)
                            : vm::bankUse(request.addresses, request.mask, request.bytes,
                                          isAtomic ? vm::Sharing::Nothing : vm::Sharing::Words)
                                  .wavefronts;
  const unsigned lanes = vm::countLanes(request.mask);
  sum.add({{},
           request.space,
           request.kind,
           request.bytes,
           1,
           lanes,
           cost,
           lanes,
           1,
           cost,
           cost,
           haveOneAddress(request.addresses, request.mask)});
}

LaunchAccesses AccessCounter::take(unsigned) {
  for (uint32_t site = 0; site < code.size(); ++site) {
    AccessCounts sum;
    for (const std::vector<AccessCounts> &sites : cores)
      if (!sites.empty() && sites[site].requests)
        sum.add(sites[site]);
    if (!sum.requests)
      continue;
    sum.location = code[site];
    launch.accesses.push_back(sum);
  }
  return std::move(launch);
}

bool writeAccesses(const std::filesystem::path &file, const ProgramAccesses &program) {
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  {
    std::ofstream out(unfinished);
    out << "launch\tkernel\tblock\tfile\tline\tcolumn\tspace\tkind\tbytes\trequests\tlanes\tcost\t"
           "most lanes\twidest requests\tleast cost\tmost cost\tone address\n";
    for (const LaunchAccesses &launch : program.launches)
      for (const AccessCounts &access : launch.accesses)
        out << fmt::format("{}\t{}\t{},{},{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                           launch.number, launch.kernel, launch.block.x, launch.block.y, launch.block.z,
                           access.location.file, access.location.line, access.location.column,
                           access.space == vm::Space::Shared ? "shared" : "global", nameOf(access.kind),
                           access.bytes, access.requests, access.lanes, access.cost, access.mostLanes,
                           access.widestRequests, access.leastCost, access.mostCost,
                           access.oneAddressRequests);
    if (!out.flush())
      return false;
  }
  std::error_code error;
  std::filesystem::rename(unfinished, file, error);
  return !error;
}

} // namespace heddle::counts
