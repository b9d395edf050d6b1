// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nvcc: one table of which take a value, what they are for, and what Clang calls them.
#pragma once

#include "source/Toolkit.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::source {

/// One name of an option. nvcc spells each with one dash or two.
struct NvccOption {
  enum class Value {
    None,
    Apart, ///< `-arch sm_90` or `-arch=sm_90`
    List,  ///< as Apart; several with commas between them
  };
  /// Its meaning to a reader of the command line; most are nothing.
  enum class Role {
    Nothing,
    Compile,
    DeviceCode,
    Preprocess,
    Query,
    Output,
    OutputFolder,
    Language,
    Dependencies,
    UserDependencies,
    DependencyFile,
    DependencyTarget,
    Define,
    Undefine,
    Include,
    SystemInclude,
    PreInclude,
    Standard,
    Architecture,
    HostOptions,
  };
  enum class Spelling {
    OfNvcc,          ///< Clang has another name for it, or has no such option
    Shared,          ///< Clang has the same
    SharedAndJoined, ///< the same, and the value may follow without a space: -Ifolder
  };

  std::string_view name; ///< without dashes
  Value value = Value::None;
  Role role = Role::Nothing;
  const char *clang =
      nullptr; ///< what Clang calls it; null where it has no name for it, or where its value matters (inClangsWords)
  Spelling spelling = Spelling::OfNvcc;
};

/// A word of nvcc's command line that is an option.
struct NvccWord {
  const NvccOption *option = nullptr;
  bool hasValue = false; ///< in the word itself; else it is the next one, where the option takes one
  std::string_view value;
};
/// Nothing for what is no option of nvcc's.
std::optional<NvccWord> readNvccWord(std::string_view argument);

/// The values of a list: "a,b\\,c" holds "a" and "b,c".
std::vector<std::string> valuesOf(std::string_view list);

/// nvcc's options in Clang's words, for one side: what is computed on the device (`-fmad`, `-ftz`, `-prec-div`, `-prec-sqrt`, `--use_fast_math`) concerns
/// that side only. Those that only steer code generation, linking or output fall away, what is meant for the host compiler
/// (`-Xcompiler -DX`) is kept where it matters to a parser, and the rest is passed on as it is.
std::vector<std::string> inClangsWords(const std::vector<std::string> &arguments, Side side);

} // namespace heddle::source
