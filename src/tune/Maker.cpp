// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Maker.h"

#include "arch/Arch.h"
#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "transform/Assumptions.h"
#include "transform/DirectiveMessage.h"
#include "transform/Pipeline.h"
#include "transform/Pragmas.h"
#include "tune/BlockSize.h"
#include "tune/Needs.h"
#include "verify/LaunchChecks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using Json = nlohmann::json;
using runner::Status;

// A check that is not through by then leaves the decision on the candidate to its run, which is done anyway.
constexpr double mostCheckSeconds = 20;

} // namespace

/// What a process of its own finds out about a configuration.
struct CudaMaker::Finding {
  Status status = Status::Measured; ///< here: made
  std::string reason, text;
  std::string fails; ///< what the static check says
  std::string ptx;   ///< empty where it is not needed
};

namespace {

using Finding = CudaMaker::Finding;

std::string toText(const Finding &finding) {
  Json json = {{"status", runner::nameOf(finding.status)},
               {"reason", finding.reason},
               {"fails", finding.fails},
               {"bytes", finding.text.size()}};
  // The file's text is by itself: it may hold bytes that JSON would not give back as they were.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + finding.text + finding.ptx;
}

std::optional<Finding> findingFrom(const std::string &answer) {
  const size_t end = answer.find('\n');
  Json json = Json::parse(answer.substr(0, end), nullptr, false);
  if (end == std::string::npos || !json.is_object())
    return std::nullopt;
  const size_t bytes = json["bytes"];
  return Finding{runner::statusNamed(json["status"]).value_or(Status::Lost), json["reason"],
                 answer.substr(end + 1, bytes), json["fails"], answer.substr(end + 1 + bytes)};
}

/// The first finding, with its line.
std::string firstReason(const Diagnostics &diagnostics) {
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity == Severity::Refusal || each.severity == Severity::Error ||
        each.severity == Severity::InternalError) {
      const std::string text = transform::withoutRule(each.text);
      return each.location.line ? fmt::format("line {}: {}", each.location.line, text) : text;
    }
  return "no reason was given";
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

// --- Making the text -----------------------------------------------------------------------------------

/// Reads the file for what it launches; a failure where it cannot be read.
std::unique_ptr<source::Program> parsed(const Problem &problem, const std::string &text,
                                        const source::CompileOptions &options, Finding &finding) {
  auto result = source::Program::parseText(problem.file.string(), text, options);
  if (auto *program = std::get_if<std::unique_ptr<source::Program>>(&result))
    return std::move(*program);
  finding.status = Status::DoesNotCompile;
  finding.reason = firstLine(std::get<source::ParseFailure>(result).compilerMessages);
  return nullptr;
}

source::CompileOptions readingOptions(const Problem &problem, const Configuration &configuration) {
  source::CompileOptions options = problem.compile;
  for (const std::string &define : configuration.defines)
    options.userArguments.push_back("-D" + define);
  return options;
}

bool changeBlock(const Problem &problem, const Configuration &configuration, Finding &finding) {
  if (configuration.block.empty())
    return true;
  auto program = parsed(problem, finding.text, readingOptions(problem, configuration), finding);
  if (!program)
    return false;
  auto changed = withBlock(*program, finding.text, problem.kernel, configuration.block);
  if (auto *none = std::get_if<NoBlock>(&changed)) {
    finding.status = Status::Refused;
    finding.reason = none->reason;
    return false;
  }
  finding.text = std::get<std::string>(changed);
  return true;
}

bool carryOut(const Problem &problem, const Configuration &configuration,
              const std::set<KernelLines> &kernels, Finding &finding) {
  if (configuration.directives.empty())
    return true;
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(problem.arch, diagnostics);
  transform::Options options;
  options.compile = readingOptions(problem, configuration);
  options.block = problem.block;
  options.arch = arch ? &*arch : nullptr;
  options.kernel = problem.kernel;
  transform::assume(problem.assumptions, options);
  // Where pragmas can say it, they are what is carried out: so a tuned file that holds them gives the very
  // same text. (Names that directives invent depend on what was there before them.)
  std::vector<transform::Directive> directives = configuration.directives;
  std::string text = finding.text;
  if (speaksOfKernelsOnly(configuration) && !kernels.empty()) {
    text = placements(text, configuration, kernels).front();
    directives.clear();
  }
  transform::Outcome outcome =
      transform::applyDirectives(problem.file, text, directives, options, diagnostics);
  if (outcome.kind == transform::Outcome::Kind::Done) {
    finding.text = outcome.text;
    return true;
  }
  const bool isUnusable = outcome.kind == transform::Outcome::Kind::Unusable;
  finding.status = isUnusable ? Status::DoesNotCompile : Status::Refused;
  finding.reason = isUnusable ? firstLine(outcome.compilerMessages) : firstReason(diagnostics);
  return false;
}

// --- What is known of it before it runs ----------------------------------------------------------------

/// What fails, in a sentence; empty where nothing does, or where nothing can be said.
std::string staticFailure(const Problem &problem, const Configuration &configuration, const std::string &text,
                          const std::string &ptx) {
  Finding ignored;
  auto program = parsed(problem, text, readingOptions(problem, configuration), ignored);
  Diagnostics diagnostics;
  ptx::Module module = ptx::parse(ptx, "", diagnostics);
  if (!program || diagnostics.has(Severity::Error))
    return {};
  for (const verify::LaunchChecks::Kernel &each :
       verify::checkLaunches(*program, module, mostCheckSeconds).kernels)
    if (each.result.verdict == check::Verdict::Fails)
      return each.result.findings.empty()
                 ? fmt::format("'{}' fails the static check", each.name)
                 : fmt::format("line {}: {}", each.result.findings.front().location.line,
                               each.result.findings.front().text);
  return {};
}

void lookAtDeviceCode(const Problem &problem, const Configuration &configuration, bool checks,
                      Finding &finding) {
  TemporaryFolder folder;
  build::Request request;
  request.sources = sourcesFor(problem, {folder.path() / problem.file.filename()},
                               withoutAssemblerFlags(configuration.compilerFlags()));
  request.arch = problem.arch;
  request.compiler = problem.compiler;
  writeFileOrThrow(request.sources.files.front(), finding.text);
  Diagnostics ignored;
  build::DevicePtx device = build::compileToPtx(request, ignored);
  if (!device.ok)
    return; // building the whole program will say why
  finding.ptx = device.text;
  if (checks)
    finding.fails = staticFailure(problem, configuration, finding.text, device.text);
}

Finding carriedOut(const Problem &problem, const Configuration &configuration,
                   const std::set<KernelLines> &kernels, bool checks) {
  Finding finding;
  finding.text = problem.text;
  if (!changeBlock(problem, configuration, finding) || !carryOut(problem, configuration, kernels, finding))
    return finding;
  const bool isAssembled = source::findToolkit(problem.compile.cudaPath).has_value();
  if (checks || isAssembled)
    lookAtDeviceCode(problem, configuration, checks, finding);
  return finding;
}

/// ptxas gets a limit too: some flags of its keep it busy for hours.
std::map<std::string, KernelNeeds> needsWithin(const Problem &problem, const std::vector<std::string> &flags,
                                               const std::string &ptx) {
  std::map<std::string, KernelNeeds> needs;
  if (ptx.empty())
    return needs;
  ProcessResult answer = runInCopy(problem.limits.make, [&] {
    Json json = Json::object();
    for (const auto &[kernel, each] : needsOf(problem, flags, ptx))
      json[kernel] = {each.registers, each.spillBytes, each.sharedBytes};
    return json.dump();
  });
  Json json = Json::parse(answer.standardOutput, nullptr, false);
  if (json.is_object())
    for (const auto &[kernel, each] : json.items())
      needs[kernel] = {each[0], each[1], each[2], false};
  return needs;
}

} // namespace

/// Where the kernels are, which takes reading the file: once for each set of definitions. Other blocks move
/// no line.
const std::set<KernelLines> &CudaMaker::kernelsWith(const std::vector<std::string> &defines) {
  auto [found, isNew] = kernels.try_emplace(defines);
  if (!isNew)
    return found->second;
  ProcessResult answer = runInCopy(problem.limits.make, [&] {
    Finding ignored;
    Configuration configuration;
    configuration.defines = defines;
    std::string lines;
    if (auto program = parsed(problem, problem.text, readingOptions(problem, configuration), ignored))
      for (const KernelLines &kernel : kernelsMeant(*program, problem.kernel))
        lines += fmt::format("{} {}\n", kernel.first, kernel.last);
    return lines;
  });
  std::istringstream lines(answer.standardOutput);
  for (KernelLines kernel; lines >> kernel.first >> kernel.last;)
    found->second.insert(kernel);
  return found->second;
}

CudaMaker::CudaMaker(const Problem &problem) : problem(problem) {}
CudaMaker::~CudaMaker() = default;

/// Candidates that differ by flags for the assembler alone have one text, which is made once. A failure of
/// the process that makes it (it took too long, it fell over) is left in `made`.
const Finding *CudaMaker::findingOf(const Configuration &configuration, Made &made) {
  Configuration own = configuration;
  own.flags = withoutAssemblerFlags(configuration.flags);
  std::unique_ptr<Finding> &known = findings[own.str()];
  if (known)
    return known.get();
  const bool checks = problem.checked && whyBaselineFails.empty();
  static const std::set<KernelLines> none;
  const std::set<KernelLines> &lines = own.directives.empty() ? none : kernelsWith(own.defines);
  ProcessResult answer =
      runInCopy(problem.limits.make, [&] { return toText(carriedOut(problem, own, lines, checks)); });
  made.seconds = answer.seconds;
  std::optional<Finding> finding = findingFrom(answer.standardOutput);
  if (answer.succeeded() && finding) {
    known = std::make_unique<Finding>(std::move(*finding));
    return known.get();
  }
  made.status = answer.timedOut ? Status::TimedOut : Status::Refused;
  made.reason = fmt::format("making it {}", whyFailed(answer));
  return nullptr;
}

Made CudaMaker::make(const Configuration &configuration) {
  Made made;
  const Finding *finding = findingOf(configuration, made);
  if (!finding)
    return made;
  if (configuration.isBaseline())
    whyBaselineFails = made.failsCheck = finding->fails;
  const bool fails = whyBaselineFails.empty() && !finding->fails.empty();
  if (finding->status != Status::Measured || fails) {
    made.status = fails ? Status::FailsCheck : finding->status;
    made.reason = fails ? finding->fails : finding->reason;
    return made;
  }
  Candidate candidate;
  candidate.id = problem.idOf(configuration);
  candidate.configuration = configuration;
  candidate.files = {{problem.file.filename().string(), finding->text, true}};
  candidate.flags = configuration.compilerFlags();
  std::vector<std::string> identity = candidate.flags;
  identity.push_back(finding->text);
  candidate.digest = digestOf(identity);
  candidate.needs =
      needsWithin(problem, flagsFor(problem, candidate.flags, build::Compiler::Nvcc), finding->ptx);
  made.candidate = std::move(candidate);
  return made;
}

std::string withoutPragmas(const std::string &file, std::string text) {
  while (std::optional<transform::Pragma> pragma = transform::firstPragma(file, text)) {
    size_t begin = 0;
    for (unsigned line = 1; line < pragma->line; ++line)
      begin = text.find('\n', begin) + 1;
    text.erase(begin, std::min(text.find('\n', begin), text.size()) - begin);
  }
  return text;
}

build::Sources sourcesFor(const Problem &problem, const std::vector<fs::path> &files,
                          const std::vector<std::string> &own) {
  build::Sources sources;
  sources.files = files;
  sources.flags = problem.flags;
  std::error_code ignored;
  sources.flags.push_back("-I" + fs::absolute(problem.file, ignored).parent_path().string());
  sources.flags.insert(sources.flags.end(), own.begin(), own.end());
  sources.ownFlags = problem.ownFlags;
  // What is not one of the program's files was made from the tuned one.
  const auto tuned = problem.ownFlags.find(problem.file);
  for (const fs::path &file : files)
    if (tuned != problem.ownFlags.end() && std::ranges::find(problem.further, file) == problem.further.end())
      sources.ownFlags[file] = tuned->second;
  return sources;
}

std::vector<std::string> flagsFor(const Problem &problem, const std::vector<std::string> &own,
                                  build::Compiler compiler) {
  return sourcesFor(problem, {}, own).flagsOf(problem.file, compiler);
}

std::vector<fs::path> writeFiles(const Candidate &candidate, const Problem &problem, const fs::path &folder) {
  std::vector<fs::path> paths;
  for (const Candidate::File &file : candidate.files) {
    writeFileOrThrow(folder / file.name, file.text);
    if (file.isCompiled)
      paths.push_back(folder / file.name);
  }
  paths.insert(paths.end(), problem.further.begin(), problem.further.end());
  return paths;
}

} // namespace heddle::tune
