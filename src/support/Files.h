// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read and written with the system's reason where that fails. Everything that a user names on
// the command line goes through here: a stream of the standard library forgets why it failed.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace heddle {

/// A file that could not be read or written.
struct FileFailure {
  enum class Doing { Read, Write };

  std::filesystem::path file;
  Doing doing = Doing::Read;
  int code = 0; ///< errno

  /// "cannot be read: Permission denied", to follow the file's name.
  std::string text() const;
  /// "'a.cu' cannot be read: Permission denied".
  std::string str() const;
  /// ExitBadUsage for an input that is missing or a directory, ExitInputOutput for everything else.
  int exitCode() const;
};

/// For code that has no caller to ask what to do without the file: programs print it and end with its code.
struct FileError : std::runtime_error {
  explicit FileError(FileFailure why) : std::runtime_error(why.str()), failure(std::move(why)) {}
  FileFailure failure;
};

/// All bytes of a file, or why there are none.
std::variant<std::string, FileFailure> readFile(const std::filesystem::path &file);

/// Why readFile would fail, found out by opening the file and reading its first bytes.
std::optional<FileFailure> whyNotReadable(const std::filesystem::path &file);

/// Writes the file as a whole or leaves what was there: the text goes to a new file in the same directory,
/// which then takes the name. Links are followed, permissions kept. Devices, pipes, and files in a directory
/// that may not be written are written in place.
///
/// Durable: on the disk when this returns, also if the computer crashes afterwards.
enum class Durable { No, Yes };
std::optional<FileFailure> writeFile(const std::filesystem::path &file, std::string_view text,
                                     Durable durable = Durable::No);

/// For files of our own (in temporary folders), which are not read before they are complete. Throws FileError.
void writeFileOrThrow(const std::filesystem::path &file, std::string_view text);

/// Makes a directory and those above it.
std::optional<FileFailure> makeFolder(const std::filesystem::path &folder);

/// Why writeFile would fail now: asked before hours of work, not after. Makes no file and changes none.
std::optional<FileFailure> whyNotWritable(const std::filesystem::path &file);

/// Why makeFolder() and files in that folder would fail now. Makes nothing.
std::optional<FileFailure> whyNotFillable(const std::filesystem::path &folder);

/// The first few thousand bytes of a file; nothing where it cannot be read.
std::string beginningOf(const std::filesystem::path &file);
/// True for text that has a zero byte, which no source text has, among its first few thousand.
bool isBinary(std::string_view text);

/// All bytes of a file; nothing where it cannot be read.
std::string contentsOf(const std::filesystem::path &file);

} // namespace heddle
