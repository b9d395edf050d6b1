// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::transform {

/// How emitted code gets at the headers of Heddle that it includes (`#include <heddle/launch.cuh>`).
enum class RuntimeHeaders {
  Embedded, ///< their text takes the place of the #include: the file compiles by itself
  Copied,   ///< `#include "heddle/launch.cuh"`, with copies in the folder `heddle` beside the file
  ByPath,   ///< as it is; compilers need -I
};

/// The headers that the text includes, with those that they include, in that order: "heddle/launch.cuh".
std::vector<std::string> runtimeHeadersOf(std::string_view text);

/// The text with the headers in the place of their #include. Each has an include guard, so that a file that includes the
/// same header as well does no harm. Lines of the form
///
///     // -- <heddle/launch.cuh>, in place of its #include --
///     // -- end of <heddle/launch.cuh> --
///
/// mark them: what is between them is not the user's code (source::Unit::isUserCode).
std::string withEmbeddedHeaders(std::string_view text);

/// The text with `#include "heddle/..."` in place of `#include <heddle/...>`.
std::string withHeadersBeside(std::string_view text);
/// The text of a header that is copied. It is one of a system header still, for compilers and for Heddle.
std::string copiedHeader(const std::string &name);

} // namespace heddle::transform
