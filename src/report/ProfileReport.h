// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/Facts.h"
#include "divergence/Summary.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace heddle::report {

/// The input of both forms of a profile.
struct ProfileOfProgram {
  const arch::Arch &arch;
  const std::vector<divergence::KernelSummary> &kernels;
  const std::vector<std::string> &names; ///< of the kernels, as people read them
  divergence::MemoryLevel memory = divergence::MemoryLevel::L1;
  /// By mangled name: what the model predicts for a kernel; nothing where it was not counted.
  std::map<std::string, counts::KernelEstimate> estimates = {};
  /// By mangled name: launches that the simulator stopped.
  std::map<std::string, uint64_t> stopped = {};
};

/// "31.3 %" of 0.3125, alike in both forms.
std::string percentText(double share);

std::string profileText(const ProfileOfProgram &profile);
/// The same facts, schema heddle.profile/2; docs/profile.md has the fields.
nlohmann::ordered_json profileJson(const ProfileOfProgram &profile);

} // namespace heddle::report
