// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/LaunchChecks.h"

#include "check/Locations.h"
#include "verify/KernelLaunches.h"

namespace heddle::verify {

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
    if (isMeant && !isMeant(name))
      continue;
    const std::vector<KernelLaunches::Known> &known = table.of(kernel).known;
    if (known.empty())
      checks.undetermined.push_back(name);
    for (const KernelLaunches::Known &launch : known)
      checks.kernels.push_back({name, checkLaunch(module, kernel, launch, options)});
  }
  return checks;
}

} // namespace heddle::verify
