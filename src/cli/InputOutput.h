// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the command line names, read and written by the table of support/ExitCode.h. What fails is
// printed with the system's reason, and the exit code is left in the session.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {
struct FileFailure;
}

namespace heddle::cli {

struct Session;

/// Prints "FILE: error: cannot be read: Permission denied".
void complain(const FileFailure &failure, Session &session);

/// Whether every file can be read, and is text where its name says that it is a source (.cu, .cpp, .ptx...).
/// Asked before compilers are: their messages name the cause badly, and their exit codes not at all.
bool canRead(const std::vector<std::filesystem::path> &files, Session &session);
/// The same for one that must be text whatever its name is. `hint` is printed if it cannot be read.
bool canReadText(const std::filesystem::path &file, Session &session, const std::string &hint = "");

bool isPtx(const std::filesystem::path &file);
/// Whether none of them is PTX, for verbs that take CUDA; with a message where one is.
bool areNotPtx(const std::vector<std::filesystem::path> &files, Session &session);

/// Whether this output could be written now. An empty name is one that was not given.
bool canWrite(const std::filesystem::path &file, Session &session);

/// The same for a folder that files are to be written into; it need not be there yet.
bool canFill(const std::filesystem::path &folder, Session &session);

/// Writes an output as a whole or not at all.
bool write(const std::filesystem::path &file, std::string_view text, Session &session);

/// JSON as verbs print it. Names and source lines may hold bytes that are no UTF-8; JSON may not, so that
/// they become U+FFFD.
template <class Json> std::string jsonText(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace heddle::cli
