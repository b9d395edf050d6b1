// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/TargetArch.h"

#include <fmt/format.h>

namespace heddle::tune {
namespace {

/// Code for 8.0 runs on 8.0, 8.6 and 8.9. Code for 9.0a runs on 9.0 only.
bool runsOn(const build::ComputeCapability &gpu, const arch::Arch &arch, bool isForThisOnly) {
  const int major = int(arch.major), minor = int(arch.minor);
  return major == gpu.major && (isForThisOnly ? minor == gpu.minor : minor <= gpu.minor);
}

} // namespace

TargetArch targetArch(const WantedArch &wanted, const build::ComputeCapability &gpu,
                      const std::vector<arch::Arch> &archs) {
  const std::string own = fmt::format("sm_{}{}", gpu.major, gpu.minor);
  const arch::Arch *nearest = arch::newestUpTo(unsigned(gpu.major), unsigned(gpu.minor), archs);
  if (nearest && !runsOn(gpu, *nearest, false))
    nearest = nullptr;
  if (wanted.isGiven) {
    Diagnostics unknown;
    const arch::Arch *given = arch::findArch(wanted.name, archs, unknown);
    if (!given || runsOn(gpu, *given, wanted.name.ends_with('a')))
      return {wanted.name, "", "", ""}; // an unknown name is refused elsewhere
    return {wanted.name, "",
            fmt::format("the GPU of this machine is an {}, which does not run machine code for {}", own,
                        wanted.name),
            fmt::format("--arch {} is for this GPU; --device sim predicts times for {}",
                        nearest ? nearest->name : own, wanted.name)};
  }
  if (!nearest)
    return {wanted.name, "",
            fmt::format("the GPU of this machine is an {}, for which there is no table", own),
            fmt::format("'heddle arch' lists them all; --device sim predicts times for {}", wanted.name)};
  return {nearest->name,
          nearest->name == own ? ""
                               : fmt::format("there is no table for the GPU of this machine, {}: candidates "
                                             "are compiled and modelled for {}",
                                             own, nearest->name),
          "", ""};
}

} // namespace heddle::tune
