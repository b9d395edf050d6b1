// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/Facts.h"
#include "divergence/Summary.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace heddle::report {

/// What both forms of a profile are told of the kernels.
struct ProfileOfProgram {
  const arch::Arch &arch;
  const std::vector<divergence::KernelSummary> &kernels;
  const std::vector<std::string> &names; ///< of the kernels, as people read them
  divergence::MemoryLevel memory = divergence::MemoryLevel::L1;
  /// By mangled name: what the model says of a kernel; nothing where nobody counted.
  std::map<std::string, counts::KernelEstimate> estimates = {};
};

std::string profileText(const ProfileOfProgram &profile);
/// The same facts, schema heddle.profile/2; docs/profile.md has the fields.
nlohmann::ordered_json profileJson(const ProfileOfProgram &profile);

} // namespace heddle::report
