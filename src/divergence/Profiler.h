// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"
#include "vm/Observer.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace heddle::vm {
class Kernel;
}

namespace heddle::divergence {

/// Inputs of a kernel (Inputs.h), by the simulator's numbers of its basic blocks. Blocks of functions that it
/// calls have none: no data flow here follows into them.
Inputs kernelInputs(const vm::Kernel &kernel);

/// Watches one launch and makes its profile. Counts of a thread block are kept while it runs and go into
/// buckets when it ends, so that a launch takes room for its resident blocks and its distinct vectors, not
/// for its threads.
class Profiler final : public vm::Observer {
public:
  /// `inputs`: those of this kernel, from kernelInputs; they are the same in each launch.
  explicit Profiler(const vm::Kernel &kernel, const Inputs &inputs);
  ~Profiler() override;

  uint32_t interests() const override { return Branches | Lifetimes | CodeBlocks | Accesses; }
  void kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &kernel, uint64_t number) override;
  void blockBegin(const vm::WarpRef &at) override;
  void blockEnd(const vm::WarpRef &at) override;
  void codeBlock(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask) override;
  void branch(const vm::WarpRef &at, vm::SiteRef site, uint32_t mask, uint32_t taken) override;
  void lanesExit(const vm::WarpRef &at, vm::SiteRef site, uint32_t mask) override;
  vm::ObservedForm form() const override { return vm::ObservedForm::Blocks; }
  void codeBlocks(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask,
                  uint64_t times) override;
  void branches(const vm::WarpRef &at, vm::SiteRef site, uint64_t times) override;
  bool plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) override;
  /// Unless values of loads are wanted.
  bool takesNotedLoads(uint64_t) const override { return !wantsValues; }
  void notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) override;
  void access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) override;

  /// After the launch. `registers`: of a thread, which the simulator does not know.
  LaunchProfile take(unsigned registers);

private:
  struct WarpState;
  struct BlockState;
  BlockState &of(const vm::WarpRef &at) { return *running[at.blockIndex]; }
  void part(BlockState &block, const vm::WarpRef &at, uint32_t site, uint32_t some, uint32_t others);

  LaunchProfile profile;
  std::vector<std::unique_ptr<BlockState>>
      running;                        ///< by thread block of the launch; null: not begun, or ended
  std::vector<uint32_t> branchOfSite; ///< index into profile.branches
  std::vector<std::vector<uint32_t>> inputsOfSite; ///< loads whose values are wanted: their inputs
  bool wantsValues = false;
  const vm::Kernel &kernel;
  uint32_t codeBlockCount = 0;
  std::mutex guard;
};

} // namespace heddle::divergence
