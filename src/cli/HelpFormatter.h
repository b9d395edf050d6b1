// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace heddle::cli {

struct Session;

/// Writes --help from the model of the command: usage with its operands, options with their values, and for
/// the program itself a line per verb.
class HelpFormatter : public CLI::FormatterBase {
public:
  explicit HelpFormatter(const Session &session) : session(session) {}
  std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override;

private:
  const Session &session;
};

/// Lines of at most `width` columns, each behind `indent` blanks; words are kept whole.
std::string wrapped(const std::string &text, size_t width, size_t indent);

} // namespace heddle::cli
