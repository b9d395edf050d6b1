// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang knows the file of each #include that it enters. What an include guard keeps it from entering is looked up in the same way, beside
// the includer and in the folders of the command line.
#include "source/Inclusions.h"

#include "source/Program.h"
#include "source/Unit.h"
#include "support/IncludeLine.h"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/StringRef.h>

using namespace clang;
namespace fs = std::filesystem;

namespace heddle::source {
namespace {

class InclusionFinder {
public:
  InclusionFinder(const Unit &unit, Inclusions &inclusions) : unit(unit), inclusions(inclusions) {}

  void run() {
    const SourceManager &sources = unit.sources();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
      const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
      if (!slot.isFile())
        continue;
      const clang::SourceLocation begin = clang::SourceLocation::getFromRawEncoding(slot.getOffset());
      const FileID file = sources.getFileID(begin);
      const OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
      if (entry && unit.isUserCode(begin))
        addFile(*entry, sources.getBufferData(file));
    }
  }

private:
  void addFile(FileEntryRef includer, llvm::StringRef text) {
    auto &found = inclusions[canonicalPath(includer.getName().str())];
    while (!text.empty()) {
      const auto [line, rest] = text.split('\n');
      text = rest;
      const std::string written = includedIn(line);
      if (written.empty() || found.contains(written))
        continue;
      if (OptionalFileEntryRef file = lookUp(written, includer))
        found[written] = canonicalPath(file->getName().str());
    }
  }

  OptionalFileEntryRef lookUp(llvm::StringRef written, FileEntryRef includer) const {
    HeaderSearch &search = unit.preprocessor().getHeaderSearchInfo();
    const std::pair<OptionalFileEntryRef, DirectoryEntryRef> from{includer, includer.getDir()};
    return search.LookupFile(written.drop_front().drop_back(), clang::SourceLocation(),
                             written.starts_with("<"), nullptr, nullptr, from, nullptr, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
  }

  const Unit &unit;
  Inclusions &inclusions;
};

} // namespace

fs::path canonicalPath(const fs::path &file) {
  std::error_code failed;
  const fs::path whole = fs::absolute(file, failed); // else a folder that does not exist yet stays relative
  const fs::path path = fs::weakly_canonical(whole, failed);
  return failed ? whole : path;
}

void addInclusions(const Program &program, Inclusions &inclusions) {
  InclusionFinder(program.device(), inclusions).run();
  InclusionFinder(program.host(), inclusions).run();
}

std::string includedIn(std::string_view line) {
  const IncludeLine include = includeIn(line);
  if (include.name.empty())
    return {};
  return include.quoted ? '"' + include.name + '"' : '<' + include.name + '>';
}

} // namespace heddle::source
