// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check: builds a CUDA program, runs it on the simulator under the checker, and reports what is wrong.
#include "CheckStatic.h"
#include "IgnoredErrors.h"
#include "InputOutput.h"
#include "ProgramWords.h"
#include "ScheduleRuns.h"
#include "ShortLocation.h"
#include "Verbs.h"
#include "build/Program.h"
#include "check/Serial.h"
#include "check/SourceLines.h"
#include "report/CheckHtml.h"
#include "report/Findings.h"
#include "support/ExitCode.h"
#include "support/Process.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const aboutCheck =
    R"(Run a CUDA program and report races, barrier errors, deadlocks and invalid memory accesses

Examples:
  heddle check reduce.cu
  heddle check main.cu kernels.cu -Iinclude -DN=1024 -- --size 64     flags go to the compiler, the rest after --
  heddle check pipeline.cu --schedules 8                              also: does the result depend on the order of warps?
  heddle check reduce.cu --sarif findings.sarif
  heddle check reduce.cu --report findings.html                       also: an HTML page, findings with both sides in the source
  heddle check old.cu --assume lockstep                               for code written before Volta that relies on lockstep
  heddle check reduce.cu --static                                     one block, unknown data: a verdict for every input
  heddle check kernel.ptx --static --block 256                        the same for PTX, which has no launches
  heddle check --static src/*.cu --sarif findings.sarif               several files, each by itself

Findings go to stdout as FILE:LINE:COLUMN: error: CLASS: text [rule]; classes are race, deadlock, barrier, memory, uninitialized, async, warp, host.
What the program itself prints to stdout is not shown, unless --output asks for it on stderr.

Exit code 0: no findings; 1: findings, or the program failed; 2: bad usage, no such file, or no such kernel; 3: it does not
compile; 4: a file cannot be read or written. With --static, undecided properties are
printed with the reason and are no findings; 1 also if a file defines no kernel, and 2 if the block of no kernel is known.
)";

struct CheckRequest {
  build::ProgramOptions options;
  ProgramWords words;
  std::string sarif, page;
  unsigned schedules = 1;
  unsigned maxFindings = 20;
  std::string assume;
  bool json = false, output = false;
  StaticChoices statically;
};

CheckedRun runOnce(const CheckRequest &given, const build::Program &program, const fs::path &folder,
                   unsigned schedule, const std::vector<std::string> &arguments) {
  CheckedRun run;
  run.schedule = schedule;
  const fs::path findings = folder / fmt::format("findings.{}", schedule);
  run.copies = folder / fmt::format("copies.{}", schedule);
  std::vector<std::string> environment = {"HEDDLE_CHECK=" + findings.string()};
  if (!given.assume.empty())
    environment.push_back("HEDDLE_CHECK_ASSUME=" + given.assume);
  if (given.schedules > 1) {
    environment.push_back("HEDDLE_LOG=" + run.copies.string());
    environment.push_back(fmt::format("HEDDLE_SCHEDULE={}", schedule));
  }
  run.program = program.run(arguments, environment, build::Output::Captured);
  run.hasResult = check::readResult(findings, run.result);
  return run;
}

std::string keyOf(const check::Finding &finding) {
  std::vector<std::string> lines = {check::lineOf(finding.location)};
  for (const auto &note : finding.notes)
    lines.push_back(check::lineOf(note.location));
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}|{}", check::idOf(finding.rule), fmt::join(lines, "|"));
}

/// Findings of another schedule that are new.
void takeOver(std::vector<check::Finding> &all, const std::vector<check::Finding> &more) {
  for (const check::Finding &finding : more)
    if (std::none_of(all.begin(), all.end(),
                     [&](const auto &known) { return keyOf(known) == keyOf(finding); }))
      all.push_back(finding);
}

std::string countText(uint64_t n, const char *one, const char *many) {
  return fmt::format("{} {}", inWords(n), n == 1 ? one : many);
}

/// Clean is a program that launched something and ran to its end.
std::string lineWithoutFindings(const CheckedRun &run, unsigned schedules) {
  const check::CheckCounts &counts = run.result.counts;
  const std::string launches = countText(counts.launches, "launch", "launches");
  if (counts.stopped)
    return fmt::format("check: no findings until the time limit: {}\n", launches);
  if (!run.isWhole())
    return fmt::format("check: no findings until the program ended early: {}\n", launches);
  if (!counts.launches)
    return "check: no kernel was launched: nothing was checked\n";
  return fmt::format("check: clean: {} of {}, {}{}\n", launches,
                     countText(counts.kernels, "kernel", "kernels"),
                     countText(counts.accesses, "access", "accesses"),
                     schedules > 1 ? fmt::format(", {} schedules", schedules) : "");
}

nlohmann::ordered_json jsonOf(const CheckedRun &run, const std::vector<check::Finding> &findings) {
  nlohmann::ordered_json json = report::findingsJson(findings);
  json["launches"] = run.result.counts.launches;
  json["stoppedByTimeLimit"] = run.result.counts.stopped;
  json["programEndedEarly"] = !run.isWhole();
  json["programExitCode"] = run.program.execution.exitCode;
  return json;
}

/// The first findings, and how many more there are.
std::string limitedText(const std::vector<check::Finding> &findings, unsigned most, bool colour) {
  if (!most || findings.size() <= most)
    return report::findingsText(findings, colour);
  uint64_t times = 0;
  for (size_t i = most; i < findings.size(); ++i)
    times += findings[i].times;
  return report::findingsText({findings.begin(), findings.begin() + most}, colour) +
         fmt::format("check: {}, seen {}: --max-findings 0 shows all\n",
                     countText(findings.size() - most, "more finding", "more findings"),
                     countText(times, "time", "times"));
}

void printResult(const CheckRequest &given, std::vector<check::Finding> &findings, const CheckedRun &first,
                 Session &session) {
  for (check::Finding &finding : findings) {
    shorten(finding.location);
    for (auto &note : finding.notes)
      shorten(note.location);
  }
  check::addSourceLines(findings);
  if (given.json)
    std::cout << jsonText(jsonOf(first, findings));
  else if (findings.empty())
    std::cout << lineWithoutFindings(first, given.schedules);
  else
    std::cout << limitedText(findings, given.maxFindings, session.colour);
}

/// `isWhole`: all that was asked for was checked.
void writeLog(const std::string &file, const std::vector<check::Finding> &findings, bool isWhole,
              std::optional<int> exitCode, Session &session) {
  if (file.empty())
    return;
  nlohmann::ordered_json log = report::findingsSarif(findings, fs::current_path());
  report::addInvocation(log, isWhole, exitCode);
  write(file, jsonText(log), session);
}

void writePage(const CheckRequest &given, const std::vector<check::Finding> &findings,
               const CheckedRun &first, Session &session) {
  const check::CheckCounts &counts = first.result.counts;
  report::CheckResultPage page;
  page.program = given.options.sources.files.front().string();
  page.mode = fmt::format("run on the simulator{}",
                          given.schedules > 1 ? fmt::format(", {} schedules", given.schedules) : "");
  page.facts = {{"launches", inWords(counts.launches), countText(counts.kernels, "kernel", "kernels")},
                {"accesses", inWords(counts.accesses), "by threads"}};
  if (counts.stopped)
    page.notes.push_back(fmt::format("{} stopped by the time limit: what follows was not checked.",
                                     countText(counts.stopped, "launch was", "launches were")));
  if (!first.isWhole())
    page.notes.push_back(fmt::format("The program ended early, with {}: what follows was not checked.",
                                     withSignalName(first.program.execution.exitCode)));
  else if (!counts.launches)
    page.notes.emplace_back("No kernel was launched: nothing was checked.");
  page.findings = findings;
  write(given.page, report::checkHtml(page), session);
}

/// One run for each order of warps, and the findings of all of them.
std::vector<CheckedRun> runAll(const CheckRequest &given, const build::Program &program,
                               std::vector<check::Finding> &findings, Session &session) {
  const std::vector<fs::path> &files = given.options.sources.files;
  TemporaryFolder folder, folderOfRepeats;
  const RunAgain runAgain = [&](const CheckedRun &run) {
    return runOnce(given, program, folderOfRepeats.path(), run.schedule, session.programArguments);
  };
  std::vector<CheckedRun> runs;
  bool dependsOnOrder = false;
  for (unsigned schedule = 0; schedule < given.schedules; ++schedule) {
    runs.push_back(runOnce(given, program, folder.path(), schedule, session.programArguments));
    if (schedule == 0 && given.output)
      std::cerr << runs.front().program.execution.standardOutput;
    if (schedule == 0) {
      findings = runs.front().result.findings;
      continue;
    }
    takeOver(findings, runs.back().result.findings);
    if (!dependsOnOrder)
      if (auto difference = scheduleDifference(runs.front(), runs.back(), runAgain, files.front())) {
        findings.push_back(*difference);
        dependsOnOrder = true;
      }
    runs.back().program.execution.standardOutput.clear(); // of thousands of runs, perhaps
  }
  locateFailedLaunches(findings, files);
  for (check::Finding &finding : ignoredErrors(runs.front().result, files))
    findings.push_back(std::move(finding));
  return runs;
}

/// Launches that failed in a program that launched nothing or ended with an error: it queried why, and may
/// have printed no more than the error's name.
std::string failedLaunchesText(const CheckedRun &run) {
  std::string text;
  if (run.result.counts.launches && !run.program.execution.exitCode)
    return text; // it did without them
  for (const check::CheckResult::QueriedLaunch &launch : run.result.queriedLaunches) {
    text += fmt::format("heddle: {}\n", launch.text);
    if (!launch.hint.empty())
      text += fmt::format("hint: {}\n", launch.hint);
  }
  return text;
}

void checkProgram(const CheckRequest &given, Session &session) {
  Diagnostics diagnostics;
  build::ProgramOptions options = given.options;
  if (given.schedules > 1)
    options.input = std::make_shared<RepeatedInput>();
  build::Program program(options, diagnostics);
  std::cerr << program.messages();
  print(std::cerr, diagnostics, session.errorColour);
  if (!program.ok()) {
    session.exitCode = program.compiled() ? ExitRefused : ExitDoesNotCompile;
    return writeLog(given.sarif, {}, false, session.exitCode, session);
  }
  std::vector<check::Finding> findings;
  const std::vector<CheckedRun> runs = runAll(given, program, findings, session);
  // What is stated of the program is that of the run in which least was checked.
  const auto unwell = std::ranges::find_if_not(runs, &CheckedRun::endedWell);
  const bool allEndedWell = unwell == runs.end();
  const CheckedRun &stated = allEndedWell ? runs.front() : *unwell;
  session.exitCode = findings.empty() ? ExitDone : ExitRefused;
  printResult(given, findings, stated, session);
  if (!given.page.empty())
    writePage(given, findings, stated, session);
  for (const CheckedRun &run : runs)
    std::cerr << incompleteText(run);
  std::cerr << failedLaunchesText(stated);
  const int code = stated.program.execution.exitCode;
  if (stated.isWhole() && code && findings.empty())
    std::cerr << fmt::format("heddle: the program itself ended with {}\n", withSignalName(code));
  if (!allEndedWell)
    session.exitCode = std::max<int>(session.exitCode, ExitRefused);
  writeLog(given.sarif, findings, allEndedWell, session.exitCode, session);
}

/// `--sarif src/*.cu` names the first of the files as the log.
bool isNoSource(const fs::path &output, const char *option, Session &session) {
  constexpr std::string_view Sources[] = {".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hpp", ".ptx"};
  std::error_code ignored;
  if (std::ranges::find(Sources, output.extension().string()) == std::end(Sources) ||
      !fs::exists(output, ignored))
    return true;
  complain(session, fmt::format("{} would overwrite the source file '{}'", option, output.string()),
           fmt::format("give the file to write after {}, and then the sources", option), ExitBadUsage);
  return false;
}

/// A log of an earlier run must not be taken for this one's, whatever becomes of it.
void replaceLog(const std::string &file, Session &session) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored))
    writeLog(file, {}, false, std::nullopt, session);
}

} // namespace

void addCheck(CLI::App &app, Session &session) {
  auto given = std::make_shared<CheckRequest>();
  CLI::App *verb = app.add_subcommand("check", aboutCheck);
  session.operands["check"].usage = "FILE... [--static] [COMPILER-OPTION...] [-- ARGUMENT...]";
  verb->add_option(
          "--schedules", given->schedules,
          "number of runs, each with another order of warps; copies, stdout and exit codes must agree")
      ->check(CLI::Range(1u, 10000u));
  verb->add_option(
      "--max-findings", given->maxFindings,
      "number of findings to print, each a pair of source lines; 0: all (--json and --sarif have all)");
  verb->add_option("--assume", given->assume,
                   "lockstep: lanes of a warp execute each instruction together, as before Volta")
      ->check(CLI::IsMember({"lockstep"}));
  verb->add_flag("--json", given->json, "print the same facts as JSON");
  verb->add_option("--sarif", given->sarif, "also write the findings to this file, as a SARIF log")
      ->type_name("FILE.sarif");
  verb->add_option("--report", given->page, "also write a self-contained HTML page")->type_name("FILE");
  verb->add_flag("--output", given->output, "show what the program prints to stdout, on stderr");
  addProgramOptions(*verb, given->options, given->words, session);
  verb->get_option("--compiler")
      ->description(
          "nvcc, clang (needs no toolkit), or auto: nvcc if there is one; with --static clang, and nvcc "
          "for a file that clang cannot compile");
  addEngineOption(*verb);
  addStaticOptions(*verb, given->statically);
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    addBuildFlags(*verb, given->words, given->options.sources.files, {}, given->options, diagnostics);
    if (given->options.sources.files.empty())
      diagnostics.error({}, "FILE is required").withHint("heddle check FILE.cu");
    if (!isNoSource(given->sarif, "--sarif", session) || !isNoSource(given->page, "--report", session) ||
        !canWrite(given->sarif, session) || !canWrite(given->page, session))
      return;
    replaceLog(given->sarif, session);
    if (complain(diagnostics, session, ExitBadUsage) || !canRead(given->options.sources.files, session) ||
        (!given->statically.wanted && !areNotPtx(given->options.sources.files, session)))
      return writeLog(given->sarif, {}, false, session.exitCode, session);
    given->statically.lockstep = given->assume == "lockstep";
    if (given->statically.wanted && !session.programArguments.empty()) {
      diagnostics.warning({}, "arguments after -- have no effect: check --static does not run the program");
      print(std::cerr, diagnostics, session.errorColour);
    }
    if (given->statically.wanted)
      checkStatically(given->options, given->statically, {given->json, given->sarif, given->page}, session);
    else
      checkProgram(*given, session);
  });
}

} // namespace heddle::cli
