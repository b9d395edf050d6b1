// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/UserFiles.h"

#include "source/Inclusions.h"
#include "source/Program.h"
#include "source/Unit.h"

#include <clang/Basic/SourceManager.h>

namespace heddle::source {

std::set<std::filesystem::path> userFilesOf(const Program &program) {
  std::set<std::filesystem::path> files;
  for (const Unit *unit : {&program.device(), &program.host()}) {
    const clang::SourceManager &sources = unit->sources();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
      const clang::SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
      const auto begin = clang::SourceLocation::getFromRawEncoding(slot.getOffset());
      if (!slot.isFile() || sources.isInSystemHeader(begin))
        continue;
      if (const auto entry = sources.getFileEntryRefForID(sources.getFileID(begin)))
        files.insert(canonicalPath(entry->getName().str()));
    }
  }
  return files;
}

} // namespace heddle::source
