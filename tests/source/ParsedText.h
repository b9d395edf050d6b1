// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Program.h"

#include <gtest/gtest.h>

namespace heddle::testing {

/// Parses text that is expected to compile; a failure shows Clang's messages.
inline std::unique_ptr<source::Program> parsed(const std::string &text, source::CompileOptions options = {}) {
  if (options.cudaPath.empty())
    options.cudaPath = "none";
  auto result = source::Program::parseText("test.cu", text, options);
  if (auto *failure = std::get_if<source::ParseFailure>(&result)) {
    ADD_FAILURE() << failure->compilerMessages;
    for (const Diagnostic &d : failure->diagnostics.all())
      ADD_FAILURE() << d.text;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<source::Program>>(result));
}

} // namespace heddle::testing
