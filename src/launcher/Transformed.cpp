// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/Transformed.h"

#include "arch/Arch.h"
#include "launcher/LineDirectives.h"
#include "support/ByteOrderMark.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "transform/Assumptions.h"
#include "transform/Pipeline.h"
#include "verify/EmittedFile.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <set>

namespace fs = std::filesystem;

namespace heddle::launcher {
namespace {

source::CompileOptions compileOptions(const Work &work) {
  source::CompileOptions options;
  options.userArguments = work.flags;
  options.arch = work.arch;
  return options;
}

/// The first error of a compiler, as a place and a text: "a.cu:3:7: error: expected ';'".
Message cannotBeRead(const std::string &file, llvm::StringRef compilerMessages) {
  Message message;
  message.warning = {file, "the directives of this file are not applied, since Clang cannot read it", ""};
  while (!compilerMessages.empty()) {
    const auto [line, rest] = compilerMessages.split('\n');
    compilerMessages = rest;
    const size_t at = line.find(": error: ");
    const size_t fatal = line.find(": fatal error: ");
    if (at == line.npos && fatal == line.npos)
      continue;
    const size_t end = std::min(at, fatal);
    message.notes.push_back(
        {line.substr(0, end).str(), line.substr(line.find("error: ", end) + 7).str(), ""});
    break;
  }
  return message;
}

/// The place in the user's files of one in the new text.
SourceLocation givenLocation(const SourceLocation &location, const Work &work,
                             const transform::Outcome &outcome) {
  if (location.file != work.file || location.line == 0 || location.line > outcome.origins.size())
    return location;
  const source::LineOrigin &origin = outcome.origins[location.line - 1];
  return {origin.file.empty() ? work.file : origin.file, origin.line};
}

/// Why a text that was made is not used; nothing where it may be.
std::optional<Message> reasonNotToUse(const Work &work, const transform::Outcome &outcome) {
  TemporaryFolder folder;
  const fs::path source = work.file;
  verify::EmittedFile emitted{source,
                              folder.path() / source.filename(),
                              source,
                              outcome.text,
                              outcome.untouchedKernels,
                              compileOptions(work),
                              {}};
  writeFileOrThrow(emitted.candidate, outcome.text);
  emitted.build.sources.flags = work.flags;
  // Quoted includes are meant from where the old file lies.
  emitted.build.sources.flags.push_back("-I" + fs::absolute(source).parent_path().string());
  emitted.build.arch = work.arch;
  emitted.build.compiler = build::Compiler::Clang;
  const verify::EmittedCheck check = verify::checkEmitted(emitted, verify::CheckedKernels::Changed);
  if (check.outcome == verify::Emitted::MayBeWritten || check.outcome == verify::Emitted::InputDoesNotCompile)
    return std::nullopt;
  Message message;
  message.warning = {work.file, "", ""};
  if (check.outcome == verify::Emitted::DoesNotCompile)
    message = cannotBeRead(work.file, check.compilerMessages);
  message.warning.text = check.outcome == verify::Emitted::DoesNotCompile
                             ? "the transformed text does not compile; the file is compiled unchanged"
                             : "a transformed kernel fails the static check; the file is compiled unchanged";
  for (Message::Line &note : message.notes)
    note.location = work.file; // lines of the new text mean nothing to anybody
  for (const verify::EmittedCheck::Kernel &kernel : check.kernels)
    if (!verify::isAcceptable(kernel))
      for (const check::Finding &finding : kernel.result.findings)
        message.notes.push_back({givenLocation(finding.location, work, outcome).str(),
                                 fmt::format("kernel '{}': {}", kernel.name, finding.text), ""});
  return message;
}

} // namespace

Transformed transformed(const Work &work) {
  Transformed result;
  Diagnostics diagnostics;
  transform::Options options;
  options.compile = compileOptions(work);
  options.leavesRefusedOut = true;
  transform::assume(work.assumptions, options);
  Diagnostics ignored;
  const std::optional<arch::Arch> arch = arch::findArch(work.arch, ignored);
  options.arch = arch ? &*arch : nullptr;

  const std::string given(withoutByteOrderMark(contentsOf(work.file)));
  const transform::Outcome outcome =
      transform::applyDirectives(work.file, given, work.directives, options, diagnostics);
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity != Severity::Done && each.severity != Severity::Kept)
      result.messages.push_back(messageFrom(each));
  for (const Diagnostic &each : outcome.leftUnchanged.all())
    result.messages.push_back(messageFrom(each));
  if (outcome.kind == transform::Outcome::Kind::Unusable)
    result.messages.push_back(cannotBeRead(work.file, outcome.compilerMessages));
  const bool isEdited = outcome.kind == transform::Outcome::Kind::Done && !outcome.editedKernels.empty();
  if (!isEdited)
    return result;
  if (std::optional<Message> reason = reasonNotToUse(work, outcome)) {
    result.messages.push_back(std::move(*reason));
    return result;
  }
  result.text = withLineDirectives(outcome.text, outcome.origins, work.file);
  std::set<std::string> embedded;
  for (const source::LineOrigin &origin : outcome.origins)
    if (!origin.file.empty())
      embedded.insert(origin.file);
  result.embedded.assign(embedded.begin(), embedded.end());
  return result;
}

} // namespace heddle::launcher
