// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The headers of the C++ standard library and of runtime/heddle, and the large ones of a CUDA toolkit, that a file includes, sorted, up to the first line that could
/// change what they mean: what may be precompiled with the CUDA headers that come before every file. `folder` is the
/// file's, `command` a compiler with its flags, whose -I folders lead to headers of the user that include such headers in turn.
std::vector<std::string> openingHeaders(std::string_view text, const std::filesystem::path &folder,
                                        const std::vector<std::string> &command);

} // namespace heddle
