// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Read each unit by itself, and all of them together. They must mean the same (source/Reading.h): a directive that looks at the joined
//    text then decides by what compilers see.
// 2. Carry the directives out on the joined text (JoinedText), as on one file. A header that an edit reaches takes the place
//    of its #include there.
// 3. Split the text into files again, and give each file the headers of Heddle that it uses (HelperIncludes).
// 4. Add the headers that include a changed one.
//
// The other way, a pipeline for each unit, would have to decide about a kernel without the launches of other units, or by facts that
// passes hand from one to the other: blocks, pointers that do not overlap, values of arguments.
#include "transform/WholeProgram.h"

#include "support/Files.h"
#include "transform/DirectiveMessage.h"
#include "transform/HelperIncludes.h"
#include "transform/JoinedText.h"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

class ProgramRun {
public:
  ProgramRun(const std::vector<source::ProgramFile> &units, const Options &options, Diagnostics &diagnostics)
      : units(units), options(options), diagnostics(diagnostics), joinedFile(nameOfJoined(units)) {}

  ProgramOutcome run(const std::vector<Directive> &further) {
    if (readAll() && knowsLines(further))
      carryOut(further);
    return std::move(result);
  }

private:
  static fs::path nameOfJoined(const std::vector<source::ProgramFile> &units) {
    std::vector<fs::path> files;
    for (const source::ProgramFile &unit : units)
      files.push_back(unit.file);
    return commonFolder(files) / "heddle-program.cu";
  }

  bool readAll() {
    using Kind = source::ProgramReading::Kind;
    source::ProgramReading reading = source::readSeparately(units, joinedFile);
    addMessages(shown(reading.diagnostics), diagnostics);
    result.inclusions = std::move(reading.inclusions);
    result.read = reading.separate.files();
    result.outcome.compilerMessages = reading.compilerMessages;
    result.outcome.isReadable = reading.kind != Kind::NotReadable;
    if (reading.kind == Kind::NotReadable || reading.kind == Kind::DoesNotCompile)
      result.outcome.kind = Outcome::Kind::Unusable;
    return reading.kind == Kind::Same;
  }

  /// `line=` of the command line does not state the file.
  bool knowsLines(const std::vector<Directive> &further) {
    for (const Directive &directive : further)
      if (directive.number("line")) {
        diagnostics.error(directive.location, fmt::format("'{}': a line of which file?", directive.str()))
            .withHint("a #pragma heddle before the loop or branch");
        return false;
      }
    return true;
  }

  void carryOut(const std::vector<Directive> &further) {
    std::vector<JoinedText::Input> inputs;
    for (const source::ProgramFile &unit : units)
      inputs.push_back({unit.file, contentsOf(unit.file)});
    JoinedText joined(joinedFile, inputs);
    Options here = options;
    here.compile = source::flagsOfAll(units);
    Diagnostics messages;
    result.outcome = applyDirectives(joined, further, here, messages);
    addMessages(shown(messages), diagnostics);
    result.outcome.leftUnchanged = shown(result.outcome.leftUnchanged);
    if (result.outcome.kind == Outcome::Kind::Done)
      collectFiles();
  }

  void collectFiles() {
    std::map<fs::path, std::string> given;
    for (const auto &[file, text] : result.outcome.files)
      given[file] = contentsOf(file);
    distributeHelpers(result.outcome.files, given);
    std::set<fs::path> written;
    for (const source::ProgramFile &unit : units) {
      result.files.push_back({unit.file, result.outcome.files.at(unit.file), true});
      written.insert(source::canonicalPath(unit.file));
    }
    for (const auto &[file, text] : result.outcome.files)
      if (text != given.at(file) && written.insert(source::canonicalPath(file)).second)
        result.files.push_back({file, text, false});
    addIncluders(written);
  }

  void addIncluders(std::set<fs::path> &written) {
    for (bool isDone = false; !isDone;) {
      isDone = true;
      for (const auto &[includer, found] : result.inclusions)
        if (std::ranges::any_of(found, [&](const auto &each) { return written.contains(each.second); }) &&
            result.read.contains(includer) && written.insert(includer).second) {
          result.files.push_back({includer, contentsOf(includer), false});
          isDone = false;
        }
    }
  }

  /// What concerns no single file has no location.
  Diagnostics shown(const Diagnostics &messages) const {
    Diagnostics all;
    addMessages(messages, all, [&](const SourceLocation &at) {
      return at.file == joinedFile.string() ? SourceLocation() : at;
    });
    return all;
  }

  const std::vector<source::ProgramFile> &units;
  const Options &options;
  Diagnostics &diagnostics;
  const fs::path joinedFile;
  ProgramOutcome result;
};

} // namespace

ProgramOutcome applyToProgram(const std::vector<source::ProgramFile> &units,
                              const std::vector<Directive> &further, const Options &options,
                              Diagnostics &diagnostics) {
  return ProgramRun(units, options, diagnostics).run(further);
}

fs::path commonFolder(const std::vector<fs::path> &files) {
  fs::path common;
  for (const fs::path &file : files) {
    const fs::path folder = source::canonicalPath(file).parent_path();
    if (common.empty()) {
      common = folder;
      continue;
    }
    fs::path shared;
    const auto ends = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    for (auto part = common.begin(); part != ends.first; ++part)
      shared /= *part;
    common = shared;
  }
  return common;
}

} // namespace heddle::transform
