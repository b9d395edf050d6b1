// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What may be precompiled with the CUDA headers that come before every file.
struct OpeningHeaders {
  std::vector<std::string> names;        ///< sorted
  std::vector<std::string> macros;       ///< with reserved names, that the file defines before some of them
  std::vector<std::string> beforeMacros; ///< those of `names` that come before all of `macros`
};

/// The headers of the C++ standard library and of runtime/heddle, and the large ones of a CUDA toolkit, that a file includes, up to the
/// first line that could change what they mean. Where they mention one of `macros` (withCachedHeaders looks), only those before it are good.
/// `folder` is the file's, `command` a compiler with its flags, whose -I folders lead to headers of the user that include such headers in turn.
OpeningHeaders openingHeaders(std::string_view text, const std::filesystem::path &folder,
                              const std::vector<std::string> &command);

} // namespace heddle
