// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static check: one block, unknown data, the same happens-before as the dynamic check.
//
// Accesses that may or may not happen take part in a first run as if they happened. If nothing is wrong even
// so, nothing can be. If something is, a second run leaves them out: what is still wrong is wrong for every
// input, and what is not depends on data. Each finding and each reason belongs to properties
// (StaticProperties.h), which are decided one by one.
#include "check/Static.h"

#include "check/Checker.h"
#include "check/Locations.h"
#include "check/ParameterValue.h"
#include "check/SourceText.h"
#include "check/StaticDynamicShared.h"
#include "check/StaticGlobal.h"
#include "check/StaticObserver.h"
#include "check/StaticOtherFiles.h"
#include "check/StaticProperties.h"
#include "check/StaticSteering.h"
#include "support/KernelText.h"
#include "support/Numbers.h"
#include "support/Text.h"
#include "vm/ParameterNames.h"
#include "vm/Simulator.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle::check {
namespace {

// Where asynchronous copies come from: more than a block can have of shared memory.
constexpr uint64_t NowhereBytes = 1 << 20;
// Ways through a kernel before we say that there are too many: two or three loops and a few conditions.
constexpr unsigned MostWays = 256;

// --- what is known
// -------------------------------------------------------------------------------------------------

/// By number, by the PTX's name or by the source's.
const vm::KernelInfo::Parameter *findParameter(const ptx::Module &module, const vm::Kernel &kernel,
                                               const std::string &which, unsigned &index) {
  const vm::KernelInfo &info = kernel.info;
  const ptx::Function &function = *kernel.function;
  if (const std::optional<unsigned> number = readNumber<unsigned>(which)) {
    index = *number;
    return index < info.parameters.size() ? &info.parameters[index] : nullptr;
  }
  for (index = 0; index < function.params.size() && index < info.parameters.size(); ++index)
    if (function.params[index].variable != ptx::kNone &&
        module.variables[function.params[index].variable].name == which)
      return &info.parameters[index];
  const std::optional<unsigned> named = vm::ParameterNames(kernel).find(which);
  index = named.value_or(0);
  return named ? &info.parameters[*named] : nullptr;
}

/// What --param takes for this kernel.
std::string parametersOf(const vm::Kernel &kernel) {
  const size_t count = kernel.info.parameters.size();
  if (!count)
    return "it has none";
  const vm::ParameterNames names(kernel);
  std::vector<std::string> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back(names.option(i));
  if (readNumber<unsigned>(all.front()))
    return count == 1 ? "it has one parameter: 0" : fmt::format("its parameters are 0 to {}", count - 1);
  return count == 1 ? "its parameter is " + all.front() : "its parameters are " + joinAnd(all);
}

bool readParameters(const ptx::Module &module, const vm::Kernel &kernel, const StaticOptions &options,
                    Knowledge &known, Diagnostics &problems) {
  const vm::KernelInfo &info = kernel.info;
  known.parameters.assign(info.parameterBytes, 0);
  known.parameterUnknown.assign(info.parameterBytes, 1);
  known.parameterOf.assign(info.parameterBytes, 0);
  for (size_t i = 0; i < info.parameters.size(); ++i)
    std::fill_n(known.parameterOf.begin() + info.parameters[i].offset, info.parameters[i].bytes, uint8_t(i));
  for (const StaticOptions::Parameter &given : options.parameters) {
    unsigned index = 0;
    const auto *parameter = findParameter(module, kernel, given.which, index);
    if (!parameter) {
      problems
          .error({}, fmt::format("kernel '{}' has no parameter '{}'", readableKernel(info.name), given.which))
          .withHint(parametersOf(kernel));
      return false;
    }
    const auto part = given.part.value_or(StaticOptions::Parameter::Part{0, uint32_t(parameter->bytes)});
    const uint32_t variable = kernel.function->params[index].variable;
    const ParameterType type = given.part || variable == ptx::kNone
                                   ? ParameterType{ptx::Type::None, part.bytes}
                                   : ParameterType{module.variables[variable].type, part.bytes};
    const std::vector<uint8_t> bytes = bytesOf(given.value, type);
    if (bytes.empty() || part.offset + part.bytes > parameter->bytes) {
      problems.error({}, fmt::format("'{}' is not a value for {}, {}", given.value,
                                     vm::ParameterNames(kernel).describe(index), typeText(type)));
      return false;
    }
    const size_t offset = parameter->offset + part.offset;
    std::copy(bytes.begin(), bytes.end(), known.parameters.begin() + ptrdiff_t(offset));
    std::fill_n(known.parameterUnknown.begin() + ptrdiff_t(offset), part.bytes, uint8_t(0));
  }
  known.grid = options.grid;
  known.mostBlocks = options.mostBlocks;
  known.constants = options.constantsAreKnown;
  known.blockId = options.blockId;
  known.isSharedSizeUnknown = !options.dynamicSharedBytes && dynamicSharedAt(kernel);
  if (known.grid && *known.grid == vm::Dim3{1, 1, 1} && !known.blockId)
    known.blockId = vm::Dim3{0, 0, 0};
  return true;
}

/// What is fixed of the input, in words. Parts of parameters are how a launch is modelled, and no input of the user.
std::vector<std::string> givenInputs(const ptx::Module &module, const vm::Kernel &kernel,
                                     const StaticOptions &options) {
  std::vector<std::string> given;
  const vm::ParameterNames names(kernel);
  for (const StaticOptions::Parameter &parameter : options.parameters) {
    unsigned index = 0;
    if (parameter.part || !findParameter(module, kernel, parameter.which, index))
      continue;
    const std::string name = names.option(index);
    given.push_back(
        fmt::format("{} = {}", readNumber<unsigned>(name) ? names.describe(index) : name, parameter.value));
  }
  auto text = [](const vm::Dim3 &size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); };
  if (options.blockId)
    given.push_back("blockIdx = " + text(*options.blockId));
  if (options.grid && !options.isGridModelled)
    given.push_back("gridDim = " + text(*options.grid));
  if (options.constantsAreKnown)
    given.emplace_back("constant memory has its initial values");
  if (options.lockstep)
    given.emplace_back("the lanes of a warp execute each instruction together");
  return given;
}

// --- runs
// ----------------------------------------------------------------------------------------------------------

/// A finding, and what it violates.
struct Violation {
  Finding finding;
  Property property;
};

struct StaticRun {
  std::vector<Violation> violations;
  std::vector<UndecidedReason> undecided;
  std::vector<std::string> ways; ///< how branches on parameters went
  vm::LaunchResult launch;
  bool sawDoubt = false, sawPerhaps = false, sawPerhapsWritten = false, sawAnywhere = false, assumed = false;
  std::optional<SourceLocation> polled; ///< where threads wait by polling memory
  uint64_t barriers = 0;
  Assumptions assumptions;
};

/// A kernel with all that its executions share.
struct StaticScene {
  vm::Simulator &simulator;
  const vm::Kernel &kernel;
  const Knowledge &known;
  const StaticOptions &options;
};

/// What was found of global memory. The engine that has its accesses sees barriers too, but what is wrong with
/// those is the other one's to say.
void addGlobal(StaticRun &run, const StaticScene &scene, const GlobalAccesses &global,
               std::vector<Finding> races) {
  for (Finding &finding : races)
    if (classOf(finding.rule) == Class::Race || finding.rule == Rule::WarpLockstep) {
      global.nameMemory(finding);
      run.violations.push_back({std::move(finding), Property::GlobalRacesInBlock});
    }
  Overlaps meetings = global.meetings(scene.kernel, scene.known);
  for (UndecidedReason &reason : global.withinBlock(meetings))
    run.undecided.push_back(std::move(reason));
  GlobalAccesses::Between between = global.betweenBlocks(scene.kernel, scene.known, meetings);
  for (Finding &finding : between.findings)
    run.violations.push_back({std::move(finding), Property::GlobalRacesBetweenBlocks});
  for (UndecidedReason &reason : between.undecided)
    run.undecided.push_back(std::move(reason));
  run.assumptions.add(global.assumptions());
}

StaticRun runOnce(const StaticScene &scene, Choices &choices, bool onlyWhatIsCertain) {
  StaticSteering steering(scene.kernel, scene.known, choices);
  FindingList list;
  CheckOptions checks;
  checks.globalMemory = false;
  checks.lockstep = scene.options.lockstep;
  Checker checker(checks, list);
  FindingList globalList;
  CheckOptions globalChecks;
  globalChecks.uninitialized = false;
  globalChecks.lockstep = scene.options.lockstep;
  Checker races(globalChecks, globalList);
  GlobalAccesses global(steering, races, onlyWhatIsCertain);
  const bool follows = steering.followsGlobal();
  StaticObserver observer(checker, steering, onlyWhatIsCertain, follows ? &races : nullptr,
                          follows ? &global : nullptr);
  vm::LaunchRequest request;
  request.kernel = &scene.kernel;
  request.grid = {1, 1, 1};
  request.block = scene.options.block;
  request.dynamicSharedBytes = dynamicSharedBytes(scene.kernel, scene.options);
  request.parameters = scene.known.parameters;
  request.maxSeconds = scene.options.maxSeconds;
  request.cores = 1;
  request.steering = &steering;
  StaticRun run;
  run.launch = scene.simulator.launch(request, &observer);
  for (Finding &finding : list.all())
    run.violations.push_back({finding, propertyOf(finding.rule)});
  run.undecided = steering.undecided();
  run.ways = steering.waysTaken();
  if (const ptx::Instr *at = steering.polledAt())
    run.polled = locationOf(*scene.kernel.entry().module, *at);
  if (const ptx::Instr *at = steering.spinsAt())
    run.undecided.push_back({locationOf(*scene.kernel.entry().module, *at),
                             "a loop may wait for what another thread stores here",
                             {},
                             "",
                             setOf(Property::Deadlock)});
  if (follows)
    addGlobal(run, scene, global, globalList.all());
  run.assumptions.pointersDoNotOverlap |= follows && steering.readsApart();
  run.assumptions.parametersNotNegative |= follows && steering.allForms().comparesParametersAsUnsigned;
  run.sawDoubt = observer.sawDoubt();
  run.sawPerhaps = observer.sawPerhaps();
  run.sawPerhapsWritten = observer.sawPerhapsWritten();
  run.sawAnywhere = steering.wroteAnywhere();
  run.assumed = steering.hasAssumed();
  run.barriers = observer.barriers();
  run.assumptions.usesShared = steering.usedShared();
  run.assumptions.loopsEnd = steering.passedLoop();
  run.assumptions.noTrap = steering.passedTrap();
  run.assumptions.noActsBeforeTrap = steering.passedActsBeforeTrap();
  run.assumptions.endedThreadsArrive =
      observer.completedWithoutEnded() || (steering.mayHaveLeft() && observer.barriers());
  for (const std::optional<UndecidedReason> &reason : {observer.leftBarrier(), observer.readOfOthers()})
    if (reason)
      run.undecided.push_back(*reason);
  return run;
}

/// What is wrong only if something happens that may not happen.
UndecidedReason doubt(const Violation &violation) {
  const Finding &finding = violation.finding;
  return {finding.location, fmt::format("whether this happens depends on data: {}", finding.text),
          finding.notes, "", setOf(violation.property)};
}

bool isAboutOrder(const Violation &violation) {
  const Class cls = classOf(violation.finding.rule);
  return cls == Class::Race || cls == Class::Warp || cls == Class::Async;
}

/// Accesses that threads may have ordered among themselves by flags and locks, which we do not follow.
void setAsideWhatFlagsMayOrder(std::vector<Violation> &violations, const SourceLocation &polled,
                               std::vector<UndecidedReason> &undecided) {
  for (const Violation &violation : violations)
    if (isAboutOrder(violation)) {
      undecided.push_back(doubt(violation));
      undecided.back().notes.push_back({polled, "threads may wait for each other here by polling memory"});
    }
  std::erase_if(violations, isAboutOrder);
}

void addUndecided(StaticResult &result, std::vector<UndecidedReason> more) {
  for (UndecidedReason &reason : more) {
    const auto known = std::ranges::find_if(result.undecided, [&](const UndecidedReason &other) {
      return other.text == reason.text && other.location.str() == reason.location.str();
    });
    if (known != result.undecided.end())
      known->properties |= reason.properties;
    else
      result.undecided.push_back(std::move(reason));
  }
}

/// What may go wrong and is not certain, since a second run does not find it.
std::vector<UndecidedReason> doubtsOf(const std::vector<Violation> &may, const std::vector<Violation> &sure) {
  std::vector<UndecidedReason> doubts;
  for (const Violation &violation : may)
    if (std::ranges::none_of(sure, [&](const Violation &v) { return v.property == violation.property; }))
      doubts.push_back(doubt(violation));
  return doubts;
}

/// A violation on one way through the kernel is one of the inputs that lead there.
Finding onWay(Finding finding, const std::vector<std::string> &ways) {
  constexpr size_t Most = 3;
  for (size_t i = 0; i < ways.size() && i < Most; ++i)
    finding.notes.push_back({{}, "found with " + ways[i]});
  if (ways.size() > Most)
    finding.notes.push_back(
        {{}, fmt::format("and with one outcome of {} more branches", ways.size() - Most)});
  return finding;
}

/// What one way through the kernel shows, added to what others showed.
void decide(StaticResult &result, StaticRun first, const StaticScene &scene, Choices &choices) {
  result.warpInstructions += first.launch.warpInstructions;
  result.barriers = std::max(result.barriers, first.barriers);
  addUndecided(result, std::move(first.undecided));
  std::vector<Violation> sure = first.violations;
  std::vector<UndecidedReason> doubts;
  if ((!first.violations.empty() && first.sawDoubt) || first.sawPerhapsWritten) {
    sure = runOnce(scene, choices, true).violations;
    doubts = doubtsOf(first.violations, sure);
  }
  // Without what may be written, memory may seem never written; with it, it may seem written.
  auto isUnwritten = [&](const Violation &v) {
    return (first.sawPerhaps || first.sawAnywhere) && v.property == Property::Initialization;
  };
  for (const Violation &violation : sure)
    if (isUnwritten(violation))
      doubts.push_back(doubt(violation));
  std::erase_if(sure, isUnwritten);
  if (first.assumed)
    for (const Violation &violation : std::exchange(sure, {}))
      doubts.push_back(doubt(violation));
  if (first.polled)
    setAsideWhatFlagsMayOrder(sure, *first.polled, doubts);
  for (Violation &violation : sure) {
    result.findings.push_back(onWay(std::move(violation.finding), first.ways));
    result.violates.push_back(violation.property);
  }
  if (first.launch.status == vm::LaunchStatus::Timeout && result.findings.empty())
    doubts.push_back({{}, "the kernel did not end: " + first.launch.fault->text, {}, ""});
  // What stopped the execution and is not certain keeps what follows from being looked at.
  if (first.launch.status != vm::LaunchStatus::Ok && result.findings.empty())
    for (UndecidedReason &reason : doubts)
      reason.properties = AllProperties;
  addUndecided(result, std::move(doubts));
}

/// Executes the kernel each way that branches may go which all threads take alike. What is wrong on one is
/// wrong. Whether all ways were executed to their end.
bool tryAllWays(StaticResult &result, const StaticScene &scene, Assumptions &assumptions) {
  Choices choices;
  for (unsigned way = 0; way < MostWays; ++way) {
    StaticRun run = runOnce(scene, choices, false);
    if (run.launch.status == vm::LaunchStatus::Refused) {
      result.cannotBeLaunched = true;
      result.problems
          .error({}, fmt::format("kernel '{}' cannot be launched: {}", readableKernel(scene.kernel.info.name),
                                 run.launch.refusal))
          .withHint(run.launch.refusalHint);
      return false;
    }
    assumptions.add(run.assumptions);
    const bool ended = run.launch.status == vm::LaunchStatus::Ok;
    decide(result, std::move(run), scene, choices);
    const bool more = choices.next();
    if (!result.findings.empty())
      return ended && !more;
    if (!more)
      return true;
  }
  result.undecided.push_back(
      {{},
       fmt::format("branches that depend on parameters have more than {} combinations of outcomes", MostWays),
       {},
       "give values of parameters: heddle check --static --param NAME=VALUE"});
  return false;
}

/// Variables that the source declares const hold what the file says: neither kernels nor host code may change them.
std::vector<Knowledge::Table> constTables(const ptx::Module &module, const vm::LoadedModule &loaded) {
  std::vector<Knowledge::Table> tables;
  // All files as one text: a variable of the same name that is not const, in any of them, is enough not to know.
  std::string sources;
  for (const vm::Variable &variable : loaded.variables()) {
    if (sources.empty())
      for (const std::string &text : sourcesOf(module))
        sources += withoutComments(text) + ";\n";
    const std::string name = readableVariable(variable.name);
    // What the compiler made of local arrays and of switches.
    const bool isMade =
        variable.name.starts_with("__const_$_") || variable.name.starts_with("switch_$_table");
    if (isMade || isDeclaredConst(sources, name))
      tables.push_back({variable.address, variable.address + variable.bytes});
  }
  return tables;
}

/// What the simulator does not support, and functions of other files: the kernel uses it, so nothing is decided about it.
void noteUnsupported(StaticResult &result, const Diagnostics &unsupported) {
  for (const Diagnostic &each : unsupported.all())
    addUndecided(result, {{each.location, each.text, {}, ""}});
}

/// Null with a reason in the result: it is a problem if the question is wrong, and undecided if the kernel cannot be executed.
const vm::Kernel *prepare(vm::Simulator &simulator, const ptx::Module &module, std::string_view name,
                          Knowledge &known, StaticResult &result) {
  if (std::shared_ptr<const ptx::Module> others = variablesOfOtherFiles(module))
    if (!simulator.load(std::move(others), result.problems))
      return nullptr;
  // The simulator keeps modules alive; this one belongs to the caller, who outlives it.
  std::shared_ptr<const ptx::Module> borrowed(&module, [](const ptx::Module *) {});
  vm::LoadedModule *loaded = simulator.load(std::move(borrowed), result.problems);
  if (!loaded)
    return nullptr;
  known.tables = constTables(module, *loaded);
  const bool exists = std::ranges::count(kernelsOf(module), name) != 0;
  Diagnostics unsupported;
  const vm::Kernel *kernel = loaded->kernel(name, exists ? unsupported : result.problems);
  noteUnsupported(result, unsupported);
  return kernel;
}

} // namespace

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
  Assumptions assumptions;
  assumptions.isOptimized = options.isOptimized;
  conclude(result, assumptions, false);
  vm::Simulator simulator(options.limits);
  Knowledge known;
  const vm::Kernel *kernel = prepare(simulator, module, name, known, result);
  if (!kernel || noteVariablesOfOtherFiles(result, *kernel, options)) {
    conclude(result, assumptions, false);
    return result;
  }
  if (!readParameters(module, *kernel, options, known, result.problems))
    return result;
  result.given = givenInputs(module, *kernel, options);
  known.nowhere = uint64_t(simulator.memory().allocate(NowhereBytes, vm::AllocationKind::Device));
  const StaticScene scene{simulator, *kernel, known, options};
  const bool complete = tryAllWays(result, scene, assumptions);
  noteDynamicShared(result, *kernel, options);
  checkGridBarrier(result, *kernel);
  conclude(result, assumptions, complete);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

} // namespace heddle::check
