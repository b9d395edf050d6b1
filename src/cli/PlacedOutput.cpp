// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlacedOutput.h"

#include "InputOutput.h"
#include "Verbs.h"
#include "source/Program.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/ShellText.h"
#include "transform/Lines.h"
#include "transform/MovedIncludes.h"

#include <fmt/format.h>

#include <variant>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using transform::RuntimeHeaders;

fs::path folderOf(const fs::path &file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).lexically_normal().parent_path();
}

/// Whether the text compiles as the file that it is to be.
bool compilesAs(const fs::path &file, const std::string &text, const source::CompileOptions &options) {
  auto parsed = source::Program::parseText(file.string(), text, options);
  return std::holds_alternative<std::unique_ptr<source::Program>>(parsed);
}

} // namespace

RuntimeHeaders runtimeHeadersNamed(const std::string &word) {
  return word == "path"   ? RuntimeHeaders::ByPath
         : word == "copy" ? RuntimeHeaders::Copied
                          : RuntimeHeaders::Embedded;
}

std::string withRuntimeHeaders(const std::string &text, RuntimeHeaders how) {
  switch (how) {
  case RuntimeHeaders::Embedded: return transform::withEmbeddedHeaders(text);
  case RuntimeHeaders::Copied: return transform::withHeadersBeside(text);
  case RuntimeHeaders::ByPath: break;
  }
  return text;
}

std::optional<std::string> placedText(const std::string &text, const Placement &placement,
                                      const source::CompileOptions &options, Diagnostics &diagnostics) {
  const std::string given = contentsOf(placement.input);
  const fs::path from = folderOf(placement.input), to = folderOf(placement.output);
  const std::string moved = transform::withMovedIncludes(text, from, to);
  const SourceLocation whole{placement.output.string()};
  if (placement.runtime == RuntimeHeaders::ByPath && !transform::runtimeHeadersOf(text).empty())
    diagnostics.add(Severity::Done, whole,
                    fmt::format("includes headers of Heddle: compile it with {}",
                                shellWord("-I" + dataFolder("runtime").string())));
  if (!placement.movesIncludes && moved != text)
    diagnostics.add(Severity::Done, whole,
                    fmt::format("includes files of the input's folder: compile it with {}",
                                shellWord("-I" + from.string())));
  std::string placed = transform::withLineEndsOf(
      given, withRuntimeHeaders(placement.movesIncludes ? moved : text, placement.runtime));
  if (placed == text || !placement.movesIncludes || compilesAs(placement.output, placed, options))
    return placed;
  source::CompileOptions withFolder = options;
  withFolder.userArguments.push_back("-I" + from.string());
  if (!compilesAs(placement.output, placed, withFolder)) {
    diagnostics
        .add(Severity::InternalError, whole, "the text does not compile in this folder; nothing is written")
        .withHint("report this as a defect of Heddle, with the input");
    return std::nullopt;
  }
  diagnostics.warning(
      whole,
      fmt::format("an #include that a macro names finds a file of the input's folder: compile it with {}",
                  shellWord("-I" + from.string())));
  return placed;
}

bool writeHeadersBeside(const std::string &text, const Placement &placement, Session &session) {
  if (placement.runtime != RuntimeHeaders::Copied)
    return true;
  for (const std::string &name : transform::runtimeHeadersOf(text)) {
    const fs::path file = folderOf(placement.output) / name;
    if (std::optional<FileFailure> failure = makeFolder(file.parent_path())) {
      complain(*failure, session);
      return false;
    }
    if (!write(file, transform::copiedHeader(name), session))
      return false;
  }
  return true;
}

} // namespace heddle::cli
