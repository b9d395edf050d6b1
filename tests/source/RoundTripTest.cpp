// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every .cu of the project parses with the toolkit's headers and with ours, and is written byte for byte:
// untouched, and also when each function of it is replaced by its own rendering.
#include "TestPaths.h"
#include "source/Program.h"
#include "source/Render.h"
#include "source/Unit.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::source;

namespace {

std::string contents(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Files that say so in their first lines are wrong on purpose.
bool isMeantToCompile(const fs::path &file) {
  return contents(file).substr(0, 400).find("does not compile") == std::string::npos;
}

/// Kernels of these folders are many, small and of one shape: they would take minutes and show nothing new.
/// `ignition` includes headers that `heddle chem` generates, and `project` is compiled with flags of its compile_commands.json.
bool isLeftOut(const fs::path &file) {
  static const std::set<std::string> folders = {"by_hand", "check", "ignition", "pipeline", "refused"};
  const fs::path folder = file.parent_path();
  const fs::path above = folder.parent_path().filename();
  return folders.contains(folder.filename().string()) || above == "golden" || above == "project";
}

std::vector<std::string> cudaFiles() {
  std::vector<std::string> files;
  for (const char *folder : {"examples", "tests"})
    for (const auto &entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".cu" && isMeantToCompile(entry.path()) && !isLeftOut(entry.path()))
        files.push_back(fs::relative(entry.path(), HEDDLE_SOURCE_DIR).string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The bodies of all functions written in the main file. What headers declare is not looked into: it would be
/// read from the precompiled file for nothing, a fifth of the time.
struct Bodies : clang::DynamicRecursiveASTVisitor {
  explicit Bodies(const Unit &unit) : unit(unit) {}
  bool TraverseDecl(clang::Decl *decl) override {
    const clang::SourceManager &sources = unit.sources();
    const bool isTopLevel = decl && llvm::isa_and_nonnull<clang::TranslationUnitDecl>(decl->getDeclContext());
    if (isTopLevel && !sources.isInMainFile(sources.getExpansionLoc(decl->getLocation())))
      return true;
    return clang::DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::SourceManager &sources = unit.sources();
    // The body of a defaulted function is the compiler's: no text was written for it.
    if (function->doesThisDeclarationHaveABody() && !function->isDefaulted() &&
        sources.isInMainFile(function->getLocation()) && !function->getLocation().isMacroID() &&
        !inside(function->getBody()->getSourceRange()))
      ranges.push_back(function->getBody()->getSourceRange());
    return true;
  }
  /// Methods of a local class are inside a body that is there already.
  bool inside(clang::SourceRange range) const {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](clang::SourceRange r) { return r.fullyContains(range); });
  }
  const Unit &unit;
  std::vector<clang::SourceRange> ranges;
};

void expectSameAfterRenderingEachFunction(const Unit &unit, const std::string &original) {
  Bodies bodies(unit);
  bodies.TraverseDecl(unit.context().getTranslationUnitDecl());
  Edits edits;
  for (clang::SourceRange range : bodies.ranges) {
    Rendered text = render(unit, range);
    ASSERT_TRUE(std::holds_alternative<std::string>(text)) << std::get<Diagnostic>(text).text;
    edits.replace(unit, range, std::get<std::string>(text));
  }
  if (edits.empty())
    return;
  auto result = edits.apply();
  ASSERT_EQ(result.index(), 0u) << std::get<Diagnostic>(result).text;
  ASSERT_EQ(std::get<0>(result).size(), 1u);
  EXPECT_EQ(std::get<0>(result).begin()->second, original);
}

void expectRoundTrip(const std::string &file, const std::string &cudaPath) {
  fs::path path = fs::path(HEDDLE_SOURCE_DIR) / file;
  CompileOptions options;
  options.cudaPath = cudaPath;
  const fs::path folder = path.parent_path();
  options.userArguments = {"-I" + folder.string(), "-I" + (folder.parent_path() / "include").string()};
  auto result = Program::parse(path, options);
  if (auto *failure = std::get_if<ParseFailure>(&result))
    FAIL() << failure->compilerMessages;
  const Program &program = *std::get<0>(result);
  for (const Unit *unit : {&program.host(), &program.device()})
    expectSameAfterRenderingEachFunction(*unit, contents(path));
}

/// Hundreds of files, all with the same headers before their first line: those are read once.
class RoundTrip : public ::testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() { setenv("HEDDLE_HEADER_CACHE", HEDDLE_BUILD_DIR "/headers", 0); }
};

} // namespace

TEST_P(RoundTrip, WithOurHeaders) { expectRoundTrip(GetParam(), "none"); }

TEST_P(RoundTrip, WithTheToolkitsHeaders) {
  if (!findToolkit())
    GTEST_SKIP() << "there is no CUDA toolkit on this machine";
  if (contents(fs::path(HEDDLE_SOURCE_DIR) / GetParam()).find("with the toolkit: nvcc only") !=
      std::string::npos)
    GTEST_SKIP() << "the file says that Clang cannot read it with NVIDIA's headers";
  expectRoundTrip(GetParam(), "");
}

INSTANTIATE_TEST_SUITE_P(Files, RoundTrip, ::testing::ValuesIn(cudaFiles()), [](const auto &file) {
  std::string name = file.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !isalnum(c); }, '_');
  return name;
});
