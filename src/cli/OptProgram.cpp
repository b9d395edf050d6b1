// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle opt FILE... --output-dir DIR:
//
// 1. Transform the files as one program (transform/WholeProgram.h).
// 2. Write the result to a temporary folder. There each translation unit must compile by itself, and must not read a file whose changed
//    copy it is meant to read: an #include that a macro names cannot be rewritten.
// 3. Check the kernels statically, in one file that includes all units: launches of one unit give the blocks of kernels of another.
// 4. Run both programs where asked.
// 5. Write everything.
#include "InputOutput.h"
#include "OptRequest.h"
#include "PlacedOutput.h"
#include "ProgramLayout.h"
#include "Verbs.h"
#include "Verification.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/ShellText.h"
#include "transform/Lines.h"
#include "transform/WholeProgram.h"
#include "verify/EmittedFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using transform::ProgramOutcome;

/// The new program in a temporary folder.
class ProgramCandidate {
public:
  ProgramCandidate(const OptRequest &request, const std::vector<source::ProgramFile> &units,
                   const ProgramOutcome &outcome, const Session &session)
      : request(request), units(units), outcome(outcome), session(session),
        layout(outcome, folder.path() / "new"), final(outcome, request.outputFolder) {
    for (const ProgramOutcome::File &file : outcome.files) {
      const fs::path written = layout.pathOf(file.file);
      if (std::optional<FileFailure> failure = makeFolder(written.parent_path()))
        throw FileError(*failure);
      writeFileOrThrow(written, layout.placed(file, ProgramLayout::Others::Rewritten));
      names[written.string()] = final.pathOf(file.file).string();
    }
    for (const source::ProgramFile &unit : units)
      placed.push_back({layout.pathOf(unit.file), unit.compile});
    options.sources.flags = session.compilerArguments;
    options.sources.ownFlags = request.ownFlags;
    for (size_t i = 0; i < units.size(); ++i)
      if (auto flags = request.ownFlags.find(units[i].file); flags != request.ownFlags.end())
        options.sources.ownFlags[placed[i].file] = flags->second;
    options.arch = request.source.archName();
    options.timeoutSeconds = request.timeoutSeconds;
    options.colour = session.errorColour;
  }

  /// Whether each unit compiles and reads the changed files. Where a macro names an #include, folders of the originals are
  /// needed, and `diagnostics` names them.
  bool isSound(Diagnostics &diagnostics) {
    source::ProgramReading reading = source::readSeparately(placed, joined());
    if (reading.kind == source::ProgramReading::Kind::DoesNotCompile && addOriginalFolders(diagnostics))
      reading = source::readSeparately(placed, joined());
    if (reading.kind == source::ProgramReading::Kind::DoesNotCompile)
      return refuse(reading, diagnostics), false;
    if (reading.kind != source::ProgramReading::Kind::Same) {
      std::string messages = reading.compilerMessages;
      for (const Diagnostic &each : reading.diagnostics.all())
        messages += each.text + "\n";
      std::cerr << inFinalNames(messages);
      diagnostics
          .add(Severity::InternalError, {request.outputFolder},
               "the emitted files do not mean the same by themselves; nothing is written")
          .withHint("report this as a defect of Heddle, with the input");
      return false;
    }
    for (const ProgramOutcome::File &file : outcome.files)
      if (reading.separate.files().contains(source::canonicalPath(file.file))) {
        diagnostics
            .refuse({file.file.string()},
                    "this file is changed, and an #include that cannot be rewritten still finds the original")
            .withHint("an #include that names the file instead of a macro, by a folder that is not one of "
                      "-isystem");
        return false;
      }
    return true;
  }

  /// 0 where the kernels may be written, else the exit code.
  int checkKernels() const {
    const source::ProgramFile originals{folder.path() / "original.cu", source::flagsOfAll(units)};
    const fs::path file = folder.path() / "new.cu";
    const std::string text = source::includingAll(placed);
    writeFileOrThrow(originals.file, source::includingAll(units));
    writeFileOrThrow(file, text);
    verify::EmittedFile emitted{originals.file,
                                file,
                                request.outputFolder,
                                text,
                                outcome.outcome.untouchedKernels,
                                source::flagsOfAll(placed),
                                {},
                                names};
    emitted.build.sources = options.sources;
    for (const fs::path &each : {originals.file, file})
      emitted.build.sources.ownFlags[each] = flagsOfAllUnits();
    emitted.build.arch = options.arch;
    emitted.build.compiler = options.compiler;
    return checkAndShow(emitted, request, session);
  }

  /// Runs both programs.
  void verify(Session &running) const {
    Verification verification;
    verification.options = options;
    verification.options.sources.files.assign(request.further.begin(), request.further.end());
    for (size_t i = 0; i < units.size(); ++i) {
      verification.programs[0].push_back(units[i].file);
      verification.programs[1].push_back(placed[i].file);
    }
    verification.retriesUnfused = true;
    verification.shownAs = {units.front().file, request.outputFolder};
    verifyPrograms(verification, running);
  }

  build::ProgramOptions options; ///< how both are compiled

private:
  /// All files as one text do compile: one of them needs another.
  void refuse(const source::ProgramReading &reading, Diagnostics &diagnostics) const {
    for (size_t i = 0; i < units.size(); ++i)
      if (placed[i].file == reading.failed)
        diagnostics
            .refuse({units[i].file.string()},
                    fmt::format("the output of this file does not compile by itself, since directives add "
                                "declarations to another file: {}",
                                source::firstError(reading.compilerMessages)))
            .withHint("define the kernel in a header that every file that launches it includes");
  }

  fs::path joined() const { return folder.path() / "program.cu"; }

  std::string inFinalNames(std::string text) const {
    for (const auto &[name, shownAs] : names)
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + shownAs.size()))
        text.replace(at, name.size(), shownAs);
    return text;
  }

  bool addOriginalFolders(Diagnostics &diagnostics) {
    std::set<std::string> folders;
    for (const ProgramOutcome::File &file : outcome.files)
      folders.insert(source::canonicalPath(file.file).parent_path().string());
    bool helps = true;
    for (source::ProgramFile &unit : placed)
      for (const std::string &each : folders)
        unit.compile.userArguments.push_back("-I" + each);
    for (const source::ProgramFile &unit : placed)
      helps = helps && std::holds_alternative<std::unique_ptr<source::Program>>(
                           source::Program::parse(unit.file, unit.compile));
    for (const std::string &each : folders)
      if (helps) {
        options.sources.flags.push_back("-I" + each);
        diagnostics.warning({request.outputFolder},
                            fmt::format("an #include that a macro names finds a file of the input's folder: "
                                        "compile the files with {}",
                                        shellWord("-I" + each)));
      }
    return helps;
  }

  std::vector<std::string> flagsOfAllUnits() const {
    std::vector<std::string> all;
    for (const source::ProgramFile &unit : units)
      if (auto flags = request.ownFlags.find(unit.file); flags != request.ownFlags.end())
        all.insert(all.end(), flags->second.begin(), flags->second.end());
    return all;
  }

  const OptRequest &request;
  const std::vector<source::ProgramFile> &units;
  const ProgramOutcome &outcome;
  const Session &session;
  TemporaryFolder folder;
  const ProgramLayout layout, final;
  std::vector<source::ProgramFile> placed;
  std::map<std::string, std::string> names; ///< of files in the folder: what they will be
};

/// Everything that is checked before the new files are written.
void check(const OptRequest &request, const std::vector<source::ProgramFile> &units,
           const ProgramOutcome &outcome, Session &session) {
  ProgramCandidate candidate(request, units, outcome, session);
  Diagnostics diagnostics;
  if (!build::readChoices("sim", request.compiler, candidate.options, diagnostics)) {
    complain(diagnostics, session, ExitBadUsage);
    return;
  }
  const bool isSound = candidate.isSound(diagnostics);
  print(std::cerr, diagnostics, session.errorColour);
  session.exitCode = isSound ? candidate.checkKernels() : int(ExitRefused);
  if (session.exitCode == ExitDone && request.verify)
    candidate.verify(session);
}

/// Whether every output is a file of its own that can be written.
bool canWriteAll(const ProgramOutcome &outcome, const ProgramLayout &layout, Session &session) {
  for (const ProgramOutcome::File &file : outcome.files) {
    const fs::path output = layout.pathOf(file.file);
    if (outcome.read.contains(source::canonicalPath(output))) {
      complain(session, fmt::format("'{}' is a file of the program", output.string()),
               "--output-dir names a folder that does not hold it", ExitBadUsage);
      return false;
    }
    if (!canFill(output.parent_path(), session) ||
        (fs::exists(output.parent_path()) && !canWrite(output, session)))
      return false;
  }
  return true;
}

void writeAll(const OptRequest &request, const ProgramOutcome &outcome, const ProgramLayout &layout,
              Session &session) {
  const transform::RuntimeHeaders runtime = runtimeHeadersNamed(request.runtime);
  const auto others =
      request.includes == "rewrite" ? ProgramLayout::Others::Rewritten : ProgramLayout::Others::Kept;
  Diagnostics remarks;
  for (const ProgramOutcome::File &file : outcome.files) {
    const fs::path output = layout.pathOf(file.file);
    const std::string text = layout.placed(file, others);
    if (std::optional<FileFailure> failure = makeFolder(output.parent_path()))
      return complain(*failure, session);
    if (!writeHeadersBeside(text, {file.file, output, runtime}, session) ||
        !write(output, transform::withLineEndsOf(contentsOf(file.file), withRuntimeHeaders(text, runtime)),
               session))
      return;
    if (runtime == transform::RuntimeHeaders::ByPath && !transform::runtimeHeadersOf(text).empty())
      remarks.add(Severity::Done, {output.string()},
                  fmt::format("includes headers of Heddle: compile it with {}",
                              shellWord("-I" + dataFolder("runtime").string())));
    if (text != layout.placed(file, ProgramLayout::Others::Rewritten))
      remarks.add(Severity::Done, {output.string()},
                  fmt::format("includes files of the input's folder: compile it with {}",
                              shellWord("-I" + source::canonicalPath(file.file).parent_path().string())));
  }
  printMessages(remarks, {}, request.remarks, session.errorColour);
}

} // namespace

bool OptProgram::prepare() {
  std::set<fs::path> seen;
  std::vector<fs::path> files(request.files.begin(), request.files.end());
  for (const fs::path &file : files)
    if (!canReadText(file, session))
      return false;
    else if (!seen.insert(source::canonicalPath(file)).second)
      return complain(session, fmt::format("'{}' is given twice", file.string()), "leave one of them out",
                      ExitBadUsage),
             false;
  if (source::canonicalPath(request.outputFolder) == transform::commonFolder(files))
    return complain(session, fmt::format("'{}' is the folder of the input", request.outputFolder),
                    "--output-dir names another folder", ExitBadUsage),
           false;
  if (!canFill(request.outputFolder, session) || !request.source.readBuildFlags(request.files.front()))
    return false;
  Diagnostics diagnostics;
  for (const std::string &file : request.further)
    request.ownFlags[file] = request.source.buildFlagsOf(file, diagnostics).flags;
  source::CompileOptions compile = request.source.compileOptions();
  for (const std::string &file : request.files) {
    const std::vector<std::string> own = request.source.buildFlagsOf(file, diagnostics).flags;
    request.ownFlags[file] = compile.userArguments = own;
    compile.userArguments.insert(compile.userArguments.end(), session.compilerArguments.begin(),
                                 session.compilerArguments.end());
    units.push_back({file, compile});
  }
  return !complain(diagnostics, session, ExitBadUsage);
}

void OptProgram::run(const std::vector<transform::Directive> &directives, const transform::Options &options,
                     Diagnostics &diagnostics, const std::function<void()> &report) {
  const ProgramOutcome outcome = transform::applyToProgram(units, directives, options, diagnostics);
  report();
  std::cerr << outcome.outcome.compilerMessages;
  printMessages(diagnostics, outcome.outcome, request.remarks, session.errorColour);
  session.exitCode = exitCodeOf(outcome.outcome, diagnostics);
  if (session.exitCode != ExitDone)
    return;
  const ProgramLayout layout(outcome, request.outputFolder);
  if (!canWriteAll(outcome, layout, session))
    return;
  check(request, units, outcome, session);
  if (session.exitCode == ExitDone)
    writeAll(request, outcome, layout, session);
  if (session.exitCode != ExitDone)
    return;
  std::vector<std::string> outputs;
  for (const ProgramOutcome::File &file : outcome.files)
    outputs.push_back(layout.pathOf(file.file).string());
  writeDependencies(request, outputs, outcome.read, session);
}

} // namespace heddle::cli
