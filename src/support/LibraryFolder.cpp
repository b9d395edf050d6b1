// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LibraryFolder.h"

#include "support/OwnProgram.h"

namespace fs = std::filesystem;

namespace heddle {

fs::path libraryFolder() {
  std::error_code error;
  const fs::path self = ownProgram();
  for (const fs::path &folder :
       {self.parent_path() / "lib", self.parent_path().parent_path() / "lib" / "heddle",
        fs::path(HEDDLE_LIBRARY_DIR)})
    if (fs::exists(folder / "libheddle_cudart.so", error))
      return folder;
  return {};
}

} // namespace heddle
