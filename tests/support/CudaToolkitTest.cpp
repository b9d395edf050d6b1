// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CudaToolkit.h"

#include "support/Paths.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// A PATH and toolkit folders of the test's own; the environment is as before afterwards.
struct CudaToolkit : testing::Test {
  CudaToolkit() {
    for (const char *name : {"PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"}) {
      if (const char *value = std::getenv(name))
        before[name] = value;
      unsetenv(name);
    }
    setenv("PATH", (folder.path() / "bin").c_str(), 1);
  }
  ~CudaToolkit() override {
    for (const char *name : {"PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"})
      unsetenv(name);
    for (const auto &[name, value] : before)
      setenv(name.c_str(), value.c_str(), 1);
  }
  fs::path program(const std::string &name) {
    const fs::path file = folder.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  TemporaryFolder folder;
  std::map<std::string, std::string> before;
};

TEST_F(CudaToolkit, NvccOfAVariableIsTakenBeforeThatOnThePath) {
  const fs::path onPath = program("bin/nvcc"), named = program("toolkit/bin/nvcc");
  EXPECT_EQ(findNvcc(), onPath);
  setenv("CUDA_PATH", (folder.path() / "toolkit").c_str(), 1);
  EXPECT_EQ(findNvcc(), named) << "its headers are read, too";
  setenv("CUDA_PATH", (folder.path() / "none").c_str(), 1);
  EXPECT_EQ(findNvcc(), onPath);
}

TEST_F(CudaToolkit, NvccIsFoundByEachVariable) {
  const fs::path nvcc = program("toolkit/bin/nvcc");
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"}) {
    setenv(variable, (folder.path() / "toolkit").c_str(), 1);
    EXPECT_EQ(findNvcc(), nvcc) << variable;
    unsetenv(variable);
  }
}

TEST_F(CudaToolkit, AFolderCalledNvccIsNotIt) {
  fs::create_directories(folder.path() / "bin/nvcc");
  const fs::path nvcc = program("toolkit/bin/nvcc");
  setenv("CUDA_HOME", (folder.path() / "toolkit").c_str(), 1);
  EXPECT_EQ(findNvcc(), nvcc);
}

TEST_F(CudaToolkit, TheFolderOfNvccOnThePathFollowsThoseThatVariablesName) {
  fs::create_directories(folder.path() / "bin");
  fs::create_symlink(program("linked/bin/nvcc"), folder.path() / "bin/nvcc");
  setenv("CUDA_HOME", "/named", 1);
  EXPECT_THAT(toolkitFolders(), testing::ElementsAre("/named", fs::canonical(folder.path() / "linked"),
                                                     "/usr/local/cuda", "/opt/cuda"));
}

} // namespace
} // namespace heddle
