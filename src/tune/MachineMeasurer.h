// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "build/Build.h"
#include "support/Paths.h"
#include "tune/Measurer.h"
#include "tune/Problem.h"

#include <memory>

namespace heddle::tune {

/// Needs no GPU: the program runs on Heddle's machine, what comes back is compared with what the original
/// brought back, and the model makes a time of what the launches needed.
class MachineMeasurer final : public Measurer {
public:
  /// `fills`: as if there were enough blocks to keep the whole device busy, as in earnest there would be.
  MachineMeasurer(const Problem &problem, const arch::Arch &arch, bool fills);
  ~MachineMeasurer() override;

  std::string device() const override;
  bool predicts() const override { return true; }
  runner::Result measureOriginal(const Candidate &original) override;
  runner::Result measure(const Candidate &candidate) override;

private:
  struct Built;
  struct Ran;
  Built buildIn(const std::filesystem::path &folder, const Candidate &candidate,
                const std::vector<std::string> &further) const;
  Ran runIn(const std::filesystem::path &folder, bool counts) const;
  std::string difference(const Ran &reference, const Ran &ran) const;
  std::string differenceUnfused(const Candidate &candidate, const std::string &compiler);
  void estimate(const Candidate &candidate, const Ran &ran, runner::Result &result);

  const Problem &problem;
  const arch::Arch &arch;
  const bool fills;
  double scale = 1; ///< of every grid, from the original's
  TemporaryFolder scratch;
  std::optional<Candidate> original;
  std::unique_ptr<Ran> reference, unfused; ///< the original's; unfused: without fused multiplications
};

} // namespace heddle::tune
