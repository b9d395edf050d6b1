// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Preload.h"

#include "support/Paths.h"
#include "support/Process.h"

#include <gmock/gmock.h>

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// What a program that preloads `library` has mapped.
std::string mapsWith(const fs::path &library) {
  ProcessRequest request;
  request.command = {"cat", "/proc/self/maps"};
  request.environment = preloading(library);
  request.output = Stream::Captured;
  return runToEnd(request).standardOutput;
}

struct Preload : testing::Test {
  fs::path libraryIn(const std::string &name) {
    fs::create_directories(folder.path() / name);
    const fs::path library = folder.path() / name / "libpreloaded.so";
    EXPECT_TRUE(runProcess({"clang-22", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library.string()})
                    .succeeded());
    return library;
  }
  TemporaryFolder folder;
};

TEST_F(Preload, FindsALibraryByItsPath) {
  const fs::path library = libraryIn("plain");
  if (sanitizerRuntime().empty())
    EXPECT_THAT(preloading(library), testing::ElementsAre("LD_PRELOAD=" + library.string()));
  EXPECT_THAT(mapsWith(library), testing::HasSubstr(library.string()));
}

TEST_F(Preload, FindsALibraryInAFolderWithSpaces) {
  const fs::path library = libraryIn("with two spaces");
  EXPECT_THAT(mapsWith(library), testing::HasSubstr(library.string()));
}

} // namespace
} // namespace heddle
