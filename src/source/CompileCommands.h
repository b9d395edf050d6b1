// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace heddle::source {

/// How a build system compiles one file.
struct CompileCommand {
  std::filesystem::path source;   ///< what it compiles, absolute
  std::filesystem::path folder;   ///< where it runs, absolute
  std::vector<std::string> words; ///< the compiler and its arguments, as the build system gives them
};

/// What Heddle takes of such a command.
struct BuildFlags {
  /// Macros, folders of headers and the language in Clang's words, with absolute paths; and options of nvcc's own that change
  /// what a CUDA source means or how it is compiled (--extended-lambda, -fmad, -maxrregcount).
  std::vector<std::string> flags;
  std::string arch; ///< "sm_80", the oldest where there are several; empty where none is named
  std::filesystem::path missingResponseFile; ///< one that cannot be read: flags are missing
};
BuildFlags buildFlags(const CompileCommand &command);

/// A compile_commands.json: what CMake (CMAKE_EXPORT_COMPILE_COMMANDS), Meson, Bazel and Bear write.
class CompileCommands {
public:
  /// Reads the file; or the reason why that is not possible.
  static std::variant<CompileCommands, std::string> read(const std::filesystem::path &file);

  const std::filesystem::path &file() const { return path; }
  const std::vector<CompileCommand> &all() const { return commands; }

  /// The command that compiles `source`, the first where there are several. A header has none of its own. It takes that of
  /// a source with the same stem that is beside it or includes it, a CUDA source first, or else of the first source that
  /// includes it. Null where there is none.
  const CompileCommand *commandFor(const std::filesystem::path &source) const;

  /// The sources whose names are most like that of `source`, nearest first, as seen from the current folder.
  std::vector<std::string> namesNearest(const std::filesystem::path &source, size_t most) const;

private:
  const CompileCommand *commandForHeader(const std::filesystem::path &header) const;

  std::filesystem::path path;
  std::vector<CompileCommand> commands;
};

/// The compile_commands.json in a folder that was named, or the file itself.
std::filesystem::path compileCommandsAt(const std::filesystem::path &folderOrFile);

/// Every compile_commands.json that may be about `source`: in its folder and those above it, and in `build` of each, the
/// nearest first. Those that do not contain the file's name are left out, which saves reading them.
std::vector<std::filesystem::path> compileCommandsAbove(const std::filesystem::path &source);

} // namespace heddle::source
