// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static check: one block, unknown data, the same happens-before as the dynamic check.
//
// Accesses that may or may not happen take part in a first run as if they happened. If nothing is wrong even
// so, nothing can be. If something is, a second run leaves them out: what is still wrong is wrong for every
// input, and what is not depends on data.
#include "check/Static.h"

#include "check/Checker.h"
#include "check/Places.h"
#include "check/StaticObserver.h"
#include "check/StaticSteering.h"
#include "support/Text.h"
#include "vm/Machine.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

namespace heddle::check {
namespace {

// Where asynchronous copies come from: more than a block can have of shared memory.
constexpr uint64_t NowhereBytes = 1 << 20;
// Ways through a kernel before we say that there are too many: two or three loops and a few conditions.
constexpr unsigned MostWays = 256;

// --- what is known
// -------------------------------------------------------------------------------------------------

const vm::KernelInfo::Parameter *findParameter(const ptx::Module &module, const ptx::Function &function,
                                               const vm::KernelInfo &info, const std::string &which,
                                               unsigned &index) {
  unsigned number = 0;
  auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (error == std::errc() && end == which.data() + which.size()) {
    index = number;
    return number < info.parameters.size() ? &info.parameters[number] : nullptr;
  }
  for (index = 0; index < function.params.size() && index < info.parameters.size(); ++index)
    if (function.params[index].variable != ptx::kNone &&
        module.variables[function.params[index].variable].name == which)
      return &info.parameters[index];
  return nullptr;
}

/// The value's bytes; empty where the text is no number of that size.
std::vector<uint8_t> bytesOf(const std::string &text, uint32_t bytes) {
  std::vector<uint8_t> out(bytes, 0);
  const bool negative = text.starts_with("-");
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  uint64_t number = 0;
  const char *begin = text.data() + (negative ? 1 : hex ? 2 : 0), *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(begin, end, number, hex ? 16 : 10);
  if (error == std::errc() && stop == end && begin != end && bytes <= 8) {
    number = negative ? ~number + 1 : number;
    std::memcpy(out.data(), &number, bytes);
    return out;
  }
  char *after = nullptr;
  const double real = std::strtod(text.c_str(), &after);
  if (text.empty() || *after || (bytes != 4 && bytes != 8))
    return {};
  const float narrow = float(real);
  bytes == 4 ? std::memcpy(out.data(), &narrow, 4) : std::memcpy(out.data(), &real, 8);
  return out;
}

bool readParameters(const ptx::Module &module, const ptx::Function &function, const vm::KernelInfo &info,
                    const StaticOptions &options, Knowledge &known, Diagnostics &problems) {
  known.parameters.assign(info.parameterBytes, 0);
  known.parameterUnknown.assign(info.parameterBytes, 1);
  known.parameterOf.assign(info.parameterBytes, 0);
  for (size_t i = 0; i < info.parameters.size(); ++i)
    std::fill_n(known.parameterOf.begin() + info.parameters[i].offset, info.parameters[i].bytes, uint8_t(i));
  for (const StaticOptions::Parameter &given : options.parameters) {
    unsigned index = 0;
    const auto *parameter = findParameter(module, function, info, given.which, index);
    if (!parameter) {
      problems.error({}, fmt::format("kernel '{}' has no parameter '{}'", function.name, given.which))
          .withHint(fmt::format("it has {}, counted from 0", info.parameters.size()));
      return false;
    }
    const auto part = given.part.value_or(StaticOptions::Parameter::Part{0, uint32_t(parameter->bytes)});
    const std::vector<uint8_t> bytes = bytesOf(given.value, part.bytes);
    if (bytes.empty() || part.offset + part.bytes > parameter->bytes) {
      problems.error({}, fmt::format("'{}' is not a value for parameter {}, which has {} bytes", given.value,
                                     index, parameter->bytes));
      return false;
    }
    const size_t offset = parameter->offset + part.offset;
    std::copy(bytes.begin(), bytes.end(), known.parameters.begin() + ptrdiff_t(offset));
    std::fill_n(known.parameterUnknown.begin() + ptrdiff_t(offset), part.bytes, uint8_t(0));
  }
  known.grid = options.grid;
  known.constants = options.constantsAreKnown;
  known.blockId = options.blockId;
  if (known.grid && *known.grid == vm::Dim3{1, 1, 1} && !known.blockId)
    known.blockId = vm::Dim3{0, 0, 0};
  return true;
}

// --- runs
// ----------------------------------------------------------------------------------------------------------

struct Run {
  std::vector<Finding> findings;
  std::vector<OutsideReason> outside;
  vm::LaunchResult launch;
  bool sawDoubt = false, sawPerhaps = false, assumed = false;
  std::optional<Place> polled; ///< where threads wait by looking at shared memory
  uint64_t barriers = 0;
};

Run runOnce(vm::Machine &machine, const vm::Kernel &kernel, const Knowledge &known,
            const StaticOptions &options, Choices &choices, bool onlyWhatIsCertain) {
  StaticSteering steering(kernel, known, choices);
  FindingList list;
  CheckOptions checks;
  checks.globalMemory = false;
  Checker checker(checks, list);
  StaticObserver observer(checker, steering, onlyWhatIsCertain);
  vm::LaunchRequest request;
  request.kernel = &kernel;
  request.grid = {1, 1, 1};
  request.block = options.block;
  request.dynamicSharedBytes = options.dynamicSharedBytes;
  request.parameters = known.parameters;
  request.maxSeconds = options.maxSeconds;
  request.cores = 1;
  request.steering = &steering;
  Run run;
  run.launch = machine.launch(request, &observer);
  run.findings = list.all();
  run.outside = steering.outside();
  if (const ptx::Instr *at = steering.polledAt())
    run.polled = placeOf(*kernel.entry().module, *at);
  run.sawDoubt = observer.sawDoubt();
  run.sawPerhaps = observer.sawPerhaps();
  run.assumed = steering.hasAssumed();
  run.barriers = observer.barriers();
  return run;
}

/// What is wrong only if something happens that may not happen.
OutsideReason doubt(const Finding &finding) {
  return {finding.place, fmt::format("whether this goes wrong depends on data: {}", finding.text),
          finding.notes, ""};
}

bool isAboutOrder(const Finding &finding) {
  const Class cls = classOf(finding.rule);
  return cls == Class::Race || cls == Class::Warp || cls == Class::Async;
}

/// Accesses that threads may have ordered among themselves by flags and locks, which we do not follow.
void setAsideWhatFlagsMayOrder(std::vector<Finding> &findings, const Place &polled,
                               std::vector<OutsideReason> &outside) {
  for (const Finding &finding : findings)
    if (isAboutOrder(finding)) {
      outside.push_back(doubt(finding));
      outside.back().notes.push_back(
          {polled, "threads wait for each other here by looking at shared memory"});
    }
  std::erase_if(findings, isAboutOrder);
}

/// A kernel with all that its executions share.
struct Scene {
  vm::Machine &machine;
  const vm::Kernel &kernel;
  const Knowledge &known;
  const StaticOptions &options;
};

void addOutside(StaticResult &result, std::vector<OutsideReason> more) {
  for (OutsideReason &reason : more) {
    const bool isKnown =
        std::any_of(result.outside.begin(), result.outside.end(), [&](const OutsideReason &other) {
          return other.text == reason.text && other.place.str() == reason.place.str();
        });
    if (!isKnown)
      result.outside.push_back(std::move(reason));
  }
}

/// What one way through the kernel says, added to what others said.
void judge(StaticResult &result, Run first, const Scene &scene, Choices &choices) {
  result.warpInstructions += first.launch.warpInstructions;
  result.barriers = std::max(result.barriers, first.barriers);
  addOutside(result, std::move(first.outside));
  std::vector<Finding> sure = first.findings;
  std::vector<OutsideReason> doubts;
  if (!first.findings.empty() && first.sawDoubt) {
    Run second = runOnce(scene.machine, scene.kernel, scene.known, scene.options, choices, true);
    sure = std::move(second.findings);
    // Without what may be written, memory may seem never written.
    std::erase_if(
        sure, [&](const Finding &f) { return first.sawPerhaps && classOf(f.rule) == Class::Uninitialized; });
    if (sure.empty())
      for (const Finding &finding : first.findings)
        doubts.push_back(doubt(finding));
  }
  if (first.assumed)
    for (const Finding &finding : std::exchange(sure, {}))
      doubts.push_back(doubt(finding));
  if (first.polled)
    setAsideWhatFlagsMayOrder(sure, *first.polled, doubts);
  result.findings = std::move(sure);
  if (first.launch.status == vm::LaunchStatus::Timeout && result.findings.empty())
    doubts.push_back({{}, "the kernel did not end: " + first.launch.fault->text, {}, ""});
  addOutside(result, std::move(doubts));
}

/// An extern array without a size is as large as the launch says, which is nothing unless somebody says it.
void hintAtDynamicShared(std::vector<Finding> &findings, const Scene &scene) {
  const ptx::Module &module = *scene.kernel.entry().module;
  const bool hasDynamic =
      std::any_of(scene.kernel.sharedOffsets.begin(), scene.kernel.sharedOffsets.end(),
                  [&](const auto &used) { return module.variables[used.first].isDynamicShared(); });
  if (!hasDynamic || scene.options.dynamicSharedBytes)
    return;
  for (Finding &finding : findings)
    if (finding.rule == Rule::MemoryOutOfBounds && finding.hint.empty())
      finding.hint = "how much dynamic shared memory does it get? --shared BYTES";
}

/// Executes the kernel each way that branches may go which all threads take alike. What is wrong on one is
/// wrong.
void tryAllWays(StaticResult &result, const Scene &scene) {
  Choices choices;
  for (unsigned way = 0; way < MostWays; ++way) {
    Run run = runOnce(scene.machine, scene.kernel, scene.known, scene.options, choices, false);
    if (run.launch.status == vm::LaunchStatus::Refused) {
      result.problems.error({}, fmt::format("kernel '{}' cannot be launched so: {}",
                                            readableKernel(scene.kernel.info.name), run.launch.refusal));
      return;
    }
    judge(result, std::move(run), scene, choices);
    if (!result.findings.empty() || !choices.next())
      return;
  }
  result.outside.push_back({{},
                            fmt::format("branches on parameters go more than {} ways in all", MostWays),
                            {},
                            "give some of them: --param"});
}

const vm::Kernel *prepare(vm::Machine &machine, const ptx::Module &module, std::string_view name,
                          Diagnostics &problems) {
  // The machine keeps modules alive; this one belongs to the caller, who outlives it.
  std::shared_ptr<const ptx::Module> borrowed(&module, [](const ptx::Module *) {});
  vm::LoadedModule *loaded = machine.load(std::move(borrowed), problems);
  return loaded ? loaded->kernel(name, problems) : nullptr;
}

} // namespace

std::string_view nameOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Holds: return "holds";
  case Verdict::Fails: return "fails";
  case Verdict::Outside: break;
  }
  return "outside";
}

std::vector<std::string> kernelsOf(const ptx::Module &module) {
  std::vector<std::string> names;
  for (const ptx::Function &function : module.functions)
    if (function.isEntry && function.isDefined)
      names.push_back(function.name);
  return names;
}

StaticResult checkStatic(const ptx::Module &module, std::string_view name, const StaticOptions &options) {
  const auto begin = std::chrono::steady_clock::now();
  StaticResult result;
  vm::Machine machine(options.limits);
  const vm::Kernel *kernel = prepare(machine, module, name, result.problems);
  if (!kernel)
    return result;
  Knowledge known;
  if (!readParameters(module, *kernel->function, kernel->info, options, known, result.problems))
    return result;
  known.nowhere = uint64_t(machine.memory().allocate(NowhereBytes, vm::AllocationKind::Device));
  const Scene scene{machine, *kernel, known, options};
  tryAllWays(result, scene);
  hintAtDynamicShared(result.findings, scene);
  result.verdict = !result.findings.empty()                              ? Verdict::Fails
                   : !result.outside.empty() || !result.problems.empty() ? Verdict::Outside
                                                                         : Verdict::Holds;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

} // namespace heddle::check
