// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"
#include "vm/Observer.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::vm {
class Kernel;
}

namespace heddle::counts {

/// One instruction that accesses memory, as it was executed. A request is one execution by a warp, or by a part of
/// one. What a request costs is its sectors (32 bytes) in global memory, and its passes over the banks in shared memory.
struct AccessCounts {
  SourceLocation location; ///< unknown if the PTX has no line for it
  vm::Space space = vm::Space::Global;
  vm::AccessKind kind = vm::AccessKind::Load;
  unsigned bytes = 0; ///< of each lane
  uint64_t requests = 0, lanes = 0, cost = 0;
  /// Of the requests with most lanes: how many there are, the fewest and most that one of them cost, and how many of them
  /// have one address.
  unsigned mostLanes = 0;
  uint64_t widestRequests = 0;
  unsigned leastCost = ~0U, mostCost = 0;
  uint64_t oneAddressRequests = 0;

  void add(const AccessCounts &other);
};

struct LaunchAccesses {
  std::string kernel; ///< mangled
  uint64_t number = 0;
  vm::Dim3 grid, block;
  std::vector<AccessCounts> accesses; ///< in the order of the code; those that were not executed are not here
};

/// All launches of a program that were looked at.
struct ProgramAccesses {
  std::vector<LaunchAccesses> launches;
  std::map<std::string, uint64_t> skipped; ///< kernels by name: launches beyond what is here
  bool complete = false; ///< false: the program ended before the runtime could say that it did
};

/// Tab-separated text, one line for each access, with a line of column names. All or nothing: the program may end
/// at any time.
bool writeAccesses(const std::filesystem::path &file, const ProgramAccesses &program);

/// Watches one launch and counts each access to global and shared memory by its instruction.
class AccessCounter final : public vm::Observer {
public:
  /// What is the same in each launch of a kernel: the location of each instruction, by site.
  using Code = std::vector<SourceLocation>;
  static Code codeOf(const vm::Kernel &kernel);

  AccessCounter(const vm::Kernel &kernel, const Code &code);

  uint32_t interests() const override { return Accesses | Synchronization; }
  vm::ObservedForm form() const override { return vm::ObservedForm::All; }
  bool takesEveryPlainAccess() const override { return true; }
  void codeBlocks(const vm::WarpRef &, const vm::BlockOfCode &, uint32_t, uint64_t) override {}
  void branches(const vm::WarpRef &, vm::SiteRef, uint64_t) override {}
  bool plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) override;
  bool takesNotedLoads(uint64_t) const override { return true; }
  void notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) override;
  void kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info, uint64_t number) override;
  void access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) override;
  void async(const vm::WarpRef &at, vm::SiteRef site, const vm::AsyncEvent &event) override;

  /// After the launch.
  LaunchAccesses take(unsigned registers);

private:
  struct Request {
    vm::Space space;
    vm::AccessKind kind;
    uint32_t mask;
    unsigned bytes;
    const uint64_t *addresses;
  };
  void count(const vm::WarpRef &at, vm::SiteRef site, const Request &request);

  const Code &code;
  LaunchAccesses launch;
  /// Each core counts by itself: instructions by site.
  static constexpr unsigned MostCores = 256;
  std::vector<std::vector<AccessCounts>> cores{MostCores};
};

} // namespace heddle::counts
