// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as values: what --help, the man pages and the completion scripts are made of. All of it is
// read off the definitions that CLI11 parses with, so that the three can neither differ nor go stale.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heddle::cli {

struct Session;

/// What can be typed in the place of a value or an operand; for completion.
struct Completion {
  std::vector<std::string> words;      ///< a fixed set
  std::vector<std::string> extensions; ///< files of these kinds, without the dot; all files where it is empty
  bool files = false, folders = false;
  /// A set that would take time to load at every start: GPU generations or directives.
  enum class Table { None, Archs, Directives } table = Table::None;
};

/// The fixed set, or what its table holds now.
std::vector<std::string> wordsOf(const Completion &completion);

struct OptionModel {
  std::vector<std::string> names; ///< "-o" and "--output"; one name for an operand
  std::string value;              ///< "FILE", "auto|nvcc|clang", "N"; empty for a flag
  std::string help;
  std::string group;
  bool isRequired = false, repeats = false;
  Completion completion;

  bool isFlag() const { return value.empty(); }
};

/// One verb, or the program itself.
struct CommandModel {
  std::string name;    ///< "opt"; "heddle" and "heddle-runner" for programs
  std::string summary; ///< one line
  std::string examples;
  std::string details; ///< everything else that its description says
  std::string footer;
  std::string exitCodes; ///< one paragraph: the verb's own, or the usual one
  std::string usage;     ///< what follows the name: "[OPTIONS] FILE"
  std::vector<OptionModel> operands, options;
  Completion operandCompletion;

  std::string heading() const { return name.starts_with("heddle") ? name : "heddle " + name; }
};

CommandModel modelOf(const CLI::App &verb, const Session &session);

/// The verbs that people see, in the order of --help.
std::vector<const CLI::App *> visibleVerbs(const CLI::App &app);

} // namespace heddle::cli
