// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Directive.h"

#include <string>
#include <vector>

namespace heddle::launcher {

/// Directives from outside the sources, a line for each kernel:
///
///     # comments and empty lines
///     saxpy: coarsen x=4
///     ns::stencil: scalar-replace; coarsen y=2 map=blocked
///     *: launch-bounds                    every kernel of a file that is compiled
///
/// A line is for each file that has a kernel of that name. What is wrong goes to `diagnostics`.
std::vector<transform::Directive> readDirectiveFile(const std::string &name, const std::string &text,
                                                    Diagnostics &diagnostics);

} // namespace heddle::launcher
