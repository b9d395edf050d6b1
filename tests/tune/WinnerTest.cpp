// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Winner.h"

#include "TestPaths.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "tune/BlockSize.h"
#include "tune/Maker.h"
#include "tune/Space.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

using namespace heddle;
using namespace heddle::tune;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

namespace fs = std::filesystem;

std::string textOfFile(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Winner : testing::Test {
  TemporaryFolder folder;
  Problem problem;

  Winner() {
    take("blocks.cu");
    problem.compiler = build::Compiler::Clang;
    problem.compile.cudaPath = "none";
    problem.checked = false;
  }
  void take(const std::string &program) {
    problem.file = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs" / program;
    problem.text = textOfFile(problem.file);
  }
  /// `kernel`: the only one that it is for.
  Configuration configuration(const SpaceWords &words, const std::string &kernel = "") {
    Diagnostics diagnostics;
    Space space = Space::read(words, diagnostics).value();
    space.limitTo(kernel);
    return space.configurationAt(Point(space.dimensions().size(), 0));
  }
  std::string made(const Configuration &configuration) {
    Made made = CudaMaker(problem).make(configuration);
    EXPECT_TRUE(made.candidate) << made.reason;
    return made.candidate ? made.candidate->files.front().text : "";
  }
  /// What `heddle opt` makes of a file.
  std::string opt(const std::string &text, const std::vector<std::string> &flags = {}) {
    const fs::path in = folder.path() / "tuned.cu", out = folder.path() / "out.cu";
    std::ofstream(in) << text;
    std::vector<std::string> command = {HEDDLE_BUILD_DIR "/heddle",
                                        "opt",
                                        in.string(),
                                        "-o",
                                        out.string(),
                                        "--no-check",
                                        "--cuda-path",
                                        "none"};
    command.insert(command.end(), flags.begin(), flags.end());
    ProcessResult done = runProcess(command);
    EXPECT_EQ(done.exitCode, 0) << done.standardError;
    return textOfFile(out);
  }
};

TEST_F(Winner, PragmasBeforeEachKernelMakeTheWinnerAgain) {
  Configuration chosen = configuration({.directives = {"coarsen x=2 map=blocked"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, HasSubstr("#pragma heddle coarsen x=2 map=blocked\n__global__ void fill("));
  EXPECT_THAT(file.text, HasSubstr("#pragma heddle coarsen x=2 map=blocked\ntemplate <class T>"));
  EXPECT_EQ(opt(file.text), text);
}

TEST_F(Winner, TransformedTextHasTheCommandThatMadeItInItsFirstLine) {
  Configuration chosen = configuration({.directives = {"coarsen x=2"}});
  const std::string text = made(chosen);
  WinnerFile file = transformedWinner(problem, chosen, text);
  EXPECT_EQ(file.text, "// heddle tune: heddle opt blocks.cu -d \"coarsen x=2\";\n" + text);
  EXPECT_FALSE(file.reproduces) << "no pragma is left to apply";
  EXPECT_EQ(transformedWinner(problem, {}, problem.text).text, problem.text) << "the baseline as it was";
}

TEST_F(Winner, OnlyTheKernelThatWasMeantGetsOne) {
  problem.kernel = "add";
  Configuration chosen = configuration({.directives = {"coarsen x=4"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, Not(HasSubstr("x=4\n__global__ void fill(")));
  EXPECT_EQ(opt(file.text), text);
}

TEST_F(Winner, EachKernelGetsItsOwn) {
  Configuration chosen = together(configuration({.directives = {"coarsen x=4"}}, "fill"),
                                  configuration({.directives = {"coarsen x=2 map=blocked"}}, "add"));
  EXPECT_EQ(chosen.str(), "fill: coarsen x=4; add: coarsen x=2 map=blocked");
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, HasSubstr("#pragma heddle coarsen x=4\n__global__ void fill("));
  EXPECT_THAT(file.text, HasSubstr("#pragma heddle coarsen x=2 map=blocked\ntemplate <class T>"));
  EXPECT_EQ(opt(file.text), text);
  EXPECT_THAT(transformedWinner(problem, chosen, text).text,
              StartsWith("// heddle tune: heddle nvcc, HEDDLE_DIRECTIVES with fill: coarsen x=4 and "
                         "add: coarsen x=2 map=blocked;\n"));
}

TEST_F(Winner, OfAConstantThatSeveralKernelsShareTheFirstSizeRemains) {
  Configuration chosen = together(configuration({.directives = {"block x=64"}}, "fill"),
                                  configuration({.directives = {"block x=256"}}, "add"));
  EXPECT_THAT(made(chosen), HasSubstr("constexpr int Threads = 64;"));
}

TEST(Together, OfFlagsWithTwoValuesTheFirstRemains) {
  Configuration first, second;
  first.flags = {"-maxrregcount=64"};
  first.defines = {"TILE=8"};
  second.flags = {"-maxrregcount=32", "--use_fast_math"};
  second.defines = {"TILE=16", "UNROLL=2"};
  EXPECT_EQ(together(first, second).str(), "-DTILE=8 -DUNROLL=2 -maxrregcount=64 --use_fast_math");
}

TEST_F(Winner, BlocksAreChangedWhereTheyAreNamed) {
  Configuration chosen = configuration({.directives = {"block x=64", "coarsen x=2"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, HasSubstr("constexpr int Threads = 64;"));
  EXPECT_EQ(opt(file.text), text);
}

TEST_F(Winner, FlagsAreInTheFirstLine) {
  Configuration chosen =
      configuration({.directives = {"coarsen x=2"}, .defines = {"TILE=8"}, .flags = {"-maxrregcount=64"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  const std::string comment = "// heddle tune: compile with -DTILE=8 -maxrregcount=64\n";
  EXPECT_THAT(file.text, StartsWith(comment));
  EXPECT_EQ(opt(file.text, {"-DTILE=8"}), comment + text);
}

TEST_F(Winner, APragmaIsBeforeTheLoopThatWasMeant) {
  take("loops.cu");
  Configuration chosen = configuration({.directives = {"unroll-jam factor=2"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, HasSubstr("  #pragma heddle unroll-jam factor=2\n  for (int row = 0;"));
  EXPECT_EQ(opt(file.text), text);
}

TEST_F(Winner, WhatPragmasCannotSayIsWrittenOutWithTheCommandThatMadeIt) {
  take("loops.cu");
  // Carried out in this order; a pragma before the kernel would come first.
  Configuration chosen = configuration({.directives = {"unroll-jam factor=2", "coarsen x=2"}});
  const std::string text = made(chosen);
  WinnerFile file = winnerFile(problem, chosen, text);
  if (file.reproduces)
    EXPECT_EQ(opt(file.text), text); // it may be the same in either order
  else
    EXPECT_EQ(file.text,
              "// heddle tune: heddle opt loops.cu -d \"unroll-jam factor=2\" -d \"coarsen x=2\";\n" + text);
}

/// What the user assumes holds for every candidate, and the winner's comment names it.
TEST_F(Winner, AssumptionsAreHandedOnToDirectivesAndNamedInTheWinner) {
  problem.text = "__global__ void k(float *a, const float *b, int n) {\n"
                 "  for (int i = 0; i < 8; ++i) {\n"
                 "    for (int j = 0; j < 8; ++j)\n"
                 "      a[i] += b[j];\n"
                 "  }\n"
                 "}\n"
                 "void f(float *a, const float *b, int n) { k<<<1, 1>>>(a, b, n); }\n";
  Configuration chosen = configuration({.directives = {"unroll-jam factor=2"}});
  Made refused = CudaMaker(problem).make(chosen);
  ASSERT_FALSE(refused.candidate);
  EXPECT_THAT(refused.reason, HasSubstr("('b' and 'a' may overlap)"));

  const std::string without = problem.digest();
  Problem other = problem;
  problem = Problem();
  problem.file = other.file;
  problem.text = other.text;
  problem.compile = other.compile;
  problem.compiler = other.compiler;
  problem.checked = false;
  problem.assumptions = {"no-overlap"};
  EXPECT_NE(problem.digest(), without);
  const std::string text = made(chosen);
  EXPECT_THAT(text, HasSubstr("i += 2"));
  WinnerFile file = winnerFile(problem, chosen, text);
  EXPECT_TRUE(file.reproduces);
  EXPECT_THAT(file.text, testing::StartsWith("// heddle tune: heddle opt --assume no-overlap;\n"));
  EXPECT_EQ(opt(file.text, {"--assume", "no-overlap"}),
            "// heddle tune: heddle opt --assume no-overlap;\n" + text);
}

/// A file whose launch takes its block from this.
std::variant<std::string, NoBlock> withBlockOf64(const std::string &before, const std::string &block) {
  const std::string text =
      "__global__ void scale(float *a, int n) { a[n] = 1; }\nvoid run(float *a, int n, int given) {\n" +
      before + "\n  scale<<<n / 64, " + block + ">>>(a, n);\n}\n";
  source::CompileOptions options;
  options.cudaPath = "none";
  auto result = source::Program::parseText("scale.cu", text, options);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&result);
  EXPECT_TRUE(program) << std::get<source::ParseFailure>(result).compilerMessages;
  return withBlocks(**program, text, "", {{"", "x=64"}});
}

TEST(BlockSize, AVariableWithOneValueIsChangedWhereItIsInitialized) {
  for (const char *block : {"threads", "dim3(threads)", "dim3(threads, 2)"}) {
    const auto changed = withBlockOf64("  int threads = 256;", block);
    ASSERT_TRUE(std::holds_alternative<std::string>(changed)) << std::get<NoBlock>(changed).reason;
    EXPECT_THAT(std::get<std::string>(changed), HasSubstr("int threads = 64;")) << block;
  }
  const auto named = withBlockOf64("  const unsigned bx = 256u; dim3 block(bx);", "block");
  ASSERT_TRUE(std::holds_alternative<std::string>(named)) << std::get<NoBlock>(named).reason;
  EXPECT_THAT(std::get<std::string>(named), HasSubstr("bx = 64u;"));
}

TEST(BlockSize, AVariableThatMayHaveAnotherValueAtTheLaunchIsNot) {
  for (const char *before :
       {"  int threads = 256; threads = 128;", "  int threads = 256; if (n > 5) threads = given;",
        "  int threads = given;", "  int threads = 256; { int threads = 32; (void)threads; }"}) {
    const auto changed = withBlockOf64(before, "threads");
    ASSERT_TRUE(std::holds_alternative<NoBlock>(changed)) << std::get<std::string>(changed);
    EXPECT_THAT(std::get<NoBlock>(changed).reason, HasSubstr("of the launch in line 4")) << before;
    EXPECT_THAT(std::get<NoBlock>(changed).reason, HasSubstr("a constant (#define or constexpr)")) << before;
  }
  const auto given = withBlockOf64("", "given");
  ASSERT_TRUE(std::holds_alternative<NoBlock>(given));
  EXPECT_THAT(std::get<NoBlock>(given).reason, HasSubstr("is a parameter of the function that launches"));
}

TEST(BlockSize, AConstantOfAnotherFileIsNot) {
  const auto elsewhere = withBlockOf64("", "__clang_major__");
  ASSERT_TRUE(std::holds_alternative<NoBlock>(elsewhere));
  EXPECT_THAT(std::get<NoBlock>(elsewhere).reason,
              HasSubstr("is not defined in scale.cu; only constants of that file can be changed"));
}

TEST(BlockSize, TwoConstantsOfOneKernelAreNamedWithIt) {
  const auto two =
      withBlockOf64("  const int few = 32, many = 256;\n  scale<<<n / 64, few>>>(a, n);", "many");
  ASSERT_TRUE(std::holds_alternative<NoBlock>(two));
  EXPECT_EQ(std::get<NoBlock>(two).reason, "block: launches of 'scale' take their x from 'few' and from "
                                           "'many', and only one constant can be varied");
}

TEST_F(Winner, ABlockThatNothingNamesIsRefusedWithTheReason) {
  problem.text.replace(problem.text.find("Threads, Threads>>>(values, more"), 20, "Threads, 128>>>(");
  Made nothing = CudaMaker(problem).make(configuration({.directives = {"block x=64"}}));
  EXPECT_FALSE(nothing.candidate);
  EXPECT_EQ(nothing.status, runner::Status::Refused);
  EXPECT_THAT(nothing.reason, HasSubstr("block needs a named constant"));
}

} // namespace
