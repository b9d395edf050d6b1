// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What opt writes compiles where it is written: its #include "..." find the files of the input's folder, and headers of
// Heddle are in the text, beside it, or found by -I.
#pragma once

#include "source/Toolkit.h"
#include "support/Diagnostics.h"
#include "transform/RuntimeHeaders.h"

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::cli {

struct Session;

struct Placement {
  std::filesystem::path input, output;
  transform::RuntimeHeaders runtime = transform::RuntimeHeaders::Embedded;
  bool movesIncludes = true;
};

/// --runtime: embed, copy or path.
transform::RuntimeHeaders runtimeHeadersNamed(const std::string &word);

/// The text with its headers of Heddle where they are to be.
std::string withRuntimeHeaders(const std::string &text, transform::RuntimeHeaders how);

/// `text`, made from the input, as it is to be written to the output. Which -I a compiler needs goes to `diagnostics`: as a
/// remark where that was asked for, as a warning where an #include cannot be changed. Nothing where the text does not compile
/// there for another reason.
std::optional<std::string> placedText(const std::string &text, const Placement &placement,
                                      const source::CompileOptions &options, Diagnostics &diagnostics);

/// Writes the headers that are to be beside the output. False, with a message, where that is not possible.
bool writeHeadersBeside(const std::string &text, const Placement &placement, Session &session);

} // namespace heddle::cli
