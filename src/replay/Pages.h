// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "replay/Driver.h"

#include <cstdint>
#include <vector>

namespace heddle::replay {

/// Addresses from `begin` to before `end`.
struct Span {
  uint64_t begin = 0, end = 0;
  uint64_t bytes() const { return end - begin; }
};

/// The pages of `granularity` bytes that regions lie in, each only once, as few spans as possible, by address. Regions
/// may share pages.
std::vector<Span> pagesOf(const std::vector<capture::Region> &regions, capture::RegionKind kind,
                          uint64_t granularity);
/// The same for regions of all kinds that live in device memory.
std::vector<Span> devicePagesOf(const std::vector<capture::Region> &regions, uint64_t granularity);

/// What of the pages belongs to no region. Spans end at multiples of 16 where that is possible, so that all but a few
/// bytes can be compared by words; none is longer than `most`.
std::vector<Span> gapsIn(const std::vector<Span> &pages, const std::vector<capture::Region> &regions,
                         uint64_t most);

/// Addresses are reserved by windows of this size: the program's memory was captured in ranges as large, which begin at a multiple
/// of it.
constexpr uint64_t windowBytes = uint64_t(1) << 40;
/// Of each window that has some of the pages: from the first of them to the end of the last, without any of `others`, which are
/// not pages of the device. Pages are in order.
std::vector<Span> windowsOf(const std::vector<Span> &pages, const std::vector<Span> &others);

/// Memory at the addresses that the captured program had it. Device and managed memory is device memory; pinned memory
/// is host memory that kernels access. Throws where an address cannot be had.
class Pages {
public:
  Pages(Driver &driver, const std::vector<capture::Region> &regions);
  ~Pages();
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  /// That of device memory.
  const std::vector<Span> &device() const { return devicePages; }

private:
  void reserve(Span window, uint64_t most);
  void mapDevice(Span span);
  void mapHost(Span span);

  Driver &driver;
  std::vector<Span> reserved, devicePages, hostPages;
};

} // namespace heddle::replay
