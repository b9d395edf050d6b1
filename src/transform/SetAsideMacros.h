// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"

#include <string>
#include <vector>

namespace heddle::source {
class Program;
struct CompileOptions;
} // namespace heddle::source

namespace heddle::transform {

/// Macros of the program's files and of the command line whose names are in a header of Heddle ("heddle/launch.cuh") or in a header that it
/// includes: `#define T 16` would change `template <class T>`. Sorted. Where a header of CUB cannot be found here, but may be where the
/// program is compiled, it may have any name. Macros that configure headers (`_GNU_SOURCE`, `NDEBUG`, `CUB_...`) are not among them.
std::vector<std::string> macrosThatChange(const std::string &header, const source::Program &program,
                                          const source::CompileOptions &options);

/// The #include of a header of Heddle, during which these macros are not defined:
///
///     #pragma push_macro("T")
///     #undef T
///     #include <heddle/pipeline.cuh>
///     #pragma pop_macro("T")
source::Code includeWithout(const std::vector<std::string> &macros, const std::string &header);

/// The same lines around line `include` of a text, without the #include itself.
struct SetAside {
  std::vector<std::string> before, behind;
};
SetAside setAsideAround(const std::vector<std::string> &lines, size_t include);

} // namespace heddle::transform
