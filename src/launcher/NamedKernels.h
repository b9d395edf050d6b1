// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files the lines of a directive file may concern, by the names of kernels in their text. That is fast enough for each
// file of a build; whether a name is one of a kernel is only known when the file is parsed.
#pragma once

#include "launcher/IncludeScan.h"
#include "transform/Directive.h"

#include <string_view>
#include <vector>

namespace heddle::launcher {

/// Whether some file has kernels and this name, a kernel's as directive files write it: `ns::scale<float>`. "*" is every name.
bool mayHaveKernel(const Scan &scan, std::string_view kernel);

/// Those that no file of a program has a kernel for, one for each name. None where the text does not show all names: an #include of
/// a macro, or a macro that puts names together (`##`).
std::vector<transform::Directive> withoutKernel(const std::vector<transform::Directive> &directives,
                                                const std::vector<Scan> &program);

} // namespace heddle::launcher
