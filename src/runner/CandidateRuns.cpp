// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can become of a candidate, in the order in which it is found out:
//
//   compiled     not at all, or not in time
//   run          killed after its time; ended by a signal; left no report; met a CUDA error; launched nothing
//   compared     ended with another exit code than the baseline, or copied something else to the host; where the
//                baseline copies nothing to the host by copies (managed memory counts as one, mapped memory does
//                not), printed something else
//                Where bits differ there are two questions more. The first is whether they are within the
//                tolerance, where one was given: baseline and candidate run once more, and every copy is
//                written down. That costs a run; the second question costs a compilation, and is asked where
//                the first has another answer: a tolerance never makes a candidate wrong that would be right
//                without one.
//                Compilers fuse a multiplication and an addition where they see fit, at other places in
//                another text: bits that differ for that alone are not the candidate's doing. So both are
//                compiled once more with nothing fused, and must copied the same then
//   timed        the sum of median times launches over the kernels
//
// A program that did all of its own work and died only while its launches were made again has results that
// count: its times are then those of its own launches, and the reason says so.
#include "runner/CandidateRuns.h"

#include "support/Interrupts.h"
#include "support/Preload.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <future>
#include <iomanip>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::runner {
namespace {

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string inSeconds(double seconds) {
  std::ostringstream text;
  text << seconds << " s";
  return text.str();
}

/// The last line that says something: where programs put their complaints.
std::string lastLine(const std::string &output) {
  size_t end = output.find_last_not_of(" \n\r\t");
  if (end == std::string::npos)
    return "";
  size_t begin = output.rfind('\n', end);
  return output.substr(begin + 1, end - begin);
}

std::string withLastLine(std::string reason, const std::string &output) {
  std::string last = lastLine(output);
  return last.empty() ? reason : reason + ": " + last;
}

void replaceAll(std::string &text, const std::string &what, const std::string &by) {
  for (size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// What a program printed, as another candidate would have printed it: many begin by saying their own name.
/// Letters that are not ASCII are none of them, so that it can be kept as JSON.
std::string printed(std::string output, const fs::path &program) {
  replaceAll(output, program.string(), "program");
  replaceAll(output, program.filename().string(), "program");
  for (char &letter : output)
    if (static_cast<unsigned char>(letter) >= 0x80)
      letter = '?';
  return output;
}

/// The exit code that the program itself wanted. One that died while launches were made again had got as far
/// as its end, but it is unknown with what.
std::optional<int> ownExitCode(const ProcessResult &end) {
  return end.exited() ? std::optional(end.exitCode) : std::nullopt;
}

void addTimes(Result &result, const Observation &seen, const std::map<std::string, uint64_t> &spills) {
  result.device = seen.device;
  result.kernels = seen.kernels;
  for (KernelTime &time : result.kernels) {
    if (auto found = spills.find(time.kernel); found != spills.end())
      time.spillBytes = found->second;
    result.micros += time.micros * double(time.launches);
    result.q1 += time.q1 * double(time.launches);
    result.q3 += time.q3 * double(time.launches);
  }
}

std::string noteOn(const Reference &reference, const Observation &seen, bool comparesCopies) {
  std::string note;
  if (size_t varying = varyingCopies(reference))
    note = std::to_string(varying) + " of " + std::to_string(reference.copies.size()) +
           " copies vary from run to run of the baseline and were not compared";
  if (comparesCopies && reference.copies.empty() && !reference.output)
    note = "there are no device-to-host copies, and the output of the baseline varies between runs: only "
           "exit codes were compared";
  else if (comparesCopies && reference.saysNothing())
    note = "there are no device-to-host copies and no output: only exit codes were compared";
  if (!seen.replayed)
    note += std::string(note.empty() ? "" : "; ") +
            "launches could not be repeated: timed as the program made them";
  return note;
}

} // namespace

Result resultNow(const std::string &id, Status status, std::string reason) {
  Result result;
  result.id = id;
  result.status = status;
  result.reason = std::move(reason);
  result.when = now();
  return result;
}

CandidateRuns::CandidateRuns(Manifest manifest, fs::path folder, fs::path work, Toolchain toolchain)
    : manifest(std::move(manifest)), folder(fs::absolute(folder)), work(fs::absolute(work)),
      toolchain(std::move(toolchain)) {}

std::string CandidateRuns::prepare() {
  std::error_code failure;
  fs::create_directories(work, failure);
  if (failure)
    return work.string() + ": cannot be made: " + failure.message();
  if (!toolchain.timingLibrary.empty()) {
    timing = toolchain.timingLibrary == "none" ? fs::path() : fs::absolute(toolchain.timingLibrary);
    return timing.empty() || fs::exists(timing) ? "" : timing.string() + ": no such file";
  }
  timing = work / "libheddle_timing.so";
  std::string error;
  std::vector<std::string> words = timingWords(folder, timing, error);
  if (!error.empty())
    return error;
  ProcessResult end = runToEnd(unattended(words, folder, manifest.compileSeconds));
  return end.succeeded() ? "" : "the timing library does not compile: " + firstErrorIn(end.standardOutput);
}

Compiled CandidateRuns::compile(const Candidate &candidate) const {
  Compiled compiled;
  std::string error;
  fs::path program = work / (candidate.id + ".exe");
  std::vector<std::string> words = compileWords(toolchain, manifest, candidate, program, error);
  if (words.empty()) {
    compiled.failure = resultNow(candidate.id, Status::DoesNotCompile, error);
    return compiled;
  }
  CompileCommand command{words, {}, program, folder, manifest.compileSeconds};
  command.sources.assign(candidate.files.begin(), candidate.files.end());
  const ProcessResult end =
      runCompiler ? runCompiler(command) : runToEnd(unattended(words, folder, manifest.compileSeconds));
  compiled.seconds = end.seconds;
  if (end.timedOut)
    compiled.failure = resultNow(candidate.id, Status::TimedOut,
                                 "still compiling after " + inSeconds(manifest.compileSeconds));
  else if (!end.succeeded())
    compiled.failure = resultNow(candidate.id, Status::DoesNotCompile, firstErrorIn(end.standardOutput));
  else
    compiled.program = program;
  compiled.failure.compileSeconds = end.seconds;
  compiled.spillBytes = spillsIn(end.standardOutput);
  return compiled;
}

CandidateRuns::~CandidateRuns() {
  std::error_code ignored;
  if (!baselineCopies.empty())
    fs::remove(baselineCopies, ignored);
}

CandidateRuns::Run CandidateRuns::run(const Candidate &candidate, const Compiled &compiled, Purpose purpose,
                                      const fs::path &log) const {
  const bool isTimed = purpose == Purpose::Timing;
  const fs::path report = work / (candidate.id + ".report");
  std::error_code ignored;
  fs::remove(report, ignored);
  std::vector<std::string> words = {compiled.program.string()};
  words.insert(words.end(), manifest.arguments.begin(), manifest.arguments.end());
  ProcessRequest command = unattended(words, runFolder.empty() ? folder : runFolder, manifest.runSeconds);
  command.environment = environment;
  command.environment.push_back("HEDDLE_TIMING=" + report.string());
  command.environment.push_back("HEDDLE_TIMING_ROUNDS=" + std::to_string(isTimed ? manifest.rounds : 0));
  command.environment.push_back("HEDDLE_TIMING_WARM_UPS=" + std::to_string(manifest.warmUps));
  command.environment.push_back("HEDDLE_TIMING_COPIES=" + std::to_string(manifest.copies));
  // Replays may take what the program leaves of its time, less a share for restoring memory.
  const double third = manifest.runSeconds / 3;
  command.environment.push_back(
      "HEDDLE_TIMING_SECONDS=" +
      std::to_string(mostTimingSeconds > 0 ? std::min(third, mostTimingSeconds) : third));
  if (!log.empty())
    command.environment.push_back("HEDDLE_TIMING_LOG=" + log.string());
  if (!timing.empty())
    for (std::string &variable : preloading(timing))
      command.environment.push_back(std::move(variable));
  Run run;
  run.end = runToEnd(command);
  run.seen = readObservation(report);
  if (run.seen)
    run.seen->output = printed(run.end.standardOutput, compiled.program);
  fs::remove(report, ignored);
  return run;
}

/// The same without fused multiplications.
Candidate CandidateRuns::withoutFusion(Candidate candidate) const {
  for (const std::string &flag : unfusedFlagsOf(toolchain))
    candidate.flags.push_back(flag);
  candidate.id += ".unfused";
  return candidate;
}

/// Nothing is seen where that fails in any way.
CandidateRuns::Run CandidateRuns::runUnfused(const Candidate &candidate, const Compiled &compiled) const {
  if (compiled.program.empty())
    return {};
  Run observed = run(candidate, compiled, Purpose::Comparing);
  if (observed.seen && !observed.seen->error.empty())
    observed.seen.reset();
  return observed;
}

/// What the baseline leaves with nothing fused. Where two of its runs left the same with what the compiler fuses, one will do.
std::optional<Reference> CandidateRuns::unfusedReference(const Candidate &candidate,
                                                         const Compiled &compiled) const {
  const Run first = runUnfused(candidate, compiled);
  const bool isSteady = varyingCopies(*wanted) == 0 && !wanted->saysNothing();
  const Run second = first.seen && !isSteady ? runUnfused(candidate, compiled) : first;
  if (!second.seen)
    return std::nullopt;
  return referenceOf("unfused", first.end.exitCode, *first.seen, *second.seen);
}

bool CandidateRuns::differsByFusionOnly(const Candidate &candidate) {
  if (unfusedFlagsOf(toolchain).empty())
    return false;
  const Candidate own = withoutFusion(candidate), original = withoutFusion(theBaseline());
  std::future<Compiled> compiling; // beside the other
  if (!unfused)
    compiling = std::async(std::launch::async, [&] { return compile(original); });
  const Compiled compiled = compile(own);
  std::error_code ignored;
  if (compiling.valid()) {
    const Compiled ofBaseline = compiling.get();
    unfused = unfusedReference(original, ofBaseline);
    fs::remove(ofBaseline.program, ignored);
  }
  const Run other = unfused && !unfused->saysNothing() ? runUnfused(own, compiled) : Run();
  fs::remove(compiled.program, ignored);
  return other.seen && ownExitCode(other.end) == unfused->exitCode &&
         differenceFrom(*unfused, other.seen->copies).empty() &&
         differenceOfOutput(*unfused, *other.seen, manifest.tolerance).empty();
}

/// Runs it once more, with every copy from the device written to that file.
bool CandidateRuns::writeDown(const Candidate &candidate, const Compiled &compiled,
                              const fs::path &log) const {
  Run again = run(candidate, compiled, Purpose::Comparing, log);
  return again.seen && again.seen->error.empty() && ownExitCode(again.end) == wanted->exitCode;
}

bool CandidateRuns::writeDownBaseline() {
  if (!baselineCopies.empty())
    return true;
  Candidate again = theBaseline();
  again.id += ".again"; // compilers ahead of us may be at work on files of its own name
  Compiled compiled = compile(again);
  const fs::path log = work / "baseline.copies";
  const bool isWritten = !compiled.program.empty() && writeDown(again, compiled, log);
  std::error_code ignored;
  fs::remove(compiled.program, ignored);
  if (isWritten)
    baselineCopies = log;
  else
    fs::remove(log, ignored);
  return isWritten;
}

/// What is further from the baseline than the tolerance lets it be; empty where nothing is.
std::string CandidateRuns::tooFarApart(const Candidate &candidate, const Compiled &compiled) {
  constexpr const char *kUnknown =
      "not bit-identical, and the device-to-host copies could not be recorded to compute the error";
  if (!writeDownBaseline())
    return kUnknown;
  const fs::path log = work / (candidate.id + ".copies");
  const bool isWritten = writeDown(candidate, compiled, log);
  uint64_t copies = 0;
  auto counts = [this](uint64_t copy) {
    return copy <= wanted->copies.size() && !wanted->copies[copy - 1].bits.empty();
  };
  auto difference =
      verify::compareLogs(baselineCopies.string(), log.string(), manifest.tolerance, copies, counts);
  std::error_code ignored;
  fs::remove(log, ignored);
  if (difference)
    return verify::textOf(*difference);
  // A disk that is full ends a file early, and nothing but its beginning was compared.
  return isWritten && copies == wanted->copies.size() ? "" : kUnknown;
}

/// Other bits are not always another result.
CandidateRuns::Verdict CandidateRuns::reconsidered(const Candidate &candidate, const Compiled &compiled,
                                                   const Verdict &verdict) {
  Verdict found = verdict;
  if (!manifest.tolerance.isExact() && !wanted->copies.empty()) { // it was applied to what is printed
    found.reason = tooFarApart(candidate, compiled);
    if (found.reason.empty())
      return {Status::Measured,
              "not bit-identical, but within " + verify::textOf(manifest.tolerance) + " of the baseline"};
  }
  if (StopOnInterrupt::isAsked())
    return found; // what it would take to know better is not wanted any more
  if (differsByFusionOnly(candidate))
    return {Status::Measured, "not bit-identical: other multiply-adds are fused"};
  return found;
}

/// Why a run is no result; Measured where it may be one.
CandidateRuns::Verdict CandidateRuns::verdictOf(const Run &run, double limit) {
  const auto &[end, seen] = run;
  if (!seen && end.timedOut)
    return {Status::TimedOut, "still running after " + inSeconds(limit)};
  if (!seen && end.signal)
    return {Status::Crashed,
            withLastLine("ended by signal " + std::to_string(end.signal) + " (" + strsignal(end.signal) + ")",
                         end.standardOutput)};
  if (!seen)
    return {Status::Crashed,
            withLastLine("exit code " + std::to_string(end.exitCode) + " and no launch was seen",
                         end.standardOutput)};
  if (!seen->error.empty())
    return {Status::Crashed, seen->error};
  if (seen->kernels.empty())
    return {Status::Crashed, withLastLine(std::string(noLaunch), end.standardOutput)};
  for (const KernelTime &time : seen->kernels)
    if (time.samples == 0)
      return {Status::Crashed, "no time could be taken of " + time.kernel};
  return {};
}

/// How it compares with the baseline; Measured where it is the same.
CandidateRuns::Verdict CandidateRuns::compared(const Run &run) const {
  const Reference &reference = *wanted;
  const Observation &seen = *run.seen;
  std::optional<int> code = ownExitCode(run.end);
  const bool endsDifferently = code && *code != reference.exitCode;
  const std::string difference = manifest.comparesCopies ? differenceFrom(reference, seen.copies) : "";
  // A program that checks itself ends differently because it produced something else; one that gave up
  // produced less.
  const bool gaveUp = endsDifferently && seen.copies.size() != reference.copies.size();
  if (!difference.empty() && !gaveUp)
    return {Status::Wrong, difference};
  if (endsDifferently)
    return {Status::Crashed, withLastLine("exit code " + std::to_string(*code) + ", the baseline's is " +
                                              std::to_string(reference.exitCode),
                                          run.end.standardOutput)};
  if (manifest.comparesCopies)
    if (std::string line = differenceOfOutput(reference, seen, manifest.tolerance); !line.empty())
      return {Status::Wrong, line};
  return {Status::Measured, noteOn(reference, seen, manifest.comparesCopies)};
}

/// The baseline's second run, and what both agree on. What is in the way, or nothing.
std::string CandidateRuns::becomeReference(const Candidate &candidate, const Compiled &compiled,
                                           const Run &first) {
  Run second = run(candidate, compiled, Purpose::Comparing);
  Verdict verdict = verdictOf(second, manifest.runSeconds);
  if (verdict.status != Status::Measured)
    return "the second of two runs: " + verdict.reason;
  std::optional<int> code = ownExitCode(first.end);
  if (!code || code != ownExitCode(second.end))
    return "two runs end differently";
  baseline = candidate;
  wanted = referenceOf(candidate.id, *code, *first.seen, *second.seen);
  return "";
}

/// Whatever became of it, it is known of this device only.
Result CandidateRuns::onDevice(Result result) const {
  if (wanted)
    result.device = wanted->device;
  return result;
}

Result CandidateRuns::measure(const Candidate &candidate, const Compiled &compiled) {
  if (compiled.program.empty())
    return onDevice(compiled.failure);
  Run observed = run(candidate, compiled, Purpose::Timing);
  Verdict verdict = verdictOf(observed, manifest.runSeconds);
  if (verdict.status == Status::Measured && !wanted)
    if (std::string problem = becomeReference(candidate, compiled, observed); !problem.empty())
      verdict = {Status::Crashed, problem};
  if (verdict.status == Status::Measured)
    verdict = compared(observed);
  if (verdict.status == Status::Wrong && ownExitCode(observed.end) == wanted->exitCode)
    verdict = reconsidered(candidate, compiled, verdict);
  Result result = onDevice(resultNow(candidate.id, verdict.status, verdict.reason));
  if (verdict.status == Status::Measured)
    addTimes(result, *observed.seen, compiled.spillBytes);
  result.compileSeconds = compiled.seconds;
  result.runSeconds = observed.end.seconds;
  return result;
}

Result CandidateRuns::compileAndMeasure(const Candidate &candidate) {
  Compiled compiled = compile(candidate);
  Result result = measure(candidate, compiled);
  std::error_code ignored;
  fs::remove(compiled.program, ignored);
  return result;
}

} // namespace heddle::runner
