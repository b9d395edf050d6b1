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

/// The first error of a compiler, as a place and a text: "a.cu:3:7", "expected ';'".
std::optional<Message::Line> firstErrorOf(llvm::StringRef compilerMessages) {
  while (!compilerMessages.empty()) {
    const auto [line, rest] = compilerMessages.split('\n');
    compilerMessages = rest;
    const size_t at = line.find(": error: ");
    const size_t fatal = line.find(": fatal error: ");
    if (at == line.npos && fatal == line.npos)
      continue;
    const size_t end = std::min(at, fatal);
    return Message::Line{line.substr(0, end).str(), line.substr(line.find("error: ", end) + 7).str(), ""};
  }
  return std::nullopt;
}

Message messageWithError(const std::string &file, const std::string &text,
                         const std::string &compilerMessages) {
  Message message;
  message.warning = {file, text, ""};
  if (const std::optional<Message::Line> error = firstErrorOf(compilerMessages))
    message.notes.push_back(*error);
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

verify::EmittedCheck checked(const verify::EmittedFile &emitted, const Work &work) {
  verify::EmittedFile file = emitted;
  writeFileOrThrow(file.candidate, file.text);
  file.build.sources.flags = work.flags;
  // Quoted includes are meant from where the old file lies.
  file.build.sources.flags.push_back("-I" + fs::absolute(file.origin).parent_path().string());
  file.build.arch = work.arch;
  return verify::checkEmitted(file, verify::CheckedKernels::Changed);
}

/// What the check of a text found, in messages about the user's files.
class CheckMessages {
public:
  CheckMessages(const Work &work, const transform::Outcome &outcome) : work(work), outcome(outcome) {
    const fs::path source = work.file;
    const verify::EmittedFile emitted{source,
                                      folder.path() / source.filename(),
                                      source,
                                      outcome.text,
                                      outcome.untouchedKernels,
                                      compileOptions(work),
                                      {}};
    const verify::EmittedCheck check = checked(emitted, work);
    isUsable = check.outcome == verify::Emitted::MayBeWritten ||
               check.outcome == verify::Emitted::InputDoesNotCompile;
    if (isUsable)
      addUnchecked(check, emitted);
    else
      addReason(check);
  }

  bool isUsable = false; ///< else the file is compiled as it is
  std::vector<Message> messages;

private:
  void addReason(const verify::EmittedCheck &check) {
    const bool compiles = check.outcome != verify::Emitted::DoesNotCompile;
    Message message = messageWithError(
        work.file,
        compiles ? "a transformed kernel fails the static check; the file is compiled unchanged"
                 : "the transformed text does not compile; the file is compiled unchanged",
        compiles ? "" : check.compilerMessages);
    for (Message::Line &note : message.notes)
      note.location = work.file; // lines of the new text mean nothing to anybody
    for (const verify::EmittedCheck::Kernel &kernel : check.kernels)
      if (!verify::isAcceptable(kernel))
        for (const check::Finding &finding : kernel.result.findings)
          message.notes.push_back({givenLocation(finding.location, work, outcome).str(),
                                   fmt::format("kernel '{}': {}", kernel.name, finding.text), ""});
    messages.push_back(std::move(message));
  }

  /// Everything that `heddle opt` reports of it. Its hints are about the output, which nobody has here.
  void addUnchecked(const verify::EmittedCheck &check, const verify::EmittedFile &emitted) {
    for (Diagnostic each : check.diagnostics.all()) {
      const bool isError =
          each.severity != Severity::Warning; // the compiler of the check accepts neither text
      each.location = givenLocation(each.location, work, outcome);
      each.hint.clear();
      messages.push_back(
          isError ? messageWithError(work.file, "not checked: " + each.text, check.compilerMessages)
                  : messageFrom(each));
    }
    for (const verify::EmittedCheck::Kernel &kernel : check.kernels)
      if (const std::optional<Diagnostic> warning = verify::warningAbout(kernel, emitted))
        messages.push_back(messageFrom(*warning));
  }

  const Work &work;
  const transform::Outcome &outcome;
  TemporaryFolder folder;
};

/// The table of the GPU. For one without, that of the newest before it, with a message.
std::optional<arch::Arch> archOf(const Work &work, std::vector<Message> &messages) {
  Diagnostics unknown, broken;
  if (std::optional<arch::Arch> own = arch::findArch(work.arch, unknown))
    return own;
  const std::vector<arch::Arch> all = arch::loadArchs(broken);
  unsigned number = 0; // 87, 103
  llvm::StringRef name(work.arch);
  const bool isNumber = name.consume_front("sm_") && !name.consumeInteger(10, number);
  const arch::Arch *nearest = isNumber ? arch::newestUpTo(number / 10, number % 10, all) : nullptr;
  Message message;
  message.kind = Message::Kind::Remark;
  message.warning = {work.file,
                     fmt::format("there is no table for {}: directives use the limits of {}", work.arch,
                                 nearest ? nearest->name : "no GPU in particular"),
                     ""};
  messages.push_back(std::move(message));
  return nearest ? std::optional(*nearest) : std::nullopt;
}

} // namespace

Transformed transformed(const Work &work) {
  Transformed result;
  Diagnostics diagnostics;
  transform::Options options;
  options.compile = compileOptions(work);
  options.leavesRefusedOut = true;
  transform::assume(work.assumptions, options);
  const std::optional<arch::Arch> arch = archOf(work, result.messages);
  options.arch = arch ? &*arch : nullptr;

  const std::string given(withoutByteOrderMark(contentsOf(work.file)));
  const transform::Outcome outcome =
      transform::applyDirectives(work.file, given, work.directives, options, diagnostics);
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity != Severity::Done && each.severity != Severity::Kept)
      result.messages.push_back(messageFrom(each));
  for (const Diagnostic &each : outcome.leftUnchanged.all())
    result.messages.push_back(messageFrom(each, Message::Kind::Remark));
  if (outcome.kind == transform::Outcome::Kind::Unusable)
    result.messages.push_back(
        messageWithError(work.file, "the directives of this file are not applied, since Clang cannot read it",
                         outcome.compilerMessages));
  const bool isEdited = outcome.kind == transform::Outcome::Kind::Done && !outcome.editedKernels.empty();
  if (!isEdited)
    return result;
  const CheckMessages check(work, outcome);
  result.messages.insert(result.messages.end(), check.messages.begin(), check.messages.end());
  if (!check.isUsable)
    return result;
  // Who states them knows them; -Werror=heddle must not contradict.
  Diagnostics assumed;
  transform::warnOfAssumptions(work.assumptions, work.file, assumed);
  for (const Diagnostic &each : assumed.all())
    result.messages.push_back(messageFrom(each, Message::Kind::Remark));
  result.text = withLineDirectives(outcome.text, outcome.origins, work.file);
  std::set<std::string> embedded;
  for (const source::LineOrigin &origin : outcome.origins)
    if (!origin.file.empty())
      embedded.insert(origin.file);
  result.embedded.assign(embedded.begin(), embedded.end());
  return result;
}

} // namespace heddle::launcher
