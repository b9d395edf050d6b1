// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace heddle::cli {

/// Instead of CLI::PositiveNumber, whose message prints the largest double in 309 digits and a range that includes 0.
inline CLI::Validator positiveNumber() {
  return CLI::Validator(
      [](std::string &text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value > 0;
        return fits ? std::string() : "'" + text + "' is not a positive number";
      },
      "");
}

} // namespace heddle::cli
