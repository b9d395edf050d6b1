// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Maker.h"

#include "arch/Arch.h"
#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "support/Demangle.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/StartedProcess.h"
#include "transform/Assumptions.h"
#include "transform/DirectiveMessage.h"
#include "transform/Includes.h"
#include "transform/Pipeline.h"
#include "transform/Pragmas.h"
#include "tune/BlockSize.h"
#include "tune/Needs.h"
#include "tune/PinnedLaunch.h"
#include "verify/LaunchChecks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <sstream>
#include <utility>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using PlainJson = nlohmann::json;
using runner::Status;

// A check that is not through by then leaves the decision on the candidate to its run, which is done anyway.
constexpr double mostCheckSeconds = 20;

} // namespace

/// What a process of its own finds out about a configuration.
struct CudaMaker::Finding {
  Status status = Status::Measured; ///< here: made
  std::string reason, text;
  std::string fails;                  ///< what the static check says
  std::string ptx;                    ///< empty where it is not needed
  std::optional<ReplayLaunch> launch; ///< where a launch was captured, and can be replayed with this code
  std::string whyNotReplayed;
};

namespace {

using Finding = CudaMaker::Finding;

PlainJson toJson(const ReplayLaunch &launch) {
  return {{"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"shared_bytes", launch.sharedBytes},
          {"cooperative", launch.isCooperative}};
}

ReplayLaunch launchFrom(const PlainJson &json) {
  return {json.at("kernel"), json.at("grid"), json.at("block"), json.at("shared_bytes"),
          json.at("cooperative")};
}

std::string toText(const Finding &finding) {
  PlainJson json = {{"status", runner::nameOf(finding.status)},
                    {"reason", finding.reason},
                    {"fails", finding.fails},
                    {"bytes", finding.text.size()},
                    {"not_replayed", finding.whyNotReplayed}};
  if (finding.launch)
    json["launch"] = toJson(*finding.launch);
  // The file's text is by itself: it may hold bytes that JSON would not give back as they were.
  return json.dump(-1, ' ', false, PlainJson::error_handler_t::replace) + "\n" + finding.text + finding.ptx;
}

std::optional<Finding> findingFrom(const std::string &answer) {
  const size_t end = answer.find('\n');
  PlainJson json = PlainJson::parse(answer.substr(0, end), nullptr, false);
  if (end == std::string::npos || !json.is_object())
    return std::nullopt;
  const size_t bytes = json["bytes"];
  Finding finding{runner::statusNamed(json["status"]).value_or(Status::Lost),
                  json["reason"],
                  answer.substr(end + 1, bytes),
                  json["fails"],
                  answer.substr(end + 1 + bytes),
                  {},
                  json["not_replayed"]};
  if (json.contains("launch"))
    finding.launch = launchFrom(json["launch"]);
  return finding;
}

/// The first finding, with its line.
/// The line that `line` of `text` was in `before`, to which `text` only adds lines.
unsigned lineBefore(const std::string &before, const std::string &text, unsigned line) {
  std::istringstream old(before), now(text);
  std::string oldLine, nowLine;
  unsigned number = 0;
  bool hasOld = bool(std::getline(old, oldLine));
  for (unsigned i = 1; i <= line && std::getline(now, nowLine); ++i)
    if (hasOld && nowLine == oldLine) {
      ++number;
      hasOld = bool(std::getline(old, oldLine));
    }
  return number;
}

/// "vadd.cu:15: the block of this launch is ...". The candidate is named beside it, so the message need not.
std::string firstReason(const Diagnostics &diagnostics, const Problem &problem,
                        const std::vector<transform::Directive> &directives,
                        const std::function<unsigned(unsigned)> &givenLine) {
  for (const Diagnostic &each : diagnostics.all()) {
    if (each.severity != Severity::Refusal && each.severity != Severity::Error &&
        each.severity != Severity::InternalError)
      continue;
    std::string text = transform::withoutRule(each.text);
    if (directives.size() == 1)
      text = transform::withoutDirective(directives.front(), text);
    if (!each.location.line)
      return text;
    const bool isOurs = each.location.file == problem.file.string();
    return fmt::format("{}:{}: {}", std::filesystem::path(each.location.file).filename().string(),
                       isOurs ? givenLine(each.location.line) : each.location.line, text);
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
  if (configuration.blocks.empty())
    return true;
  auto program = parsed(problem, finding.text, readingOptions(problem, configuration), finding);
  if (!program)
    return false;
  auto changed = withBlocks(*program, finding.text, problem.kernel, configuration.blocks);
  if (auto *none = std::get_if<NoBlock>(&changed)) {
    finding.status = Status::Refused;
    finding.reason = none->reason;
    return false;
  }
  finding.text = std::get<std::string>(changed);
  return true;
}

/// Which line of a text each line of a candidate comes from that directives made of it.
struct CandidateLines {
  std::string before, withPragmas;         ///< the text, and what was carried out
  std::vector<source::LineOrigin> origins; ///< in the latter; empty where nothing was carried out

  /// 0 for a line that is new.
  unsigned given(unsigned line) const {
    if (origins.empty())
      return line;
    const source::LineOrigin origin = line <= origins.size() ? origins[line - 1] : source::LineOrigin();
    return origin.file.empty() && origin.line ? lineBefore(before, withPragmas, origin.line) : 0;
  }
};

bool carryOut(const Problem &problem, const Configuration &configuration,
              const std::set<KernelLines> &kernels, Finding &finding, CandidateLines &lines) {
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
    lines = {std::exchange(finding.text, outcome.text), text, outcome.origins};
    return true;
  }
  const bool isUnusable = outcome.kind == transform::Outcome::Kind::Unusable;
  finding.status = isUnusable ? Status::DoesNotCompile : Status::Refused;
  finding.reason = isUnusable
                       ? firstLine(outcome.compilerMessages)
                       : firstReason(diagnostics, problem, configuration.directives,
                                     [&](unsigned line) { return lineBefore(finding.text, text, line); });
  return false;
}

// --- What is known of it before it runs ----------------------------------------------------------------

/// "scale.cu:20: ", the line of the user's file that a line of a candidate's text comes from; empty where there is none.
using PlaceOfLine = std::function<std::string(const SourceLocation &)>;

/// What fails, in a sentence; empty where nothing does, or where nothing can be said.
std::string staticFailure(const source::Program &program, const std::string &ptx,
                          const PlaceOfLine &placeOf) {
  Diagnostics diagnostics;
  ptx::Module module = ptx::parse(ptx, "", diagnostics);
  if (diagnostics.has(Severity::Error))
    return {};
  for (const verify::LaunchChecks::Kernel &each :
       verify::checkLaunches(program, module, mostCheckSeconds).kernels)
    if (each.result.verdict == check::Verdict::Fails)
      return each.result.findings.empty()
                 ? fmt::format("'{}' fails the static check", each.name)
                 : placeOf(each.result.findings.front().location) + each.result.findings.front().text;
  return {};
}

/// The PTX of the text; empty where it does not compile, and building the whole program will say why.
std::string deviceCode(const Problem &problem, const Configuration &configuration, const std::string &text) {
  TemporaryFolder folder;
  build::Request request;
  request.sources = sourcesFor(problem, {folder.path() / problem.file.filename()},
                               withoutAssemblerFlags(configuration.compilerFlags()));
  request.arch = problem.arch;
  request.compiler = problem.compiler;
  request.cache = build::CompileCache::ofUser(build::SourcePlace::Ignored);
  writeFileOrThrow(request.sources.files.front(), text);
  Diagnostics ignored;
  build::DevicePtx device = build::compileToPtx(request, ignored);
  return device.ok ? device.text : "";
}

/// The captured kernel in the text with its launches pinned.
struct PinnedKernel {
  CapturedName name;       ///< which directives keep
  bool movesLines = false; ///< the text has an included file in the place of its #include
};

/// Includes that lead to each other are put in place one after the other; so many are enough.
constexpr unsigned mostIncludes = 20;

/// Puts the file that launches the captured kernel in the place of its #include. False where that cannot be done.
bool putIncludedInPlace(const source::Program &program, const fs::path &included, Finding &finding) {
  auto embedded = transform::embedInclude(program, finding.text, included);
  if (std::holds_alternative<Diagnostic>(embedded))
    return false;
  source::MappedText text(finding.text);
  transform::putInPlace(std::get<transform::Embedded>(embedded), text);
  finding.text = text.str();
  return true;
}

/// Gives the launches of the captured kernel their numbers.
bool pinLaunch(const Problem &problem, const Configuration &configuration, Finding &finding,
               PinnedKernel &kernel, unsigned includes = 0) {
  auto program = parsed(problem, finding.text, readingOptions(problem, configuration), finding);
  if (!program)
    return false;
  for (const auto &each : program->kernels())
    if (isSameFunction(each->mangledName, problem.captured->kernel))
      kernel.name = {each->plainName, each->name, std::move(kernel.name.launch)};
  if (includes == 0) // with a file in the place of its #include, lines are others
    kernel.name.launch = firstLaunchOf(*program, problem.captured->kernel);
  std::string sizes;
  for (const BlockSizes &block : configuration.blocks)
    if (block.kernel.empty() || block.kernel == kernel.name.plain)
      sizes = block.sizes;
  std::set<std::string> names; // of varied macros
  for (const std::string &define : configuration.defines)
    names.insert(define.substr(0, define.find('=')));
  auto launch = withDefinitions(*program, *problem.captured, names);
  if (auto *defined = std::get_if<ReplayLaunch>(&launch))
    launch = withBlockSizes(*program, *defined, sizes);
  if (auto *why = std::get_if<NotReplayed>(&launch)) {
    finding.whyNotReplayed = why->reason;
    return true;
  }
  auto pinned = withPinnedLaunch(*program, std::get<ReplayLaunch>(launch));
  const auto *why = std::get_if<NotReplayed>(&pinned);
  if (why && !why->included.empty() && includes < mostIncludes &&
      putIncludedInPlace(*program, why->included, finding)) {
    kernel.movesLines = true;
    return pinLaunch(problem, configuration, finding, kernel, includes + 1);
  }
  if (why)
    finding.whyNotReplayed = why->reason;
  else
    finding.text = std::get<std::string>(pinned);
  return true;
}

void findLaunch(const Problem &problem, const source::Program &program, const CapturedName &kernel,
                Finding &finding) {
  if (!finding.whyNotReplayed.empty())
    return;
  auto launch = launchIn(program, kernel, *problem.captured);
  if (auto *why = std::get_if<NotReplayed>(&launch))
    finding.whyNotReplayed = why->reason;
  else
    finding.launch = std::get<ReplayLaunch>(launch);
  if (finding.launch)
    finding.launch->kernel = nameInModule(finding.launch->kernel, finding.ptx);
}

Finding carriedOut(const Problem &problem, const Configuration &configuration,
                   const std::set<KernelLines> &kernels, bool checks) {
  Finding finding;
  finding.text = problem.text;
  PinnedKernel kernel; // that was captured
  CandidateLines lines;
  if (!changeBlock(problem, configuration, finding) ||
      (problem.captured && !pinLaunch(problem, configuration, finding, kernel)) ||
      !carryOut(problem, configuration, kernel.movesLines ? std::set<KernelLines>() : kernels, finding,
                lines))
    return finding;
  const bool isAssembled = source::findToolkit(problem.compile.cudaPath).has_value();
  if (checks || isAssembled || problem.captured)
    finding.ptx = deviceCode(problem, configuration, finding.text);
  if (!problem.captured && (!checks || finding.ptx.empty()))
    return finding;
  Finding ignored;
  auto program = parsed(problem, finding.text, readingOptions(problem, configuration), ignored);
  if (program && problem.captured)
    findLaunch(problem, *program, kernel.name, finding);
  const auto placeOf = [&](const SourceLocation &location) {
    const fs::path file = fs::path(location.file).filename();
    unsigned line = location.line;
    if (file == problem.file.filename())
      line = kernel.movesLines ? 0 : lines.given(line);
    return line ? fmt::format("{}:{}: ", file.string(), line) : "";
  };
  if (program && checks && !finding.ptx.empty())
    finding.fails = staticFailure(*program, finding.ptx, placeOf);
  return finding;
}

/// What ptxas reports on the PTX, as text. The module is written to that file, where one is named: where there is no ptxas, it is
/// the PTX, which a driver assembles itself and the simulator executes.
std::string assembled(const Problem &problem, const std::vector<std::string> &flags, const std::string &ptx,
                      const fs::path &module) {
  const bool isPtx = problem.replaysPtx || !source::findToolkit(problem.compile.cudaPath);
  if (!module.empty() && isPtx)
    writeFileOrThrow(module, ptx);
  PlainJson json = PlainJson::object();
  for (const auto &[kernel, each] : needsOf(problem, flags, ptx, isPtx ? fs::path() : module))
    json[kernel] = {each.registers, each.spillBytes, each.sharedBytes};
  return json.dump();
}

/// Without comments and without what says where lines come from: that is another place for each candidate.
std::string codeOf(const std::string &ptx) {
  std::string code;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(" \t");
    const std::string_view words =
        begin == std::string::npos ? std::string_view() : std::string_view(line).substr(begin);
    if (!words.empty() && !words.starts_with("//") && !words.starts_with(".file") &&
        !words.starts_with(".loc"))
      code += std::string(words) + "\n";
  }
  return code;
}

std::map<std::string, KernelNeeds> needsFrom(const std::string &text) {
  std::map<std::string, KernelNeeds> needs;
  const PlainJson json = PlainJson::parse(text, nullptr, false);
  if (json.is_object())
    for (const auto &[kernel, each] : json.items())
      needs[kernel] = {each[0], each[1], each[2], false};
  return needs;
}

/// What is known at once.
class AlreadyMade final : public Making {
public:
  explicit AlreadyMade(Made made) : result(std::move(made)) {}
  bool isOver() override { return true; }
  Made made() override { return result; }

private:
  Made result;
};

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
        lines += fmt::format("{} {} {}\n", kernel.first, kernel.last, kernel.name);
    return lines;
  });
  std::istringstream lines(answer.standardOutput);
  for (KernelLines kernel; lines >> kernel.first >> kernel.last >> kernel.name;)
    found->second.insert(kernel);
  return found->second;
}

/// A finding that a copy of this process is working on, or that is there. Candidates that differ by flags for the assembler
/// alone have one text, which is made once.
class CudaMaker::FindingOut {
public:
  FindingOut(double seconds, std::function<std::string()> work)
      : copy(std::in_place, seconds, std::move(work)) {}

  bool isOver() {
    if (copy && copy->isOver())
      take();
    return !copy;
  }
  /// Waits. Null where the copy failed (it took too long, it crashed): `why` has the reason.
  const Finding *finding() {
    if (copy)
      take();
    return found ? &*found : nullptr;
  }

  Status status = Status::Refused; ///< where there is no finding
  std::string why;
  double seconds = 0;

private:
  void take() {
    const ProcessResult &answer = copy->result();
    seconds = answer.seconds;
    if (answer.succeeded())
      found = findingFrom(answer.standardOutput);
    if (!found) {
      status = answer.timedOut ? Status::TimedOut : Status::Refused;
      why = fmt::format("making it {}", whyFailed(answer));
    }
    copy.reset();
  }

  std::optional<StartedCopy> copy;
  std::optional<Finding> found;
};

std::shared_ptr<CudaMaker::FindingOut> CudaMaker::findingOf(const Configuration &configuration) {
  Configuration own = configuration;
  own.flags = withoutAssemblerFlags(configuration.flags);
  std::shared_ptr<FindingOut> &known = findings[own.str()];
  // One that failed may have had bad luck: a loaded machine, a limit that was near.
  if (known && (!known->isOver() || known->finding()))
    return known;
  const bool checks = problem.checked && whyBaselineFails.empty();
  static const std::set<KernelLines> none;
  const std::set<KernelLines> &lines = own.directives.empty() ? none : kernelsWith(own.defines);
  known = std::make_shared<FindingOut>(problem.limits.make,
                                       [&] { return toText(carriedOut(problem, own, lines, checks)); });
  return known;
}

/// PTX that a copy of this process assembles, with these flags of the compiler. Texts that differ may have the same PTX, which is
/// assembled once.
class CudaMaker::Assembling {
public:
  Assembling(const Problem &problem, std::vector<std::string> flags, const std::string &ptx, fs::path module)
      : module(std::move(module)), copy(std::in_place, problem.limits.make, [&, flags = std::move(flags)] {
          return assembled(problem, flags, ptx, this->module);
        }) {}

  bool isOver() {
    if (copy && copy->isOver())
      take();
    return !copy;
  }
  /// Waits.
  const std::map<std::string, KernelNeeds> &needs() {
    if (copy)
      take();
    return found;
  }

  const fs::path module; ///< empty where none is wanted

private:
  void take() {
    found = needsFrom(copy->result().standardOutput);
    copy.reset();
  }

  std::optional<StartedCopy> copy;
  std::map<std::string, KernelNeeds> found;
};

/// The text first, which others may wait for too, then the assembler, which gets a limit as well: some flags of its keep it busy
/// for hours.
class CudaMaker::CudaMaking final : public Making {
public:
  CudaMaking(CudaMaker &maker, const Configuration &configuration)
      : maker(maker), configuration(configuration), finding(maker.findingOf(configuration)) {}

  bool isOver() override { return finding->isOver() && (!isAssembled() || assembling().isOver()); }

  Made made() override {
    Made made;
    const Finding *found = finding->finding();
    made.seconds = finding->seconds;
    if (!found) {
      made.status = finding->status;
      made.reason = finding->why;
      return made;
    }
    if (configuration.isBaseline())
      maker.whyBaselineFails = made.failsCheck = found->fails;
    if (failsCheck() || found->status != Status::Measured) {
      made.status = failsCheck() ? Status::FailsCheck : found->status;
      made.reason = failsCheck() ? found->fails : found->reason;
      return made;
    }
    made.candidate = candidate();
    if (isAssembled())
      made.candidate->needs = assembling().needs();
    if (maker.problem.captured)
      made.candidate->replay = replayCode(*found);
    return made;
  }

private:
  /// Asked where the finding is there.
  bool failsCheck() { return maker.whyBaselineFails.empty() && !finding->finding()->fails.empty(); }
  bool isAssembled() {
    const Finding *found = finding->finding();
    return found && found->status == Status::Measured && !failsCheck() && !found->ptx.empty();
  }

  Assembling &assembling() {
    if (assembler)
      return *assembler;
    const std::string &ptx = finding->finding()->ptx;
    const auto flags = flagsFor(maker.problem, configuration.compilerFlags(), build::Compiler::Nvcc);
    std::vector<std::string> identity = assemblerFlags(flags);
    identity.push_back(codeOf(ptx));
    const std::string digest = digestOf(identity);
    std::shared_ptr<Assembling> &known = maker.assemblies[digest];
    if (!known) {
      const fs::path module =
          maker.problem.captured ? maker.modules.path() / (digest + ".module") : fs::path();
      known = std::make_shared<Assembling>(maker.problem, flags, ptx, module);
    }
    return *(assembler = known);
  }

  ReplayCode replayCode(const Finding &found) {
    std::error_code ignored;
    if (!found.launch)
      return {std::nullopt, found.whyNotReplayed, {}};
    if (!isAssembled() || !fs::exists(assembling().module, ignored))
      return {std::nullopt, "its device code could not be assembled", {}};
    return {found.launch, "", assembling().module};
  }

  Candidate candidate() {
    const std::string &text = finding->finding()->text;
    Candidate candidate;
    candidate.id = maker.problem.idOf(configuration);
    candidate.configuration = configuration;
    candidate.files = {{maker.problem.file.filename().string(), text, true}};
    candidate.flags = configuration.compilerFlags();
    std::vector<std::string> identity = candidate.flags;
    identity.push_back(text);
    candidate.digest = digestOf(identity);
    return candidate;
  }

  CudaMaker &maker;
  const Configuration configuration;
  std::shared_ptr<FindingOut> finding;
  std::shared_ptr<Assembling> assembler;
};

CudaMaker::CudaMaker(const Problem &problem) : problem(problem) {}
CudaMaker::~CudaMaker() = default;

Made CudaMaker::make(const Configuration &configuration) { return CudaMaking(*this, configuration).made(); }

std::unique_ptr<Making> CudaMaker::begin(const Configuration &configuration) {
  return std::make_unique<CudaMaking>(*this, configuration);
}

std::unique_ptr<Making> Maker::begin(const Configuration &configuration) {
  return std::make_unique<AlreadyMade>(make(configuration));
}

std::string withoutPragmas(const std::string &file, std::string text) {
  while (std::optional<transform::Pragma> pragma = transform::firstPragma(file, text)) {
    size_t begin = 0;
    for (unsigned line = 1; line < pragma->line; ++line)
      begin = text.find('\n', begin) + 1;
    for (unsigned line = 0; line < pragma->lines; ++line) {
      text.erase(begin, std::min(text.find('\n', begin), text.size()) - begin);
      begin = std::min(begin + 1, text.size());
    }
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
