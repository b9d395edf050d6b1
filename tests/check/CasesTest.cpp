// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel of this folder is built, run on the simulator under the checker, and must have the result in its first
// line: by Clang's PTX and, where nvcc is there, by nvcc's; and what is wrong is found wrong in whatever
// order the warps run.
#include "ProgramOfCases.h"
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
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace heddle::check::test {
namespace {

namespace fs = std::filesystem;

/// Orders of warps that a wrong program is tried with, beside the usual one.
constexpr unsigned Schedules = 5;
/// And any program that is about barriers: which threads come to one is a matter of their paths, so that no order changes the verdict.
constexpr unsigned SchedulesOfBarriers = 31;

struct Case {
  fs::path file;
  std::string compiler;
};

void PrintTo(const Case &one, std::ostream *out) {
  *out << one.compiler << " " << one.file.filename().string();
}

std::string caseName(const testing::TestParamInfo<Case> &info) { return nameOfCase(info.param.file); }

/// nvcc is asked about what is wrong, where its code has the same mistake in another form.
std::vector<Case> casesOf(const std::string &compiler) {
  std::vector<Case> cases;
  for (const auto &entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "tests/check"))
    if (entry.path().extension() == ".cu" &&
        (compiler == "clang" || entry.path().stem().extension() == ".bad"))
      cases.push_back({entry.path(), compiler});
  std::sort(cases.begin(), cases.end(), [](const Case &a, const Case &b) { return a.file < b.file; });
  return cases;
}

/// Kernels whose lanes name each other, by masks and shuffles.
bool namesLanes(const fs::path &file) {
  const std::string text = contentsOf(file);
  for (const char *sign : {"_sync(", "lane", "activemask", "mask"})
    if (text.find(sign) != std::string::npos)
      return true;
  return false;
}

/// Cases that are built alike are one program, built for the first of them.
enum class Threads { AsTheyAre, Renumbered };

std::vector<Case> renumberedCases();

const ProgramOfCases &programOf(const Case &wanted, Threads threads) {
  const bool isRenumbered = threads == Threads::Renumbered;
  build::ProgramOptions options;
  options.compiler = wanted.compiler == "clang" ? build::Compiler::Clang : build::Compiler::Nvcc;
  options.timeoutSeconds = 30;
  if (isRenumbered)
    options.sources.flags = {"-include", (fs::path(HEDDLE_SOURCE_DIR) / "tests/check/Renumbered.h").string()};
  const bool isByWarps = isRenumbered && namesLanes(wanted.file);
  if (isByWarps)
    options.sources.flags.push_back("-DRENUMBER_WARPS");
  static std::map<std::string, std::unique_ptr<ProgramOfCases>> programs;
  std::unique_ptr<ProgramOfCases> &program =
      programs[fmt::format("{} {} {}", wanted.compiler, isRenumbered, isByWarps)];
  if (!program) {
    std::vector<fs::path> files;
    for (const Case &one : isRenumbered ? renumberedCases() : casesOf(wanted.compiler))
      if (readExpectation(one.file).options.empty() && (!isRenumbered || namesLanes(one.file) == isByWarps))
        files.push_back(one.file);
    program = std::make_unique<ProgramOfCases>(files, options);
  }
  return *program;
}

std::vector<Finding> findingsOfRun(const ProgramOfCases &program, const fs::path &file, unsigned schedule,
                                   const std::string &assume = {}) {
  TemporaryFolder folder;
  const fs::path findings = folder.path() / "findings";
  program.run(file, {"HEDDLE_CHECK=" + findings.string(), fmt::format("HEDDLE_SCHEDULE={}", schedule),
                     "HEDDLE_CHECK_ASSUME=" + assume});
  CheckResult result;
  EXPECT_TRUE(readResult(findings, result)) << "the program left no findings";
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

bool isAboutBarriers(const fs::path &file) {
  const std::string name = file.filename().string();
  return name.starts_with("syncthreads-") || name.starts_with("barrier-") || name.starts_with("barriers-") ||
         name.starts_with("grid-barrier-");
}

/// How many orders of warps a case is tried with.
unsigned schedulesOf(const Case &one, const Expectation &expectation) {
  if (one.compiler == "clang" && isAboutBarriers(one.file))
    return 1 + SchedulesOfBarriers;
  return expectation.expected.empty() ? 1 : 1 + Schedules;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, HaveTheResultsThatTheyState) {
  const auto &[file, compiler] = GetParam();
  if (compiler == "nvcc" && !findNvcc())
    GTEST_SKIP() << "nvcc is not there";
  const Expectation expectation = readExpectation(file);
  if (!expectation.options.empty()) {
    expectNone(disagreement(expectation, findingsOfCommand(GetParam(), expectation)), "");
    return;
  }
  const ProgramOfCases &program = programOf(GetParam(), Threads::AsTheyAre);
  ASSERT_TRUE(program.ok()) << program.messages();
  for (unsigned schedule = 0; schedule < schedulesOf(GetParam(), expectation); ++schedule)
    expectNone(disagreement(expectation, findingsOfRun(program, file, schedule)),
               fmt::format("HEDDLE_SCHEDULE={}", schedule));
  // volatile orders nothing, so it changes no verdict.
  expectNone(disagreement(expectation, findingsOfRun(program, file, 0, "volatile")),
             "with all accesses volatile");
}

class Renumbered : public testing::TestWithParam<Case> {};

/// Any thread may be the first or the last: with other numbers for all of them the verdict is the same.
TEST_P(Renumbered, CasesHaveTheResultsThatTheyState) {
  const fs::path file = GetParam().file;
  const Expectation expectation = readExpectation(file);
  const ProgramOfCases &program = programOf(GetParam(), Threads::Renumbered);
  ASSERT_TRUE(program.ok()) << program.messages();
  for (unsigned schedule = 0; schedule < 2; ++schedule)
    expectNone(disagreement(expectation, findingsOfRun(program, file, schedule)),
               fmt::format("HEDDLE_SCHEDULE={}", schedule));
}

/// One in eight, or all of them (`make matrix`): each has to run again.
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

std::vector<Case> staticCases() {
  std::vector<Case> cases = casesOf("clang");
  std::erase_if(cases, [](const Case &one) { return !readExpectation(one.file).staticOptions; });
  return cases;
}

std::string ptxOfFile(const fs::path &file) {
  Diagnostics diagnostics;
  build::Request request;
  request.sources.files = {file};
  request.compiler = build::Compiler::Clang;
  const build::DevicePtx ptx = build::compileToPtx(request, diagnostics, build::Accesses::Kept);
  EXPECT_TRUE(ptx.ok) << ptx.messages;
  EXPECT_TRUE(ptx.keepsAccesses);
  return ptx.text;
}

/// The PTX of all cases that can be decided without being run.
const std::string &ptxOfCases() {
  static const std::string text = [] {
    std::vector<fs::path> files;
    for (const Case &one : staticCases())
      files.push_back(one.file);
    TemporaryFolder folder;
    std::ofstream(folder.path() / "cases.cu") << textOfCases(files);
    return ptxOfFile(folder.path() / "cases.cu");
  }();
  return text;
}

/// That PTX without the kernels of other cases: what is between a line with .entry and the next bracket at the start of a line.
std::string ptxOf(const fs::path &file) {
  // Which variables are const is read in the source, where it is compiled by itself.
  if (contentsOf(file).find("__device__ const") != std::string::npos)
    return ptxOfFile(file);
  const std::string name = nameOfCase(file), mangled = fmt::format("_ZN{}{}", name.size(), name);
  std::istringstream lines(ptxOfCases());
  std::string kept;
  bool isOther = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".entry ") != std::string::npos)
      isOther = line.find(" " + mangled) == std::string::npos;
    if (!isOther)
      kept += line + "\n";
    if (line == "}")
      isOther = false;
  }
  return kept;
}

StaticResult staticResult(const std::string &text, const fs::path &file, const vm::Dim3 &block) {
  Diagnostics diagnostics;
  const ptx::Module module = ptx::parse(text, file.string(), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  StaticOptions options;
  options.block = block;
  const std::vector<std::string> kernels = kernelsOf(module);
  EXPECT_EQ(kernels.size(), 1u);
  return checkStatic(module, kernels.at(0), options);
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

INSTANTIATE_TEST_SUITE_P(clang, WithoutBeingRun, testing::ValuesIn(staticCases()), caseName);

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
