// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of nvcc and Clang: which words are files, which modes they ask for, and what a parser needs of them.
#include "source/CommandLine.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::source;
using testing::ElementsAre;
using testing::IsEmpty;
using Mode = CompilerCommand::Mode;

namespace {

std::vector<std::string> filesOf(const CompilerCommand &command, bool isCuda) {
  std::vector<std::string> files;
  for (const CommandInput &input : command.inputs)
    if (input.isCuda == isCuda)
      files.push_back(input.file);
  return files;
}

std::vector<std::string> textsOf(const std::vector<CommandWord> &words) {
  std::vector<std::string> texts;
  for (const CommandWord &word : words)
    texts.push_back(word.text);
  return texts;
}

Mode modeOf(std::vector<std::string> words) { return readCommand(words).mode; }

/// A line as CMake writes it for nvcc.
const std::vector<std::string> ofCMake = {"/usr/local/cuda/bin/nvcc",
                                          "-forward-unknown-to-host-compiler",
                                          "-DNDEBUG",
                                          "--options-file",
                                          "CMakeFiles/a.dir/includes_CUDA.rsp",
                                          "-O3",
                                          "-std=c++17",
                                          "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
                                          "--generate-code=arch=compute_90a,code=[sm_90a]",
                                          "-Xcompiler=-fPIC",
                                          "-Wall",
                                          "-MD",
                                          "-MT",
                                          "CMakeFiles/a.dir/a.cu.o",
                                          "-MF",
                                          "CMakeFiles/a.dir/a.cu.o.d",
                                          "-x",
                                          "cu",
                                          "-c",
                                          "/src/a.cu",
                                          "-o",
                                          "CMakeFiles/a.dir/a.cu.o"};

} // namespace

TEST(CommandLine, ReadsWhatCMakeGivesNvcc) {
  const CompilerCommand command = readCommand(ofCMake);
  EXPECT_EQ(command.dialect, Dialect::Nvcc);
  EXPECT_EQ(command.mode, Mode::Compile);
  EXPECT_THAT(filesOf(command, true), ElementsAre("/src/a.cu"));
  EXPECT_EQ(command.words[command.inputs[0].word].text, "/src/a.cu");
  EXPECT_EQ(command.output, "CMakeFiles/a.dir/a.cu.o");
  EXPECT_TRUE(command.dependencies.isAsked);
  EXPECT_EQ(dependencyFileOf(command, command.inputs[0]), "CMakeFiles/a.dir/a.cu.o.d");
  EXPECT_THAT(command.dependencies.targets, ElementsAre("CMakeFiles/a.dir/a.cu.o"));
  EXPECT_THAT(command.archs, ElementsAre("sm_80", "sm_90a"));
  EXPECT_EQ(command.oldestArch(), "sm_80");
  EXPECT_THAT(command.parseFlags, ElementsAre("-DNDEBUG", "-std=c++17", "-fPIC"));
}

TEST(CommandLine, ListsOfNvccAreSplitAtCommas) {
  const CompilerCommand command =
      readCommand({"nvcc", "-Ia,b", "-I", "c", "--include-path=d", "-D", "A=1,B", "-DF(x\\,y)=x", "-UC",
                   "-isystem=e,f", "-include", "p.h", "-std", "c++20", "a.cu"});
  EXPECT_THAT(command.parseFlags,
              ElementsAre("-Ia", "-Ib", "-Ic", "-Id", "-DA=1", "-DB", "-DF(x,y)=x", "-UC", "-isystem", "e",
                          "-isystem", "f", "-include", "p.h", "-std=c++20"));
  EXPECT_THAT(filesOf(command, true), ElementsAre("a.cu"));
  EXPECT_EQ(command.mode, Mode::Link);
}

TEST(CommandLine, ValuesOfNvccsOptionsAreNoFiles) {
  const CompilerCommand command = readCommand({"nvcc",
                                               "-arch",
                                               "sm_90",
                                               "-code=sm_90",
                                               "-maxrregcount",
                                               "32",
                                               "-ccbin",
                                               "g++",
                                               "-Xptxas",
                                               "-v",
                                               "-Xcompiler",
                                               "-fopenmp,-DHOST",
                                               "-rdc",
                                               "true",
                                               "--default-stream",
                                               "per-thread",
                                               "-Werror",
                                               "all-warnings",
                                               "-t",
                                               "4",
                                               "-keep-dir",
                                               "k.cu",
                                               "-lm",
                                               "-L",
                                               "lib",
                                               "main.cu",
                                               "b.cpp",
                                               "c.o",
                                               "-o",
                                               "prog"});
  EXPECT_THAT(filesOf(command, true), ElementsAre("main.cu"));
  EXPECT_THAT(filesOf(command, false), ElementsAre("b.cpp", "c.o"));
  EXPECT_EQ(command.output, "prog");
  EXPECT_THAT(command.archs, ElementsAre("sm_90"));
  EXPECT_THAT(command.parseFlags, ElementsAre("-fgpu-rdc", "-fopenmp", "-D", "HOST"));
}

TEST(CommandLine, RdcThatIsFalseIsNone) {
  EXPECT_THAT(readCommand({"nvcc", "-rdc=false", "-c", "a.cu"}).parseFlags, IsEmpty());
  EXPECT_THAT(readCommand({"nvcc", "-dc", "a.cu"}).parseFlags, ElementsAre("-fgpu-rdc"));
}

TEST(CommandLine, OptionsForTheHostCompilerMayTakeTheNextWord) {
  const CompilerCommand command =
      readCommand({"nvcc", "-Xcompiler", "-include", "-Xcompiler", "\"x y.h\"", "-Xcompiler", "-iquote,inc",
                   "-Xcompiler=-fno-such-option", "a.cu"});
  EXPECT_THAT(command.parseFlags, ElementsAre("-include", "x y.h", "-iquote", "inc"));
}

TEST(CommandLine, ModesOfNvcc) {
  EXPECT_EQ(modeOf({"nvcc", "-dc", "a.cu"}), Mode::Compile);
  EXPECT_EQ(modeOf({"nvcc", "--device-w", "a.cu"}), Mode::Compile);
  EXPECT_EQ(modeOf({"nvcc", "-ptx", "a.cu"}), Mode::DeviceCode);
  EXPECT_EQ(modeOf({"nvcc", "-E", "a.cu"}), Mode::Preprocess);
  EXPECT_EQ(modeOf({"nvcc", "-M", "a.cu", "-MF", "a.d"}), Mode::Preprocess);
  EXPECT_EQ(modeOf({"nvcc", "-MD", "-c", "a.cu"}), Mode::Compile);
  EXPECT_EQ(modeOf({"nvcc", "--version"}), Mode::Query);
  EXPECT_EQ(modeOf({"nvcc", "-c", "a.cu", "--dryrun"}), Mode::Query);
  EXPECT_EQ(modeOf({"nvcc", "-v", "-c", "a.cu"}), Mode::Compile);
  EXPECT_EQ(modeOf({"nvcc", "-c", "a.cu", "-o"}), Mode::Unclear);
  EXPECT_EQ(modeOf({"nvcc", "a.o", "b.o", "-o", "prog"}), Mode::Link);
}

TEST(CommandLine, TheLanguageDecidesBeforeTheName) {
  EXPECT_THAT(filesOf(readCommand({"nvcc", "-c", "a.cpp", "-x", "cu"}), true), ElementsAre("a.cpp"));
  EXPECT_THAT(filesOf(readCommand({"nvcc", "-x=c++", "-c", "a.cu"}), true), IsEmpty());
  // For Clang it holds for the files after it.
  const CompilerCommand clang =
      readCommand({"clang++", "a.cpp", "-x", "cuda", "b.cpp", "-x", "c++", "c.cu", "-xnone", "d.cu"});
  EXPECT_THAT(filesOf(clang, true), ElementsAre("b.cpp", "d.cu"));
}

TEST(CommandLine, ReadsClangsCommands) {
  const CompilerCommand command = readCommand({"/usr/bin/clang++-22",
                                               "--cuda-gpu-arch=sm_80",
                                               "--offload-arch=sm_90,sm_75",
                                               "--cuda-path=/cuda",
                                               "-Iinc",
                                               "-isystem",
                                               "sys",
                                               "-iquote",
                                               "q",
                                               "-D",
                                               "N=4",
                                               "-std=c++20",
                                               "-O2",
                                               "-g",
                                               "-Wall",
                                               "-fPIC",
                                               "-ftime-trace",
                                               "-MMD",
                                               "-MFa.d",
                                               "-MT",
                                               "a.o",
                                               "-c",
                                               "a.cu",
                                               "-oa.o"});
  EXPECT_EQ(command.dialect, Dialect::Clang);
  EXPECT_EQ(command.mode, Mode::Compile);
  EXPECT_THAT(filesOf(command, true), ElementsAre("a.cu"));
  EXPECT_EQ(command.words[command.inputs[0].word].text, "a.cu");
  EXPECT_EQ(command.output, "a.o");
  EXPECT_EQ(dependencyFileOf(command, command.inputs[0]), "a.d");
  EXPECT_EQ(command.oldestArch(), "sm_75");
  EXPECT_THAT(command.parseFlags, ElementsAre("-I", "inc", "-isystem", "sys", "-iquote", "q", "-D", "N=4",
                                              "-std=c++20", "-O2", "-fPIC"));
}

TEST(CommandLine, ModesOfClang) {
  EXPECT_EQ(modeOf({"clang++", "--version"}), Mode::Query);
  EXPECT_EQ(modeOf({"clang++", "-###", "-c", "a.cu"}), Mode::Query);
  EXPECT_EQ(modeOf({"clang++", "-E", "a.cu"}), Mode::Preprocess);
  EXPECT_EQ(modeOf({"clang++", "-MM", "a.cu"}), Mode::Preprocess);
  EXPECT_EQ(modeOf({"clang++", "-S", "a.cu"}), Mode::DeviceCode);
  EXPECT_EQ(modeOf({"clang++", "a.cu", "-o", "a"}), Mode::Link);
  EXPECT_EQ(modeOf({"clang++", "-c", "a.cu", "-o"}), Mode::Unclear);
}

TEST(CommandLine, BehindTwoDashesAllWordsOfClangAreFiles) {
  CompilerCommand command = readCommand({"clang++", "-c", "-DA", "-o", "a.o", "--", "-odd.cu", "b.cpp"});
  EXPECT_EQ(command.mode, Mode::Compile);
  EXPECT_THAT(filesOf(command, true), ElementsAre("-odd.cu"));
  EXPECT_THAT(filesOf(command, false), ElementsAre("b.cpp"));
  EXPECT_EQ(command.words[command.inputs.front().word].text, "-odd.cu");
  EXPECT_THAT(command.parseFlags, ElementsAre("-D", "A"));
}

TEST(CommandLine, StandardInputIsAnInput) {
  EXPECT_TRUE(readCommand({"nvcc", "-x", "cu", "-c", "-"}).inputs.at(0).isStandardInput());
  EXPECT_TRUE(readCommand({"clang++", "-x", "cuda", "-c", "-"}).inputs.at(0).isStandardInput());
}

TEST(CommandLine, AnotherLauncherMayBeBetween) {
  const CompilerCommand command = readCommand({"/usr/bin/ccache", "nvcc", "-c", "a.cu"});
  EXPECT_EQ(command.compilerWords, 2u);
  EXPECT_EQ(command.dialect, Dialect::Nvcc);
  EXPECT_EQ(command.inputs.at(0).word, 3u);
  EXPECT_EQ(command.words[3].given, 3u);
}

TEST(CommandLine, WithoutAFileNameDependenciesFollowTheObject) {
  const auto file = [](std::vector<std::string> words) {
    const CompilerCommand command = readCommand(words);
    return dependencyFileOf(command, command.inputs.at(0)).string();
  };
  EXPECT_EQ(file({"nvcc", "-MD", "-c", "src/a.cu", "-o", "out/b.o"}), "out/b.d");
  EXPECT_EQ(file({"nvcc", "-MMD", "-c", "src/a.cu"}), "a.d");
  EXPECT_EQ(file({"nvcc", "-MD", "-odir", "out", "-c", "src/a.cu"}), "out/a.d");
  EXPECT_EQ(file({"clang++", "-MD", "-c", "src/a.cu"}), "a.d");
  EXPECT_EQ(file({"g++", "-Wp,-MMD,x.d", "-c", "src/a.cu"}), "x.d");
  EXPECT_EQ(file({"nvcc", "-c", "src/a.cu"}), "");
}

TEST(ResponseFiles, AreReadInTheirPlaces) {
  TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "a.rsp", "-I\"x y\" -DQ=\\\"s\\\"\n-c @b.rsp");
  writeFileOrThrow(folder.path() / "b.rsp", "'a b.cu'");
  const CompilerCommand command = readCommand({"clang++", "@a.rsp", "-o", "a.o"}, folder.path());
  EXPECT_THAT(textsOf(command.words),
              ElementsAre("clang++", "-Ix y", "-DQ=\"s\"", "-c", "a b.cu", "-o", "a.o"));
  EXPECT_TRUE(command.words[command.inputs.at(0).word].isInFile);
  EXPECT_FALSE(command.words.back().isInFile);
  EXPECT_EQ(command.words.back().given, 3u);
  EXPECT_EQ(command.words[2].given, 1u);
}

TEST(ResponseFiles, NvccNamesThemByAnOption) {
  TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "a.rsp", "-Ione");
  writeFileOrThrow(folder.path() / "b.rsp", "-Itwo\n");
  for (const std::vector<std::string> &given :
       {std::vector<std::string>{"nvcc", "--options-file", "a.rsp,b.rsp", "a.cu"},
        std::vector<std::string>{"nvcc", "-optf=a.rsp", "-optf", "b.rsp", "a.cu"}}) {
    const CompilerCommand command = readCommand(given, folder.path());
    EXPECT_THAT(command.parseFlags, ElementsAre("-Ione", "-Itwo"));
    EXPECT_FALSE(command.words[command.inputs.at(0).word].isInFile);
  }
}

TEST(ResponseFiles, ThatCannotBeReadStayWords) {
  EXPECT_THAT(textsOf(withResponseFiles({"@nowhere", "-c"}, Dialect::Clang)), ElementsAre("@nowhere", "-c"));
  EXPECT_THAT(textsOf(withResponseFiles({"-optf", "nowhere"}, Dialect::Nvcc)),
              ElementsAre("-optf", "nowhere"));
  TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "self.rsp", "@self.rsp -DX");
  EXPECT_LT(withResponseFiles({"@self.rsp"}, Dialect::Clang, folder.path()).size(), 100u);
}
