// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/WriteWatcher.h"

#include "vm/Launch.h"

#include <nlohmann/json.hpp>

namespace heddle::cudart {

void WriteWatcher::kernelBegin(const vm::LaunchRequest &, const vm::KernelInfo &, uint64_t) {
  // Addresses differ from run to run, the order of allocations does not.
  for (const vm::Allocation &piece : memory.live())
    if (piece.id == allocation) {
      begin = piece.address + offset;
      end = begin + bytes;
      return;
    }
  begin = end = 0;
}

void WriteWatcher::access(const vm::WarpRef &warp, vm::SiteRef site, const vm::AccessEvent &event) {
  bool writes = event.kind == vm::AccessKind::Store || event.kind == vm::AccessKind::Atomic ||
                event.kind == vm::AccessKind::Reduction || event.kind == vm::AccessKind::AsyncWrite;
  if (event.space != vm::Space::Global || !writes || warp.launch > launches)
    return;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t address = event.addresses[lane];
    if (!(event.mask >> lane & 1) || address >= end || address + event.bytes <= begin)
      continue;
    std::lock_guard lock(guard);
    last = {warp.kernel->name, warp.launch, warp.block, warp.warp * 32 + lane, site.site};
  }
}

std::string WriteWatcher::lastWrite() {
  std::lock_guard lock(guard);
  if (!last.launch)
    return {};
  nlohmann::ordered_json json = {{"kernel", last.kernel},
                                 {"launch", last.launch},
                                 {"block", {last.block.x, last.block.y, last.block.z}},
                                 {"thread", last.thread}};
  return json.dump(-1, ' ', false, decltype(json)::error_handler_t::replace);
}

} // namespace heddle::cudart
