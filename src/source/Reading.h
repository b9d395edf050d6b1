// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace heddle::source {

class Program;
class Unit;

/// What a compiler reads in the user's files: the preprocessed tokens of each file, and what each name in it refers to.
///
/// Translation units that are read as one text can see each other's macros, overloads and using-directives. They mean the
/// same as they do alone where the reading of the text is the sum of the readings of the units:
///
///     Reading separate;                          // of each unit by itself
///     separate.add(*first), separate.add(*second);
///     Reading together;                          // of `#include "first.cu"`, `#include "second.cu"`
///     together.add(*both);
///     if (auto difference = together.differenceFrom(separate)) ...
class Reading {
public:
  /// The program's own file counts as any other, unless it is one that only includes others.
  enum class MainFile { Counts, OnlyIncludes };
  void add(const Program &program, MainFile main = MainFile::Counts);

  /// A place that reads in another way here; nothing where there is none.
  struct Difference {
    SourceLocation location;
    std::string what; ///< "'f' refers to ..."
  };
  std::optional<Difference> differenceFrom(const Reading &other) const;

  /// Every file of the user's that was read, by its canonical path.
  const std::set<std::filesystem::path> &files() const { return read; }

private:
  struct Token {
    size_t hash = 0;
    unsigned line = 0;
    bool operator==(const Token &other) const { return hash == other.hash; }
  };
  struct Reference {
    unsigned line = 0;
    std::set<std::string> to; ///< what it refers to in one instantiation or another
  };
  /// A file as one side sees it: the device first.
  using Seen = std::pair<std::filesystem::path, bool>;

  void add(const Unit &unit, MainFile main);
  void addTokens(const Unit &unit, MainFile main);
  std::optional<Difference> tokensDiffer(const Reading &other) const;
  std::optional<Difference> referencesDiffer(const Reading &other) const;

  std::set<std::filesystem::path> read;
  /// The tokens of each time that a file was read.
  std::map<Seen, std::vector<std::vector<Token>>> tokens;
  std::map<std::pair<Seen, unsigned>, Reference> references; ///< by the offset in the file

  friend class ReferenceCollector;
};

} // namespace heddle::source
