// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>

namespace heddle {

/// The clang++ that compiles device code and programs: the one that a package has beside the program
/// (../lib/heddle/llvm/bin), else clang++-22 or clang++ on the PATH.
///
/// The one of a package comes first: the plugin of the static check (src/passes) can be loaded only by the
/// Clang of its own version.
std::optional<std::filesystem::path> findClang();

/// The compiler by whose folder Clang's library finds Clang's own headers (../lib/clang/22). It is executed
/// only to precompile headers. The order is that of findClang(), with the Clang that Heddle was built with
/// before those on the PATH.
std::filesystem::path clangOfHeaders();

} // namespace heddle
