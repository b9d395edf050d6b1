// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers are read as text, without their conditions: a name too many costs two lines in the output, a name that is missing would make it
// not compile.
#include "transform/SetAsideMacros.h"

#include "source/Program.h"
#include "source/Unit.h"
#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/LateMacros.h"
#include "support/NamesInText.h"
#include "support/Paths.h"
#include "transform/Lines.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

void addMacros(llvm::StringRef text, std::set<std::string> &macros) {
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    text = rest;
    const std::string_view name = macroDefinedIn(line);
    if (!name.empty() && !isForHeaders(name))
      macros.emplace(name);
  }
}

/// Those of the user's files and of the command line, whether a condition excludes them or not.
std::set<std::string> macrosOf(const source::Program &program, const source::CompileOptions &options) {
  std::set<std::string> macros;
  std::vector<std::string> words;
  addMacros(lateMacroLines(options.userArguments, words), macros);
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-include")
      addMacros(contentsOf(words[i + 1]), macros);
  for (const source::Unit *unit : {&program.device(), &program.host()}) {
    const clang::SourceManager &sources = unit->sources();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
      const clang::SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
      const auto begin = clang::SourceLocation::getFromRawEncoding(slot.getOffset());
      if (slot.isFile() && !sources.isInSystemHeader(begin))
        addMacros(sources.getBufferData(sources.getFileID(begin)), macros);
    }
  }
  return macros;
}

/// Where `#include <...>` looks.
std::vector<fs::path> foldersOf(const source::Unit &unit) {
  std::vector<fs::path> folders = {dataFolder("runtime")};
  const clang::HeaderSearch &search = unit.preprocessor().getHeaderSearchInfo();
  for (const clang::DirectoryLookup &folder : search.search_dir_range())
    if (folder.isNormalDir())
      folders.emplace_back(folder.getName().str());
  return folders;
}

/// Looks for names in a header and in all that it includes.
class NameSearch {
public:
  NameSearch(std::set<std::string> wanted, std::vector<fs::path> folders)
      : wanted(std::move(wanted)), folders(std::move(folders)) {}

  std::set<std::string> found;

  void read(const fs::path &file) {
    if (wanted.empty() || !seen.insert(file.string()).second)
      return;
    const std::string text = contentsOf(file);
    lookIn(text);
    // Headers of the standard library and of the toolkit have some 100,000 lines, of which a few are directives.
    for (size_t at = 0; (at = text.find("include", at)) != text.npos;) {
      const size_t begin = text.rfind('\n', at) + 1, end = std::min(text.find('\n', at), text.size());
      if (const IncludeLine include = includeIn(std::string_view(text).substr(begin, end - begin));
          !include.name.empty())
        readIncluded(include, file.parent_path());
      at = end;
    }
  }

private:
  /// Only a text that has some of them anywhere, be it within a word or a comment, is read name by name.
  void lookIn(const std::string &text) {
    std::set<std::string> suspects;
    std::ranges::copy_if(wanted, std::inserter(suspects, suspects.end()),
                         [&](const std::string &name) { return text.find(name) != text.npos; });
    if (suspects.empty())
      return;
    const std::set<std::string> names = namesIn(text);
    for (const std::string &name : suspects)
      if (names.contains(name))
        found.insert(wanted.extract(name));
  }

  void readIncluded(const IncludeLine &include, const fs::path &own) {
    std::error_code ignored;
    if (const fs::path file = (own / include.name).lexically_normal();
        include.quoted && fs::is_regular_file(file, ignored))
      return read(file);
    for (const fs::path &folder : folders)
      if (const fs::path file = (folder / include.name).lexically_normal();
          fs::is_regular_file(file, ignored))
        return read(file);
    if (include.name.starts_with("cub/"))
      found.merge(wanted);
  }

  std::set<std::string> wanted;
  std::vector<fs::path> folders;
  std::set<std::string> seen;
};

bool isPushed(llvm::StringRef line) { return line.starts_with("#pragma push_macro("); }
bool isPopped(llvm::StringRef line) { return line.starts_with("#pragma pop_macro("); }

} // namespace

std::vector<std::string> macrosThatChange(const std::string &header, const source::Program &program,
                                          const source::CompileOptions &options) {
  NameSearch search(macrosOf(program, options), foldersOf(program.host()));
  search.read((dataFolder("runtime") / header).lexically_normal());
  return {search.found.begin(), search.found.end()};
}

source::Code includeWithout(const std::vector<std::string> &macros, const std::string &header) {
  source::Code lines;
  for (const std::string &macro : macros)
    lines.addf("#pragma push_macro(\"{}\")", macro).addf("#undef {}", macro);
  lines.addf("#include <{}>", header);
  for (const std::string &macro : macros)
    lines.addf("#pragma pop_macro(\"{}\")", macro);
  return lines;
}

SetAside setAsideAround(const std::vector<std::string> &lines, size_t include) {
  size_t first = include, end = include + 1;
  while (first >= 2 && llvm::StringRef(lines[first - 1]).starts_with("#undef ") && isPushed(lines[first - 2]))
    first -= 2;
  // Each macro has two lines before the #include and one behind it.
  while (end < lines.size() && end - include <= (include - first) / 2 && isPopped(lines[end]))
    ++end;
  return {{lines.begin() + long(first), lines.begin() + long(include)},
          {lines.begin() + long(include) + 1, lines.begin() + long(end)}};
}

} // namespace heddle::transform
