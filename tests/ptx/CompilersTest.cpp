// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilers really write: the kernels of data/cuda through Clang alone, and through nvcc where it is.
#include "Helpers.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <algorithm>
#include <filesystem>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;

namespace {

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> list;
  for (const auto &entry : std::filesystem::directory_iterator(dataPath("cuda")))
    if (entry.path().extension() == ".cu")
      list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

std::string compiled(const std::vector<std::string> &command, const std::filesystem::path &out) {
  ProcessResult result = runProcess(command, {}, 120);
  EXPECT_TRUE(result.succeeded()) << result.standardError;
  return result.succeeded() ? readFile(out.string()) : "";
}

std::string withClang(const std::string &clang, const std::filesystem::path &source, const std::string &arch,
                      const std::string &level, const std::filesystem::path &out) {
  return compiled({clang, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                   "--cuda-path=/nonexistent", "--cuda-gpu-arch=" + arch, "-Xclang", "-target-feature",
                   "-Xclang", "+ptx88", level, "-gline-tables-only", "-S", "-o", out.string(),
                   source.string()},
                  out);
}

std::string withNvcc(const std::string &nvcc, const std::filesystem::path &source, const std::string &arch,
                     const std::string &debug, const std::filesystem::path &out) {
  return compiled({nvcc, "-arch=" + arch, debug, "-ptx", "-o", out.string(), source.string()}, out);
}

void expectRead(const std::string &text, const std::string &what) {
  SCOPED_TRACE(what);
  Module module = parseGood(text, what);
  for (const UnsupportedUse &use : module.unsupported)
    ADD_FAILURE() << use.name << ": " << use.reason;
  EXPECT_TRUE(std::any_of(module.functions.begin(), module.functions.end(),
                          [](const Function &f) { return f.isEntry && f.instrs.size() > 1; }));
  expectStable(module, what);
}

} // namespace

TEST(Compilers, EverythingThatClangWritesIsRead) {
  std::optional<std::filesystem::path> clang = findProgram("clang++-22");
  if (!clang)
    GTEST_SKIP() << "no clang++-22";
  TemporaryFolder folder;
  const char *arches[] = {"sm_50", "sm_60", "sm_70", "sm_75",  "sm_80",
                          "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
  size_t turn = 0;
  // Each kernel at three architectures and two levels; over all kernels every architecture comes up.
  for (const std::filesystem::path &source : sources())
    for (const char *level : {"-O0", "-O2", "-O2"}) {
      std::string arch = arches[turn++ % std::size(arches)];
      bool hasWarpPrimitives = source.stem() != "warps" || arch >= std::string("sm_60") || arch.size() > 5;
      if (hasWarpPrimitives)
        expectRead(withClang(clang->string(), source, arch, level, folder.path() / "a.ptx"),
                   source.filename().string() + " " + arch + " " + level);
    }
}

TEST(Compilers, EverythingThatNvccWritesIsRead) {
  std::optional<std::filesystem::path> nvcc = findProgram("nvcc");
  if (!nvcc)
    GTEST_SKIP() << "no nvcc";
  TemporaryFolder folder;
  const char *arches[] = {"sm_75", "sm_90a", "sm_120"};
  size_t turn = 0;
  for (const std::filesystem::path &source : sources()) {
    std::string arch = arches[turn % std::size(arches)];
    const char *debug = turn % 4 == 3 ? "-G" : "-lineinfo";
    ++turn;
    expectRead(withNvcc(nvcc->string(), source, arch, debug, folder.path() / "a.ptx"),
               source.filename().string() + " " + arch + " " + debug);
  }
}

TEST(Compilers, LinesOfTheSourceComeThrough) {
  std::optional<std::filesystem::path> clang = findProgram("clang++-22");
  if (!clang)
    GTEST_SKIP() << "no clang++-22";
  TemporaryFolder folder;
  std::string source = dataPath("cuda/saxpy.cu");
  Module module = parseGood(withClang(clang->string(), source, "sm_80", "-O2", folder.path() / "a.ptx"));
  bool found = false;
  for (const Function &f : module.functions)
    for (const Instr &i : f.instrs)
      found |= i.op == Op::Fma && module.sourceLocation(i).find("saxpy.cu:4:") != std::string::npos;
  EXPECT_TRUE(found) << "the fma of 'a * x[i] + y[i]' should point at line 4";
}

TEST(Compilers, WhatIsPrintedAssembles) {
  std::optional<std::filesystem::path> clang = findProgram("clang++-22"), ptxas = findProgram("ptxas");
  if (!clang || !ptxas)
    GTEST_SKIP() << "no clang++-22 or no ptxas";
  TemporaryFolder folder;
  for (const std::filesystem::path &source : sources()) {
    Module module = parseGood(withClang(clang->string(), source, "sm_90", "-O2", folder.path() / "a.ptx"));
    std::ofstream(folder.path() / "b.ptx") << print(module);
    ProcessResult result =
        runProcess({ptxas->string(), "-arch=sm_90", "-o", (folder.path() / "b.cubin").string(),
                    (folder.path() / "b.ptx").string()},
                   {}, 60);
    EXPECT_TRUE(result.succeeded()) << source << "\n" << result.standardError << result.standardOutput;
  }
}
