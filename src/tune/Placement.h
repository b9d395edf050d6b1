// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Program.h"
#include "tune/Configuration.h"

#include <set>

namespace heddle::tune {

/// Where a kernel begins and ends. Instantiations of a template have the same lines.
struct KernelLines {
  unsigned first = 0, last = 0;
  std::string name; ///< the plain one
  bool operator<(const KernelLines &other) const { return first < other.first; }
};

/// The kernels of the file itself that directives speak of; `wanted`: all of them where it is empty.
std::set<KernelLines> kernelsMeant(const source::Program &program, const std::string &wanted);

/// No directive is for a loop or a branch: then there is one way to place pragmas.
bool speaksOfKernelsOnly(const Configuration &configuration);

/// The text with a line `#pragma heddle ...` before each kernel or loop that the configuration's directives speak
/// of. Several texts, to be tried, where a directive does not say which loop it means.
std::vector<std::string> placements(const std::string &text, const Configuration &configuration,
                                    const std::set<KernelLines> &kernels);

} // namespace heddle::tune
