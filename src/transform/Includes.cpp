// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directive may change a kernel in a header. Other files include that header too, so its text takes the place of the #include
// in the emitted file and the header is not changed.
//
// 1. Find the readings of the file, and the #include of the main file that each comes from: there must be exactly one.
// 2. A header with `#pragma once` is read once, however often it is included. Its text has no such effect: the other lines
//    of the main file that include it go. Where other headers have such lines, those headers take their places first.
// 3. Drop `#pragma once`; rewrite `#include "..."` relative to the main file's folder where they are found beside the header.
//
// The result is parsed again; headers inside that header follow in the same way when an edit reaches them.
#include "transform/Includes.h"

#include "source/Program.h"
#include "source/Unit.h"
#include "support/ByteOrderMark.h"
#include "support/LegalityFailure.h"
#include "transform/Lines.h"
#include "transform/MovedIncludes.h"
#include "transform/OtherIncludes.h"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <optional>
#include <set>

using namespace clang;
namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

// Collect
// ---------------------------------------------------------------------------------------------------------

/// The readings of a file by one side, under whatever name.
std::vector<FileID> readingsOf(const SourceManager &sources, const fs::path &file) {
  std::vector<FileID> found;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
    if (!slot.isFile())
      continue;
    FileID reading = sources.getFileID(clang::SourceLocation::getFromRawEncoding(slot.getOffset()));
    OptionalFileEntryRef entry = sources.getFileEntryRefForID(reading);
    std::error_code ignored;
    if (entry && fs::equivalent(entry->getName().str(), file, ignored))
      found.push_back(reading);
  }
  return found;
}

/// What the main file includes to get at this reading, itself where nothing is in between.
FileID outermost(const SourceManager &sources, FileID reading) {
  for (;;) {
    FileID from = sources.getFileID(sources.getExpansionLoc(sources.getIncludeLoc(reading)));
    if (from.isInvalid() || from == sources.getMainFileID())
      return reading;
    reading = from;
  }
}

std::set<FileID> outermostReadings(const SourceManager &sources, const fs::path &inner) {
  std::set<FileID> found;
  for (FileID reading : readingsOf(sources, inner))
    found.insert(outermost(sources, reading));
  return found;
}

// Edit
// ------------------------------------------------------------------------------------------------------------

llvm::StringRef trimmed(llvm::StringRef line) { return line.trim(" \t\r"); }

bool isPragmaOnce(llvm::StringRef line) {
  llvm::StringRef directive = directiveOf(line);
  return directive.consume_front("pragma") && trimmed(directive) == "once";
}

bool isReadOnce(llvm::StringRef text) { return llvm::any_of(splitAt(text, '\n'), isPragmaOnce); }

/// Adds the inner file's text, fit to be in a file of the folder `to`.
void addFitted(llvm::StringRef inner, const fs::path &from, const fs::path &to,
               source::InsertedFile &inside) {
  const std::string moved = withMovedIncludes(withoutByteOrderMark(inner), from, to); // line by line
  llvm::StringRef text = moved;
  for (unsigned number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (isPragmaOnce(line))
      continue;
    inside.text += line.str() + "\n";
    inside.lines.push_back(number);
  }
}

unsigned lineAt(const std::string &text, size_t offset) {
  return 1 + unsigned(std::count(text.begin(), text.begin() + long(offset), '\n'));
}

/// What else includes a file.
struct OtherIncludes {
  std::set<unsigned> lines;   ///< of the main file
  std::set<fs::path> headers; ///< that have such a line
};

/// The lines that include `file` besides line `own` of the main file.
OtherIncludes otherIncludes(const source::Program &program, const std::string &text, unsigned own,
                            const fs::path &file) {
  OtherIncludes others;
  for (const source::Unit *unit : {&program.device(), &program.host()}) {
    const SourceManager &sources = unit->sources();
    for (clang::SourceLocation at : includesOf(*unit, file)) {
      const FileID in = sources.getFileID(at);
      if (in != sources.getMainFileID())
        others.headers.insert(sources.getFileEntryRefForID(in)->getName().str());
      else if (unsigned line = lineAt(text, sources.getFileOffset(at)); line != own)
        others.lines.insert(line);
    }
  }
  return others;
}

/// Whether a side reads the file by that line of the main file, or not at all.
bool isReadAt(const source::Unit &unit, const std::string &text, const fs::path &inner, unsigned line) {
  const SourceManager &sources = unit.sources();
  const std::set<FileID> readings = outermostReadings(sources, inner);
  return std::ranges::all_of(readings, [&](FileID each) {
    const clang::SourceLocation include = sources.getExpansionLoc(sources.getIncludeLoc(each));
    return include.isValid() && lineAt(text, sources.getFileOffset(include)) == line;
  });
}

Diagnostic readTwice(const fs::path &inner) {
  return legalityFailure({inner.string()}, "the change would affect this file, which is read more than once");
}

/// embedInclude, for a file that those of `waiting` need in its place first.
std::variant<Embedded, Diagnostic> embed(const source::Program &program, const std::string &text,
                                         const fs::path &inner, std::set<fs::path> waiting) {
  auto found = findInclude(program, text, inner);
  if (auto *refused = std::get_if<Diagnostic>(&found))
    return std::move(*refused);
  const auto &[line, path, given] = std::get<FoundInclude>(found);
  OtherIncludes others;
  if (isReadOnce(given)) {
    if (!waiting.insert(path).second)
      return legalityFailure({inner.string()},
                             "the change would affect this file, and files that include each "
                             "other cannot be in place of an #include");
    if (!isReadAt(program.host(), text, path, line))
      return readTwice(inner); // by host and device code, at two lines
    others = otherIncludes(program, text, line, path);
    if (!others.headers.empty())
      return embed(program, text, *others.headers.begin(), waiting);
  }
  std::string name = path.filename().string();
  source::InsertedFile inside{
      path.string(), fmt::format("// -- {}, in place of its #include --\n", name), {0}, given};
  addFitted(given, path.parent_path(), program.file().parent_path(), inside);
  inside.text += fmt::format("// -- end of {} --", name);
  inside.lines.push_back(0);
  return Embedded{line, std::move(inside), {others.lines.begin(), others.lines.end()}};
}

} // namespace

std::variant<FoundInclude, Diagnostic> findInclude(const source::Program &program, const std::string &text,
                                                   const fs::path &inner) {
  // A file may be read by one side only.
  const source::Unit *unit = &program.device();
  std::set<FileID> candidates = outermostReadings(unit->sources(), inner);
  if (candidates.empty()) {
    unit = &program.host();
    candidates = outermostReadings(unit->sources(), inner);
  }
  const SourceManager &sources = unit->sources();
  if (candidates.size() != 1)
    return readTwice(inner);
  FileID file = *candidates.begin();
  clang::SourceLocation include = sources.getExpansionLoc(sources.getIncludeLoc(file));
  if (include.isInvalid() || sources.getFileID(include) != sources.getMainFileID())
    return legalityFailure(
        {inner.string()},
        "the change would affect this file, which no #include of the program's file leads to");

  size_t at = sources.getFileOffset(include);
  size_t begin = text.rfind('\n', at) + 1; // npos + 1 is the text's beginning
  size_t end = std::min(text.find('\n', at), text.size());
  if (!directiveOf(llvm::StringRef(text).slice(begin, end)).starts_with("include"))
    return legalityFailure(unit->location(include),
                           "the #include of the file to be changed is not on a line of its own");
  return FoundInclude{lineAt(text, begin), sources.getFileEntryRefForID(file)->getName().str(),
                      sources.getBufferData(file).str()};
}

std::variant<Embedded, Diagnostic> embedInclude(const source::Program &program, const std::string &text,
                                                const fs::path &inner) {
  return embed(program, text, inner, {});
}

void putInPlace(const Embedded &embedded, source::MappedText &text) {
  const auto behind = std::ranges::upper_bound(embedded.removed, embedded.line);
  for (auto line = embedded.removed.end(); line != behind;) // from the end, so that numbers stay true
    text.removeLine(*--line);
  text.replaceLine(embedded.line, embedded.inside);
  for (auto line = behind; line != embedded.removed.begin();)
    text.removeLine(*--line);
}

std::vector<fs::path> includedFilesWithPragma(const source::Program &program) {
  std::set<fs::path> found;
  for (const source::Unit *unit : {&program.device(), &program.host()})
    for (clang::SourceLocation at : unit->pragmas()) {
      const SourceManager &sources = unit->sources();
      clang::SourceLocation location = sources.getExpansionLoc(at);
      if (sources.isWrittenInMainFile(location))
        continue;
      FileID file = sources.getFileID(location);
      llvm::StringRef line =
          sources.getBufferData(file).substr(sources.getFileOffset(location)).split('\n').first;
      line.consume_front("#");
      if (trimmed(line).consume_front("pragma") && trimmed(trimmed(line).substr(6)).starts_with("heddle"))
        found.insert(sources.getFileEntryRefForID(file)->getName().str());
    }
  return {found.begin(), found.end()};
}

} // namespace heddle::transform
