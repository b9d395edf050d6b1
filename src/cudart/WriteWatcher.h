// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Simulator.h"

#include <cstdint>
#include <mutex>
#include <string>

namespace heddle::cudart {

/// Remembers who last wrote to one piece of global memory before a copy read it: `heddle verify` runs a program again with it to
/// say where a wrong value came from.
class WriteWatcher final : public vm::Observer {
public:
  /// Launches after the first `launches` of the program came after the copy.
  WriteWatcher(vm::Memory &memory, uint64_t allocation, uint64_t offset, uint64_t bytes, uint64_t launches)
      : memory(memory), allocation(allocation), offset(offset), bytes(bytes), launches(launches) {}

  uint32_t interests() const override { return Accesses; }
  void kernelBegin(const vm::LaunchRequest &, const vm::KernelInfo &, uint64_t launch) override;
  void access(const vm::WarpRef &warp, vm::SiteRef site, const vm::AccessEvent &event) override;

  /// The last write as a JSON object, empty where there was none.
  std::string lastWrite();

private:
  vm::Memory &memory;
  const uint64_t allocation, offset, bytes, launches;
  uint64_t begin = 0, end = 0;

  std::mutex guard;
  struct Write {
    std::string kernel;
    uint64_t launch = 0;
    vm::Dim3 block;
    unsigned thread = 0; ///< linear in its block
    uint32_t site = 0;
  } last;
};

} // namespace heddle::cudart
