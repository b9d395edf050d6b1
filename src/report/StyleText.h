// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace heddle::report {

/// A file of src/report/style, which is part of the program.
std::string_view styleText(std::string_view name);

} // namespace heddle::report
