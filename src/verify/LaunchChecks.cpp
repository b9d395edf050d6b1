// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/LaunchChecks.h"

#include "check/Locations.h"
namespace heddle::verify {
namespace {

/// The launches of the file. All of them have the block that the kernel itself requires, where it does.
KernelLaunches launchesOf(const LaunchTable &table, const ptx::Module &module, const std::string &kernel) {
  KernelLaunches launches = table.of(kernel);
  const std::optional<vm::Dim3> required = requiredBlock(module, kernel);
  if (required && launches.known.empty())
    launches = {.known = {{.block = *required,
                           .dynamicSharedBytes = std::nullopt,
                           .whySharedUnknown = "the file does not launch the kernel"}},
                .unknown = {}};
  else if (required)
    launches.unknown.clear();
  return launches;
}

void add(LaunchChecks &checks, const std::string &name, const std::string &kernel,
         const KernelLaunches &launches, const ptx::Module &module, const check::StaticOptions &options) {
  for (const KernelLaunches::Known &launch : launches.known)
    checks.kernels.push_back({name, checkLaunch(module, kernel, launch, options), launch});
  for (const KernelLaunches::Unknown &launch : launches.unknown)
    checks.unchecked.push_back({name, launch.location, "its block is not known: " + launch.why, true,
                                check::usesDynamicShared(module, kernel)});
  if (launches.known.empty() && launches.unknown.empty())
    checks.unchecked.push_back(
        {name, {}, "the file does not launch it", true, check::usesDynamicShared(module, kernel)});
}

} // namespace

LaunchChecks checkLaunches(const source::Program &program, const ptx::Module &module, double maxSeconds,
                           bool isOptimized, const std::function<bool(const std::string &)> &isMeant) {
  LaunchChecks checks;
  check::StaticOptions options;
  options.maxSeconds = maxSeconds;
  options.isOptimized = isOptimized;
  const LaunchTable table(program);
  for (const std::string &kernel : check::kernelsOf(module)) {
    const std::string name = check::readableKernel(kernel);
    if (name.starts_with("heddle::"))
      continue; // of runtime/heddle, which has tests of its own
    if (table.isOnlyIncluded(kernel) || (isMeant && !isMeant(name)))
      continue;
    add(checks, name, kernel, launchesOf(table, module, kernel), module, options);
  }
  return checks;
}

} // namespace heddle::verify
