// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel of this folder is built, run on the simulator under the checker, and must have the result in its first
// line: by Clang's PTX and, where nvcc is there, by nvcc's; and what is wrong is found wrong in whatever
// order the warps run.
#include "StaticRunner.h"
#include "TestPaths.h"
#include "build/DevicePtx.h"
#include "build/Program.h"
#include "check/Expectation.h"
#include "check/Serial.h"
#include "check/Static.h"
#include "ptx/Parser.h"
#include "support/CudaToolkit.h"
#include "support/Process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace heddle::check::test {
namespace {

namespace fs = std::filesystem;

/// Orders of warps that a wrong program is tried with, beside the usual one.
constexpr unsigned Schedules = 5;

struct Case {
  fs::path file;
  std::string compiler;
};

void PrintTo(const Case &one, std::ostream *out) {
  *out << one.compiler << " " << one.file.filename().string();
}

std::string caseName(const testing::TestParamInfo<Case> &info) {
  std::string name = info.param.file.stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

/// nvcc costs as much again: it is asked about what is wrong, where its code has the same mistake in another
/// form.
std::vector<Case> casesOf(const std::string &compiler) {
  std::vector<Case> cases;
  const bool isThere = compiler == "clang" || findNvcc();
  for (const auto &entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "tests/check"))
    if (entry.path().extension() == ".cu" && isThere &&
        (compiler == "clang" || entry.path().stem().extension() == ".bad"))
      cases.push_back({entry.path(), compiler});
  std::sort(cases.begin(), cases.end(), [](const Case &a, const Case &b) { return a.file < b.file; });
  return cases;
}

build::ProgramOptions optionsOf(const Case &one) {
  build::ProgramOptions options;
  options.sources.files = {one.file};
  options.compiler = one.compiler == "clang" ? build::Compiler::Clang : build::Compiler::Nvcc;
  options.timeoutSeconds = 30;
  return options;
}

std::vector<Finding> findingsOfRun(const build::Program &program, unsigned schedule,
                                   const std::string &assume = {}) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "findings";
  program.run({},
              {"HEDDLE_CHECK=" + file.string(), fmt::format("HEDDLE_SCHEDULE={}", schedule),
               "HEDDLE_CHECK_ASSUME=" + assume},
              build::Output::Captured);
  CheckResult result;
  EXPECT_TRUE(readResult(file, result)) << "the program left no findings";
  EXPECT_TRUE(result.complete) << "the program ended early";
  return result.findings;
}

SourceLocation placeOf(const nlohmann::json &json) {
  SourceLocation place;
  place.file = json.value("file", ""), place.line = json.value("line", 0u);
  return place;
}

/// What the command itself says, where a case has options for it.
std::vector<Finding> findingsOfCommand(const Case &one, const Expectation &expectation) {
  std::vector<std::string> command = {
      HEDDLE_BUILD_DIR "/heddle", "check", one.file.string(), "--json", "--compiler", one.compiler};
  command.insert(command.end(), expectation.options.begin(), expectation.options.end());
  const auto reported = nlohmann::json::parse(runProcess(command).standardOutput);
  std::vector<Finding> findings;
  for (const nlohmann::json &json : reported.at("findings")) {
    Finding &finding = findings.emplace_back();
    finding.rule = ruleOf(json.at("rule").get<std::string>()).value();
    finding.location = placeOf(json), finding.text = json.at("text");
    finding.hint = json.value("hint", "");
    for (const nlohmann::json &note : json.at("notes"))
      finding.notes.push_back({placeOf(note), note.at("text")});
  }
  return findings;
}

void expectNone(const std::string &disagreement, const std::string &where) {
  if (!disagreement.empty())
    ADD_FAILURE() << where << "\n" << disagreement;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, HaveTheResultsThatTheyState) {
  const Expectation expectation = readExpectation(GetParam().file);
  if (!expectation.options.empty()) {
    expectNone(disagreement(expectation, findingsOfCommand(GetParam(), expectation)), "");
    return;
  }
  Diagnostics diagnostics;
  build::Program program(optionsOf(GetParam()), diagnostics);
  ASSERT_TRUE(program.ok()) << program.messages();
  const unsigned schedules = expectation.expected.empty() ? 1 : 1 + Schedules;
  for (unsigned schedule = 0; schedule < schedules; ++schedule)
    expectNone(disagreement(expectation, findingsOfRun(program, schedule)),
               fmt::format("HEDDLE_SCHEDULE={}", schedule));
  // volatile orders nothing, so it changes no verdict.
  expectNone(disagreement(expectation, findingsOfRun(program, 0, "volatile")), "with all accesses volatile");
}

class Barriers : public testing::TestWithParam<Case> {};

/// Which threads come to a barrier is a matter of their paths, so that no order of warps changes the verdict.
TEST_P(Barriers, HaveTheSameResultInEveryOrderOfWarps) {
  constexpr unsigned ManySchedules = 32;
  const Expectation expectation = readExpectation(GetParam().file);
  Diagnostics diagnostics;
  build::Program program(optionsOf(GetParam()), diagnostics);
  ASSERT_TRUE(program.ok()) << program.messages();
  for (unsigned schedule = 0; schedule < ManySchedules; ++schedule)
    expectNone(disagreement(expectation, findingsOfRun(program, schedule)),
               fmt::format("HEDDLE_SCHEDULE={}", schedule));
}

std::vector<Case> barrierCases() {
  std::vector<Case> cases = casesOf("clang");
  std::erase_if(cases, [](const Case &one) {
    const std::string name = one.file.filename().string();
    return !name.starts_with("syncthreads-") && !name.starts_with("barrier-") &&
           !name.starts_with("barriers-") && !name.starts_with("grid-barrier-");
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(clang, Barriers, testing::ValuesIn(barrierCases()), caseName);

/// Kernels whose lanes name each other, by masks and shuffles.
bool namesLanes(const fs::path &file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  for (const char *sign : {"_sync(", "lane", "activemask", "mask"})
    if (text.str().find(sign) != std::string::npos)
      return true;
  return false;
}

class Renumbered : public testing::TestWithParam<Case> {};

/// Any thread may be the first or the last: with other numbers for all of them the verdict is the same.
TEST_P(Renumbered, CasesHaveTheResultsThatTheyState) {
  const Expectation expectation = readExpectation(GetParam().file);
  build::ProgramOptions options = optionsOf(GetParam());
  options.sources.flags = {"-include", (fs::path(HEDDLE_SOURCE_DIR) / "tests/check/Renumbered.h").string()};
  if (namesLanes(GetParam().file))
    options.sources.flags.push_back("-DRENUMBER_WARPS");
  Diagnostics diagnostics;
  build::Program program(options, diagnostics);
  ASSERT_TRUE(program.ok()) << program.messages();
  for (unsigned schedule = 0; schedule < 2; ++schedule)
    expectNone(disagreement(expectation, findingsOfRun(program, schedule)),
               fmt::format("HEDDLE_SCHEDULE={}", schedule));
}

/// One in eight, or all of them (`make matrix`): each has to be built again.
std::vector<Case> renumberedCases() {
  std::vector<Case> all = casesOf("clang"), some;
  const size_t step = std::getenv("HEDDLE_MATRIX") ? 1 : 8;
  std::erase_if(all, [](const Case &one) { return !readExpectation(one.file).options.empty(); });
  for (size_t i = 0; i < all.size(); i += step)
    some.push_back(all[i]);
  return some;
}

INSTANTIATE_TEST_SUITE_P(clang, Renumbered, testing::ValuesIn(renumberedCases()), caseName);

vm::Dim3 blockOf(const std::vector<std::string> &options) {
  EXPECT_EQ(options.size(), 2u);
  EXPECT_EQ(options[0], "--block");
  return {uint32_t(std::stoul(options[1]))};
}

std::string ptxOf(const fs::path &file) {
  Diagnostics diagnostics;
  build::Request request;
  request.sources.files = {file};
  request.compiler = build::Compiler::Clang;
  const build::DevicePtx ptx = build::compileToPtx(request, diagnostics, build::Accesses::Kept);
  EXPECT_TRUE(ptx.ok) << ptx.messages;
  EXPECT_TRUE(ptx.keepsAccesses);
  return ptx.text;
}

StaticResult staticResult(const std::string &text, const fs::path &file, const vm::Dim3 &block) {
  Diagnostics diagnostics;
  const ptx::Module module = ptx::parse(text, file.string(), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  StaticOptions options;
  options.block = block;
  return checkStatic(module, kernelsOf(module).at(0), options);
}

/// The last thread is the first and the first the last. Nothing where the kernel speaks of lanes.
std::optional<std::string> renumbered(const std::string &text, unsigned threads) {
  for (const char *word :
       {"shfl", "vote", "match", "redux", "%laneid", "%lanemask", "activemask", "bar.warp", "elect"})
    if (text.find(word) != std::string::npos)
      return std::nullopt;
  static const std::regex reads(R"(mov\.u32\s+(%r\d+), %tid\.x;)");
  return std::regex_replace(text, reads, fmt::format("mov.u32 $1, %tid.x; sub.u32 $1, {}, $1;", threads - 1));
}

std::string decisionsOf(const StaticResult &result) {
  std::string text;
  for (const PropertyVerdict &each : result.properties)
    text += fmt::format("{}: {}\n", nameOf(each.property), nameOf(each.decision));
  return text;
}

class WithoutBeingRun : public testing::TestWithParam<Case> {};

/// Kernels whose synchronization and shared addresses do not depend on data get the same verdict without
/// being run; and neither which thread is the last nor volatile makes a difference.
TEST_P(WithoutBeingRun, CasesHaveTheResultsThatTheyState) {
  const fs::path file = GetParam().file;
  const Expectation expectation = readExpectation(file);
  const vm::Dim3 block = blockOf(*expectation.staticOptions);
  const std::string text = ptxOf(file);
  const StaticResult result = staticResult(text, file, block);
  expectVerdict(expectation.expected.empty() ? Verdict::Holds : Verdict::Fails, result);
  expectNone(disagreement(expectation, result.findings), "--static");
  if (const std::optional<std::string> reversed = renumbered(text, block.x))
    EXPECT_EQ(decisionsOf(result), decisionsOf(staticResult(*reversed, file, block))) << "threads renumbered";
  const std::string plain = std::regex_replace(text, std::regex(R"((ld|st)\.volatile)"), "$1");
  EXPECT_EQ(decisionsOf(result), decisionsOf(staticResult(plain, file, block))) << "without volatile";
}

std::vector<Case> staticCases() {
  std::vector<Case> cases = casesOf("clang");
  std::erase_if(cases, [](const Case &one) { return !readExpectation(one.file).staticOptions; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(clang, WithoutBeingRun, testing::ValuesIn(staticCases()), caseName);

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cases);
INSTANTIATE_TEST_SUITE_P(clang, Cases, testing::ValuesIn(casesOf("clang")), caseName);
INSTANTIATE_TEST_SUITE_P(nvcc, Cases, testing::ValuesIn(casesOf("nvcc")), caseName);

/// Each rule that can be found must have a kernel that breaks it; and each kernel that is wrong has a twin
/// that is not.
TEST(Suite, HasAKernelForEveryRuleAndAMendedTwinForEachKernel) {
  std::set<std::string> shown;
  for (const Case &one : casesOf("clang")) {
    const Expectation expectation = readExpectation(one.file);
    for (const Expectation::AnyOf &item : expectation.expected)
      shown.insert(item[0].rule);
    const bool isBad = one.file.stem().extension() == ".bad";
    EXPECT_EQ(isBad, !expectation.expected.empty()) << one.file;
    if (isBad)
      EXPECT_TRUE(fs::exists(fs::path(one.file).replace_extension().replace_extension(".good.cu")))
          << one.file;
  }
  for (unsigned i = 0; i < Rules; ++i)
    EXPECT_TRUE(shown.count(std::string(idOf(Rule(i))))) << idOf(Rule(i));
}

} // namespace
} // namespace heddle::check::test
