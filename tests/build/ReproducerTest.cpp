// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Reproducer.h"

#include "build/RuntimeLinkage.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

#include <fstream>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

using testing::HasSubstr;

class ReproducerTest : public testing::Test {
protected:
  fs::path made(const std::string &name, const std::string &text) {
    const fs::path file = folder.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::set<std::string> namesOf(const std::set<fs::path> &files) const {
    std::set<std::string> names;
    for (const fs::path &file : files)
      names.insert(file.lexically_relative(folder.path()).string());
    return names;
  }

  TemporaryFolder folder;
};

TEST_F(ReproducerTest, FilesThatAreIncludedAreFollowed) {
  const fs::path main =
      made("app/main.cu", "#include \"../common/a.h\"\n#include <b.h>\n#include <cuda_runtime.h>\n");
  made("common/a.h", "#include \"c.h\"\n");
  made("common/c.h", "#include \"a.h\"\n");
  made("common/unused.h", "");
  made("include/b.h", "#include <vector>\n");
  EXPECT_EQ(namesOf(userFilesOf(main, {"-I" + (folder.path() / "include").string()})),
            (std::set<std::string>{"app/main.cu", "common/a.h", "common/c.h", "include/b.h"}));
}

TEST_F(ReproducerTest, HeadersOfTheToolkitAreNotCopied) {
  const fs::path main = made("main.cu", "#include <cuda_runtime.h>\n");
  made("toolkit/cuda_runtime.h", "");
  EXPECT_EQ(namesOf(userFilesOf(main, {"-isystem", (folder.path() / "toolkit").string()})),
            (std::set<std::string>{"main.cu"}));
}

TEST_F(ReproducerTest, TheFileThatDefinesTheKernelIsCompiledWithItsFlags) {
  ReproducerRequest request;
  request.sources.files = {made("app/main.cu", "void step();\nint main() {}\n"),
                           made("app/kernels/step.cu", "#include \"../common/step.h\"\n"),
                           made("app/util.cpp", "")};
  made("app/common/step.h", "__global__ void step(float *) {}\n");
  made("app/include/used.h", "");
  request.sources.flags = {"-I" + (folder.path() / "app/include").string(), "-DN=3", "-DTEXT=\"a b\"",
                           "-arch=sm_80"};
  request.kernel = "_Z4stepPf";
  request.arch = "sm_90";
  request.folder = folder.path() / "out";
  fs::create_directories(request.folder);
  const std::string whyNot = writeReproducer(request);
  if (dataFolder("src/replay").empty())
    GTEST_SKIP() << whyNot;
  EXPECT_EQ(whyNot, "");
  EXPECT_TRUE(fs::exists(request.folder / "source/kernels/step.cu"));
  EXPECT_TRUE(fs::exists(request.folder / "source/common/step.h"));
  EXPECT_FALSE(fs::exists(request.folder / "source/main.cu"));
  const std::string makefile = contentsOf(request.folder / "Makefile");
  EXPECT_THAT(makefile, HasSubstr("source/kernels/step.cu -o $@"));
  EXPECT_THAT(makefile, HasSubstr("-DN=3 '-DTEXT=\"a b\"'"));
  EXPECT_THAT(makefile, HasSubstr("-Isource/include"));
  EXPECT_THAT(makefile, HasSubstr("ARCH ?= sm_90"));
  EXPECT_THAT(makefile, Not(HasSubstr("sm_80")));
  EXPECT_THAT(makefile, Not(HasSubstr(folder.path().string())));
}

TEST_F(ReproducerTest, WithoutACudaFileThereIsNone) {
  ReproducerRequest request;
  request.sources.files = {made("main.cpp", "int main() {}\n")};
  request.kernel = "_Z4stepPf";
  request.folder = folder.path();
  EXPECT_EQ(writeReproducer(request), "no .cu file defines the kernel");
}

TEST_F(ReproducerTest, WhatAProgramIsLinkedWith) {
  EXPECT_EQ(runtimeLinkageOf(made("text.cu", "int main() {}")), RuntimeLinkage::NoProgram);
  EXPECT_EQ(runtimeLinkageOf(folder.path() / "none"), RuntimeLinkage::NoProgram);
  EXPECT_EQ(runtimeLinkageOf(folder.path()), RuntimeLinkage::NoProgram);
  EXPECT_EQ(runtimeLinkageOf("/proc/self/exe"), RuntimeLinkage::Other);
  // Damaged in every way: never more than "no program" or "other".
  const std::string whole = contentsOf("/proc/self/exe");
  for (size_t bytes : {size_t(4), size_t(40), size_t(64), size_t(200), whole.size() / 2}) {
    const fs::path file = made("part", whole.substr(0, bytes));
    fs::permissions(file, fs::perms::owner_all);
    const RuntimeLinkage linkage = runtimeLinkageOf(file);
    EXPECT_TRUE(linkage == RuntimeLinkage::NoProgram || linkage == RuntimeLinkage::Other) << bytes;
  }
}

} // namespace
} // namespace heddle::build
