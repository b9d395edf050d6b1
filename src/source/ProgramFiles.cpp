// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/ProgramFiles.h"

#include "source/Program.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <regex>

namespace fs = std::filesystem;

namespace heddle::source {
namespace {

/// As a user would name the file: relative to the working directory where it is below that.
SourceLocation shown(SourceLocation location) {
  std::error_code ignored;
  const fs::path seen = fs::path(location.file).lexically_relative(fs::current_path(ignored));
  if (!seen.empty() && *seen.begin() != "..")
    location.file = seen.string();
  return location;
}

constexpr const char *anyError = "(?:fatal )?error";

/// Clang's first message of this kind, as a location and what it says.
std::optional<std::pair<SourceLocation, std::string>> firstMessage(const std::string &messages,
                                                                   const std::string &kind) {
  const std::regex pattern("(^|\n)([^\n]*):([0-9]+):([0-9]+): " + kind + ": ([^\n]*)");
  std::smatch match;
  if (!std::regex_search(messages, match, pattern))
    return std::nullopt;
  SourceLocation location{match[2], unsigned(std::stoul(match[3])), unsigned(std::stoul(match[4]))};
  return std::pair(shown(location), match[5].str());
}

/// Every unit compiles by itself, and the text with all of them does not.
void reportClash(const std::string &messages, const fs::path &joined, Diagnostics &diagnostics) {
  const auto error = firstMessage(messages, anyError);
  Diagnostic &clash = diagnostics.refuse(
      error ? error->first : SourceLocation{joined.string()},
      fmt::format("the files cannot be read as one program: {}", error ? error->second : "names clash"));
  if (const auto note = firstMessage(messages, "note"))
    clash.note(note->first, note->second);
  clash.withHint("give one of the two another name; or transform the files one by one, as heddle nvcc does");
}

} // namespace

std::string firstError(const std::string &messages) {
  const auto error = firstMessage(messages, anyError);
  return error ? error->second : std::string();
}

CompileOptions flagsOfAll(const std::vector<ProgramFile> &files) {
  CompileOptions all = files.front().compile;
  for (const ProgramFile &each : files) {
    const std::vector<std::string> &theirs = each.compile.userArguments;
    if (theirs != files.front().compile.userArguments)
      all.userArguments.insert(all.userArguments.end(), theirs.begin(), theirs.end());
  }
  return all;
}

std::string includingAll(const std::vector<ProgramFile> &files) {
  std::string text;
  std::error_code ignored;
  for (const ProgramFile &each : files)
    text += fmt::format("#include \"{}\"\n", fs::absolute(each.file, ignored).string());
  return text;
}

ProgramReading readSeparately(const std::vector<ProgramFile> &files, const fs::path &joined) {
  using Kind = ProgramReading::Kind;
  ProgramReading result;
  for (const ProgramFile &each : files) {
    auto parsed = Program::parse(each.file, each.compile);
    if (auto *failure = std::get_if<ParseFailure>(&parsed)) {
      result.kind =
          failure->kind == ParseFailure::Kind::NotReadable ? Kind::NotReadable : Kind::DoesNotCompile;
      result.failed = each.file;
      result.compilerMessages = std::move(failure->compilerMessages);
      result.diagnostics = std::move(failure->diagnostics);
      return result;
    }
    const Program &program = *std::get<std::unique_ptr<Program>>(parsed);
    result.separate.add(program);
    addInclusions(program, result.inclusions);
  }
  if (files.size() == 1)
    return result;
  auto parsed = Program::parseText(joined.string(), includingAll(files), flagsOfAll(files));
  if (auto *failure = std::get_if<ParseFailure>(&parsed)) {
    result.kind = Kind::Different;
    reportClash(failure->compilerMessages, joined, result.diagnostics);
    return result;
  }
  Reading together;
  together.add(*std::get<std::unique_ptr<Program>>(parsed), Reading::MainFile::OnlyIncludes);
  if (const auto difference = together.differenceFrom(result.separate)) {
    result.kind = Kind::Different;
    result.diagnostics
        .refuse(shown(difference->location),
                fmt::format("the files cannot be read as one program: {}", difference->what))
        .withHint("transform the files one by one, as heddle nvcc does");
  }
  return result;
}

} // namespace heddle::source
