// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::transform {

/// What a directive is put before: a kernel, or a loop or a branch of one.
enum class Subject { Kernel, Loop, Branch };

/// One `key=value` of a directive, or `key=a|b|c` where a tuner may choose.
struct Setting {
  std::string key;
  std::vector<std::string> values;
  SourceLocation location;
};

/// One directive as written: `coarsen x=2 map=blocked`.
///
/// The same words serve the command line, `#pragma heddle`, the tuner's space and the report. A directive
/// that was read is sound by itself: it exists, takes these settings, and each value is one it allows.
struct Directive {
  std::string name;
  Subject subject = Subject::Kernel;
  std::vector<Setting> settings; ///< in the order given; none twice
  SourceLocation location;       ///< where it was asked for
  /// Of a list for many files: the only kernel that it is for, by any of its names, or "*" for each of the file itself. A program
  /// without such a kernel leaves it out. Empty: what the command line says holds.
  std::string kernel = {};

  /// The setting's value, or its default. Only for directives without alternatives.
  std::string word(std::string_view key) const;
  int64_t number(std::string_view key) const;
  bool has(std::string_view key) const;
  /// Some setting leaves a choice.
  bool hasAlternatives() const;
  /// Every directive without alternatives that this one represents, in the order given.
  std::vector<Directive> expanded() const;
  /// "coarsen x=2 map=blocked"
  std::string str() const;
};

/// Reads one or more directives, with `;` between them. `origin` is where the text begins; its sourceLine
/// must hold the text. What is wrong goes to `diagnostics`, and then nothing is returned.
std::vector<Directive> readDirectives(std::string_view text, const SourceLocation &origin,
                                      Diagnostics &diagnostics);

/// The same for words of the command line.
std::vector<Directive> readDirectives(const std::string &text, Diagnostics &diagnostics);

/// The names of all directives, in the order of the table.
std::vector<std::string> directiveNames();

} // namespace heddle::transform
