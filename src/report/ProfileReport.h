// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/Facts.h"
#include "divergence/Summary.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace heddle::report {

/// Where the counts of a profile are from. Cycles and bounds are the model's in any case.
struct ProfileOrigin {
  std::string device; ///< name of the GPU that counted; empty: the simulator did
  /// By mangled name: of so many thread blocks, one was counted, and the others are taken to be alike.
  std::map<std::string, uint32_t> sampled;

  bool isMeasured() const { return !device.empty(); }
};

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
  ProfileOrigin origin = {};
};

/// "31.3 %" of 0.3125, alike in both forms.
std::string percentText(double share);

std::string profileText(const ProfileOfProgram &profile);
/// The same facts, schema heddle.profile/2; docs/profile.md has the fields.
nlohmann::ordered_json profileJson(const ProfileOfProgram &profile);

} // namespace heddle::report
