// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Pages.h"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::replay {
namespace {

using capture::Region;
using capture::RegionKind;

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // Linux 4.17; older ones take the address as a wish
#endif

std::string hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
  return text;
}

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.begin < b.begin; });
  std::vector<Span> out;
  for (const Span &span : spans)
    if (!out.empty() && span.begin <= out.back().end)
      out.back().end = std::max(out.back().end, span.end);
    else
      out.push_back(span);
  return out;
}

template <class Wanted>
std::vector<Span> pagesWhere(const std::vector<Region> &regions, uint64_t granularity, Wanted wanted) {
  std::vector<Span> spans;
  for (const Region &region : regions)
    if (wanted(region.kind) && region.bytes)
      spans.push_back({region.address / granularity * granularity,
                       (region.address + region.bytes + granularity - 1) / granularity * granularity});
  return merged(std::move(spans));
}

uint64_t granularityOf(Driver &driver) {
  size_t bytes = 0;
  const cu::MemoryProperties properties;
  driver.check(driver.getGranularity(&bytes, &properties, 0), "the granularity of device memory is unknown");
  return bytes;
}

/// Adds [begin, end) in pieces.
void addGap(std::vector<Span> &gaps, uint64_t begin, uint64_t end, uint64_t most) {
  if (const uint64_t aligned = std::min((begin + 15) / 16 * 16, end); aligned > begin) {
    gaps.push_back({begin, aligned});
    begin = aligned;
  }
  for (; begin < end; begin = std::min(begin + most, end))
    gaps.push_back({begin, std::min(begin + most, end)});
}

} // namespace

std::vector<Span> pagesOf(const std::vector<Region> &regions, RegionKind kind, uint64_t granularity) {
  return pagesWhere(regions, granularity, [&](RegionKind each) { return each == kind; });
}

std::vector<Span> devicePagesOf(const std::vector<Region> &regions, uint64_t granularity) {
  return pagesWhere(regions, granularity, [](RegionKind each) { return each != RegionKind::Pinned; });
}

std::vector<Span> gapsIn(const std::vector<Span> &pages, const std::vector<Region> &regions, uint64_t most) {
  std::vector<Span> taken, gaps;
  for (const Region &region : regions)
    if (region.bytes)
      taken.push_back({region.address, region.address + region.bytes});
  taken = merged(std::move(taken));
  auto next = taken.begin();
  for (const Span &page : pages) {
    uint64_t at = page.begin;
    for (; next != taken.end() && next->begin < page.end; ++next) {
      if (next->begin > at)
        addGap(gaps, at, next->begin, most);
      at = std::max(at, next->end);
    }
    if (at < page.end)
      addGap(gaps, at, page.end, most);
  }
  return gaps;
}

std::vector<Span> windowsOf(const std::vector<Span> &pages, const std::vector<Span> &others) {
  const auto isBetween = [&](const Span &before, const Span &after) {
    return std::any_of(others.begin(), others.end(), [&](const Span &other) {
      return other.begin >= before.begin && other.begin < after.begin;
    });
  };
  std::vector<Span> windows;
  for (const Span &page : pages) {
    const bool isInside = !windows.empty() &&
                          page.begin / windowBytes <= (windows.back().end - 1) / windowBytes &&
                          !isBetween(windows.back(), page);
    if (!isInside)
      windows.push_back(page);
    windows.back().end = page.end;
  }
  return windows;
}

Pages::Pages(Driver &driver, const std::vector<Region> &regions) : driver(driver) {
  // Objects that a constructor leaves by an exception have no destructor: what was mapped ends with the process.
  const std::vector<Span> device = devicePagesOf(regions, granularityOf(driver));
  const std::vector<Span> pinned = pagesOf(regions, RegionKind::Pinned, uint64_t(sysconf(_SC_PAGESIZE)));
  for (const Span &window : windowsOf(device, pinned)) {
    uint64_t most = windowBytes - window.begin % windowBytes;
    for (const Span &span : pinned)
      if (span.begin >= window.end)
        most = std::min(most, span.begin - window.begin);
    reserve(window, std::max(most, window.bytes()));
  }
  for (const Span &span : device)
    mapDevice(span);
  for (const Span &span : pinned)
    mapHost(span);
}

/// A driver takes the address of a small range as a wish, and gives one of those that it has reserved already. A large range,
/// as the one that the program's memory was captured in, it reserves where it is wanted.
void Pages::reserve(Span window, uint64_t most) {
  cu::Result result = cu::Success;
  cu::Pointer got = 0;
  for (uint64_t bytes = most; bytes >= window.bytes();
       bytes = bytes == window.bytes() ? 0 : std::max(bytes / 2, window.bytes())) {
    result = driver.addressReserve(&got, bytes, 0, window.begin, 0);
    if (result == cu::Success && got == window.begin) {
      reserved.push_back({window.begin, window.begin + bytes});
      return;
    }
    if (result == cu::Success)
      driver.addressFree(got, bytes);
  }
  throw ReplayError("the addresses of device memory at " + hex(window.begin) + " (" +
                    std::to_string(window.bytes()) + " bytes) cannot be reserved: " +
                    (result == cu::Success ? "the driver offers " + hex(got) +
                                                 ". Something else in this process, "
                                                 "such as a sanitizer or a preloaded library, has them"
                                           : driver.describe(result)));
}

void Pages::mapDevice(Span span) {
  const std::string what =
      "device memory at " + hex(span.begin) + " (" + std::to_string(span.bytes()) + " bytes)";
  cu::MemoryHandle handle = 0;
  const cu::MemoryProperties properties;
  const cu::MemoryAccess access;
  const cu::Result created = driver.memCreate(&handle, span.bytes(), &properties, 0);
  if (created == cu::ErrorOutOfMemory) {
    size_t free = 0, total = 0;
    driver.memGetInfo(&free, &total);
    throw ReplayError("the device has not enough memory for " + what + ": " + std::to_string(free) + " of " +
                      std::to_string(total) + " bytes are free");
  }
  driver.check(created, what);
  driver.check(driver.memMap(span.begin, span.bytes(), 0, handle, 0), what);
  driver.memRelease(handle); // the mapping keeps the memory
  driver.check(driver.memSetAccess(span.begin, span.bytes(), &access, 1), what);
  devicePages.push_back(span);
}

void Pages::mapHost(Span span) {
  const std::string what =
      "pinned memory at " + hex(span.begin) + " (" + std::to_string(span.bytes()) + " bytes)";
  void *const wanted = reinterpret_cast<void *>(span.begin);
  void *got = mmap(wanted, span.bytes(), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED && got != wanted) {
    munmap(got, span.bytes());
    got = MAP_FAILED;
  }
  if (got == MAP_FAILED)
    throw ReplayError("the addresses of " + what + " are in use in this process");
  driver.check(driver.memHostRegister(wanted, span.bytes(), cu::HostPortable | cu::HostMapped), what);
  hostPages.push_back(span);
  cu::Pointer device = 0;
  driver.check(driver.memHostGetDevicePointer(&device, wanted, 0), what);
  if (device != span.begin)
    throw ReplayError(what +
                      " has another address on the device: this system has no unified addresses for it");
}

Pages::~Pages() {
  for (const Span &span : devicePages)
    driver.memUnmap(span.begin, span.bytes());
  for (const Span &window : reserved)
    driver.addressFree(window.begin, window.bytes());
  for (const Span &span : hostPages) {
    driver.memHostUnregister(reinterpret_cast<void *>(span.begin));
    munmap(reinterpret_cast<void *>(span.begin), span.bytes());
  }
}

} // namespace heddle::replay
