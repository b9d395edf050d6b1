// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputOutput.h"

#include "Verbs.h"
#include "support/Diagnostics.h"
#include "support/ExitCode.h"
#include "support/Files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array SourceExtensions = {".cu",  ".cuh", ".cpp", ".cc",  ".cxx",  ".c",   ".h",
                                         ".hpp", ".ptx", ".inp", ".dat", ".yaml", ".json"};

bool isNamedAsText(const fs::path &file) {
  const std::string extension = file.extension().string();
  return std::ranges::count(SourceExtensions, extension) > 0;
}

/// The exit code of the first thing that is wrong counts, unless the system failed.
void complainOf(const fs::path &file, const std::string &text, int exitCode, Session &session,
                const std::string &hint = "") {
  Diagnostics diagnostics;
  diagnostics.error({file.string()}, text).withHint(hint);
  print(std::cerr, diagnostics, session.errorColour);
  if (session.exitCode == ExitDone || exitCode == ExitInputOutput)
    session.exitCode = exitCode;
}

bool canReadOne(const fs::path &file, bool mustBeText, Session &session, const std::string &hint = "") {
  if (std::optional<FileFailure> failure = whyNotReadable(file)) {
    complainOf(failure->file, failure->text(), failure->exitCode(), session, hint);
    return false;
  }
  std::error_code ignored;
  if (!mustBeText || !fs::is_regular_file(file, ignored) || !isBinary(beginningOf(file)))
    return true;
  complainOf(file, "is a binary file, not source text", ExitDoesNotCompile, session);
  return false;
}

} // namespace

void complain(const FileFailure &failure, Session &session) {
  complainOf(failure.file, failure.text(), failure.exitCode(), session);
}

bool canRead(const std::vector<fs::path> &files, Session &session) {
  bool all = true;
  for (const fs::path &file : files) {
    const bool mayBeArgument = file != files.front() && !file.has_extension();
    all &= canReadOne(file, isNamedAsText(file), session,
                      mayBeArgument ? fmt::format("arguments of the program follow --: {} -- {}",
                                                  files.front().string(), file.string())
                                    : "");
  }
  return all;
}

bool isPtx(const fs::path &file) { return file.extension() == ".ptx"; }

bool areNotPtx(const std::vector<fs::path> &files, Session &session) {
  const auto ptx = std::ranges::find_if(files, isPtx);
  if (ptx != files.end())
    complainOf(*ptx, "is PTX, which only 'heddle check --static' reads", ExitBadUsage, session,
               fmt::format("heddle check {} --static", ptx->string()));
  return ptx == files.end();
}

bool canReadText(const fs::path &file, Session &session, const std::string &hint) {
  return canReadOne(file, true, session, hint);
}

bool canWrite(const fs::path &file, Session &session) {
  std::optional<FileFailure> failure = file.empty() ? std::nullopt : whyNotWritable(file);
  if (failure)
    complain(*failure, session);
  return !failure;
}

bool canFill(const fs::path &folder, Session &session) {
  std::optional<FileFailure> failure = folder.empty() ? std::nullopt : whyNotFillable(folder);
  if (failure)
    complain(*failure, session);
  return !failure;
}

bool write(const fs::path &file, std::string_view text, Session &session) {
  std::optional<FileFailure> failure = writeFile(file, text);
  if (failure)
    complain(*failure, session);
  return !failure;
}

} // namespace heddle::cli
