// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/CompileCache.h"

namespace heddle::build {

/// A compilation of `source` by Clang that reads precompiled headers where it has to run: the words of `command` decide about
/// these (withCachedHeaders), those of `rest` do not.
CompileStep stepWithCachedHeaders(const std::vector<std::string> &command,
                                  const std::vector<std::string> &rest, const std::filesystem::path &source,
                                  const std::filesystem::path &output);

} // namespace heddle::build
