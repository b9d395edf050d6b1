// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle chem: a combustion mechanism, evaluated or turned into kernels.
#include "GenerateKernels.h"
#include "InputOutput.h"
#include "KernelFolder.h"
#include "UnknownWord.h"
#include "Verbs.h"
#include "chem/CheckMechanism.h"
#include "chem/Evaluator.h"
#include "chem/MechanismFiles.h"
#include "chem/NotFinite.h"
#include "chem/SpeciesList.h"
#include "kernels/Package.h"
#include "support/Diagnostics.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Suggest.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const aboutChem =
    R"(A combustion mechanism: rates and transport at given states, or kernels that compute them

Examples:
  heddle chem examples/hydrogen --evaluate states.json         a folder with chem.inp, therm.dat and tran.dat
  heddle chem chem.inp therm.dat tran.dat --evaluate s.json    the files by name
  heddle chem mechanism.yaml --evaluate states.json            Cantera's format
  heddle chem examples/hydrogen -o kernels                     CUDA and C++ for it, with a self-test
  heddle chem gri30 -o out --kernel viscosity,diffusion --variant matrix,cpu
  heddle chem gri30 -o out --variant warps --warps 16 --ctas 2    the warps of a block cooperate on 32 points
  heddle chem dme --evaluate s.json --qssa qss.txt --stiff stiff.txt --dt 1e-8
  heddle chem dme -o out --kernel chemistry --qssa qss.txt --stiff stiff.txt

states.json is {"species": ["H2", ...], "states": [{"T": 1000, "P": 101325, "X": [0.2, ...]}, ...]}, in K, Pa and
mole fractions. The output is JSON in SI units with kmol, one entry per state.

Kernels are viscosity, conductivity, diffusion and chemistry; variants are plain (a GPU, one thread per point), warps
(the warps of a block cooperate on 32 points), matrix (viscosity and diffusion on FP64 tensor cores) and cpu. Without
--variant, all but warps are generated. DIR/README.md describes the files and how to build them.

Exit code 0: done; 1: refused; 2: bad usage, or no such file; 3: an error in an input file, with its location; 4: a file cannot be
read or written.
)";

struct ChemRequest {
  std::vector<fs::path> mechanism;
  std::string form;
  fs::path states, quasiSteady, stiff;
  double timeStep = 0; ///< 0 where it is not given
  fs::path folder;
  std::vector<std::string> kernels = {"viscosity", "conductivity", "diffusion", "chemistry"};
  std::vector<std::string> variants = {"plain", "matrix", "cpu"};
  unsigned warps = 0, blocks = 0, quasiSteadyWarps = 0;
  std::vector<double> weights;
  std::string placement, sums, replicate, constants;
  std::string units = "si", fits = "cantera", longCode = "loops", precision = "double";
  kernels::ChemistryLayout layout;
  bool permissive = false;
};

/// Everything that was read of what was asked for.
struct ChemInput {
  chem::Mechanism mechanism;
  std::vector<chem::GivenState> states;
  chem::Treatment treatment;
};

std::vector<unsigned> readList(const fs::path &file, const chem::Mechanism &mechanism,
                               Diagnostics &diagnostics) {
  if (file.empty())
    return {};
  std::optional<chem::SourceText> source = chem::readSource(file, diagnostics);
  return source ? readSpeciesList(*source, mechanism, diagnostics) : std::vector<unsigned>();
}

/// A self-test's time step, where none is given: short enough that some species are stiff and some are not.
constexpr double usualTimeStep = 1e-8;

chem::Treatment treatmentOf(const ChemRequest &request, const chem::Mechanism &mechanism,
                            Diagnostics &diagnostics) {
  chem::Treatment treatment = {readList(request.quasiSteady, mechanism, diagnostics),
                               {readList(request.stiff, mechanism, diagnostics),
                                request.timeStep > 0 ? request.timeStep : usualTimeStep}};
  if (!treatment.quasiSteady.empty() && treatment.quasiSteady.size() == mechanism.species.size())
    diagnostics.error(
        {.file = request.quasiSteady.string()},
        "all species of the mechanism are listed: at least one must remain that is not quasi-steady");
  for (unsigned each : treatment.stiffness.species)
    if (std::ranges::find(treatment.quasiSteady, each) != treatment.quasiSteady.end())
      diagnostics
          .error({.file = request.stiff.string()},
                 fmt::format("'{}' is quasi-steady already", mechanism.species[each].name))
          .withHint(request.stiff == request.quasiSteady
                        ? "--qssa and --stiff name the same file: a species is in one list or the other"
                        : fmt::format("remove it here or from {}", request.quasiSteady.string()));
  return treatment;
}

/// Mole fractions of quasi-steady species are not used, so others must be there.
void checkRemaining(const ChemRequest &request, const ChemInput &input, Diagnostics &diagnostics) {
  for (size_t i = 0; i < input.states.size(); ++i) {
    std::vector<double> x = input.states[i].moleFractions;
    for (unsigned each : input.treatment.quasiSteady)
      x[each] = 0;
    if (std::ranges::none_of(x, [](double each) { return each > 0; }))
      diagnostics.error({.file = request.states.string()},
                        fmt::format("states[{}]: all species with X > 0 are quasi-steady", i));
  }
}

std::optional<chem::MechanismForm> formOf(const std::string &name) {
  if (name.empty())
    return std::nullopt;
  return name == "yaml" ? chem::MechanismForm::Yaml : chem::MechanismForm::Chemkin;
}

std::optional<ChemInput> read(const ChemRequest &request, Diagnostics &diagnostics) {
  std::optional<chem::Mechanism> mechanism =
      chem::readMechanism({request.mechanism, formOf(request.form), false, request.permissive}, diagnostics);
  if (!mechanism)
    return std::nullopt;
  ChemInput input = {std::move(*mechanism), {}, {}};
  if (std::optional<chem::SourceText> source = chem::readSource(request.states, diagnostics)) {
    input.states =
        readStates(*source, input.mechanism, diagnostics).value_or(std::vector<chem::GivenState>());
    warnOutsideRange(*source, input.mechanism, input.states, diagnostics);
  }
  input.treatment = treatmentOf(request, input.mechanism, diagnostics);
  checkRemaining(request, input, diagnostics);
  return diagnostics.has(Severity::Error) ? std::nullopt : std::optional(std::move(input));
}

/// The evaluations as JSON; nothing where something is wrong.
std::optional<std::string> evaluate(const ChemRequest &request, Diagnostics &diagnostics) {
  std::optional<ChemInput> input = read(request, diagnostics);
  if (!input)
    return std::nullopt;
  warnWithoutTransport(input->mechanism, diagnostics);
  chem::Evaluator evaluator(input->mechanism, input->treatment, diagnostics);
  if (diagnostics.has(Severity::Error))
    return std::nullopt;
  std::vector<chem::Evaluation> results;
  for (const chem::GivenState &state : input->states) {
    results.push_back(evaluator.at(state));
    if (const auto found = chem::findNotFinite(input->mechanism, results.back()))
      diagnostics
          .error({.file = request.states.string()},
                 fmt::format("states[{}]: {} is not a finite number", results.size() - 1, found->what))
          .withHint(found->hint);
  }
  if (diagnostics.has(Severity::Error))
    return std::nullopt;
  if (evaluator.transportFits(chem::FitForm::Cantera))
    warnOfFits(input->mechanism, *evaluator.transportFits(chem::FitForm::Cantera), diagnostics);
  return writeEvaluations(input->mechanism, evaluator, results);
}

void printEvaluations(const ChemRequest &request, Session &session) {
  Diagnostics diagnostics;
  std::optional<std::string> result = evaluate(request, diagnostics);
  print(std::cerr, diagnostics, session.errorColour);
  if (result)
    std::cout << *result;
  session.exitCode = result ? ExitDone : ExitDoesNotCompile;
}

/// What of an enumeration's members is named in a list.
template <class Member>
std::vector<Member> named(const std::vector<std::string> &names, std::initializer_list<Member> all) {
  std::vector<Member> found;
  for (Member member : all)
    if (std::ranges::find(names, kernels::nameOf(member)) != names.end())
      found.push_back(member);
  return found;
}

/// What was asked of the variant `warps`, as it was asked.
std::string warpsWords(const ChemRequest &request) {
  std::string text;
  const auto add = [&](const char *option, const auto &value, bool isGiven) {
    if (isGiven)
      text += fmt::format(" {} {}", option, value);
  };
  add("--warps", request.warps, request.warps);
  add("--ctas", request.blocks, request.blocks);
  add("--qssa-warps", request.quasiSteadyWarps, request.quasiSteadyWarps);
  add("--weights", fmt::format("{}", fmt::join(request.weights, ",")), !request.weights.empty());
  add("--placement", request.placement, !request.placement.empty());
  add("--sums", request.sums, !request.sums.empty());
  add("--replicate", request.replicate, !request.replicate.empty());
  add("--constants", request.constants, !request.constants.empty());
  return text;
}

bool isAsked(const std::vector<std::string> &list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool exists(const std::string &kernel, const std::string &variant, const ChemRequest &request) {
  return variant != "matrix" ||
         ((kernel == "viscosity" || kernel == "diffusion") && request.precision != "float");
}

/// Variants that one of the kernels has.
std::vector<std::string> existingVariants(const ChemRequest &request) {
  std::vector<std::string> found;
  for (const std::string &variant : request.variants)
    if (std::ranges::any_of(request.kernels,
                            [&](const std::string &kernel) { return exists(kernel, variant, request); }))
      found.push_back(variant);
  return found;
}

/// Kernels that one of the variants has.
std::vector<std::string> existingKernels(const ChemRequest &request) {
  std::vector<std::string> found;
  for (const std::string &kernel : request.kernels)
    if (std::ranges::any_of(request.variants,
                            [&](const std::string &variant) { return exists(kernel, variant, request); }))
      found.push_back(kernel);
  return found;
}

bool hasFits(const ChemRequest &request) {
  return isAsked(request.kernels, "viscosity") || isAsked(request.kernels, "conductivity");
}

/// That makes the same files again, without options that have no effect.
std::string commandOf(const ChemRequest &request) {
  std::string command = "heddle chem";
  for (const fs::path &path : request.mechanism)
    command += " " + path.filename().string();
  const auto join = [](const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : ",") + word;
    return text;
  };
  command += " -o DIR";
  if (!request.form.empty())
    command += " --from " + request.form;
  if (request.permissive)
    command += " --permissive";
  command += " --kernel " + join(existingKernels(request)) + " --variant " + join(existingVariants(request)) +
             warpsWords(request);
  if (!request.quasiSteady.empty())
    command += " --qssa " + request.quasiSteady.filename().string();
  if (!request.stiff.empty())
    command += " --stiff " + request.stiff.filename().string();
  if (request.timeStep > 0)
    command += fmt::format(" --dt {}", request.timeStep);
  if (request.longCode != "loops")
    command += " --long " + request.longCode;
  const kernels::ChemistryLayout usual, &layout = request.layout;
  if (layout.powersAtATime)
    command += " --powers " + std::to_string(*layout.powersAtATime);
  if (layout.pointsPerStage != usual.pointsPerStage)
    command += " --points-per-stage " + std::to_string(layout.pointsPerStage);
  if (layout.threadsForLoops)
    command += " --threads " + std::to_string(*layout.threadsForLoops);
  if (layout.keepFrom != usual.keepFrom)
    command += " --keep " + std::to_string(layout.keepFrom);
  command += " --units " + request.units;
  if (hasFits(request))
    command += " --fits " + request.fits;
  return command + " --precision " + request.precision;
}

kernels::Precision precisionOf(const std::string &name) {
  using enum kernels::Precision;
  return name == "mixed" ? Mixed : name == "float" ? Float : Double;
}

kernels::WarpsLayout layoutOf(const ChemRequest &request) {
  kernels::WarpsLayout layout;
  layout.warps = request.warps;
  layout.ctas = request.blocks;
  layout.qssaWarps = request.quasiSteadyWarps;
  if (request.weights.size() == 3) {
    layout.weights.flops = request.weights[0];
    layout.weights.registers = request.weights[1];
    layout.weights.locality = request.weights[2];
  }
  if (!request.placement.empty())
    layout.placement = request.placement == "store"    ? partition::Placement::Store
                       : request.placement == "buffer" ? partition::Placement::Buffer
                                                       : partition::Placement::Mixed;
  if (!request.sums.empty())
    layout.sums =
        request.sums == "partials" ? partition::SumExchange::Partials : partition::SumExchange::Values;
  if (!request.replicate.empty())
    layout.replicate = request.replicate == "on";
  if (!request.constants.empty())
    layout.constants = request.constants == "shuffle"  ? partition::ConstantPlace::Shuffle
                       : request.constants == "shared" ? partition::ConstantPlace::Shared
                                                       : partition::ConstantPlace::Compiler;
  return layout;
}

kernels::PackageRequest packageOf(const ChemRequest &request, const chem::Mechanism &mechanism) {
  using enum kernels::Kernel;
  using enum kernels::Variant;
  kernels::PackageRequest package;
  package.kernels = named(request.kernels, {Viscosity, Conductivity, Diffusion, Chemistry});
  package.variants = named(request.variants, {Plain, Warps, Matrix, Cpu});
  package.warps = layoutOf(request);
  package.options.prefix = kernels::prefixOf(mechanism.name);
  package.options.units = request.units == "cgs" ? kernels::Units::Cgs : kernels::Units::Si;
  package.options.precision = precisionOf(request.precision);
  package.fits = request.fits == "chemkin" ? chem::FitForm::Chemkin : chem::FitForm::Cantera;
  package.layout = request.layout;
  package.layout.loopsForLong = request.longCode == "loops";
  package.command = commandOf(request);
  return package;
}

/// Kernels that are made and not written yet.
struct Generated {
  std::optional<chem::Mechanism> mechanism; ///< nothing where a file is wrong
  std::vector<kernels::SourceFile> files;
};

bool needsTransport(const ChemRequest &request) {
  return std::ranges::any_of(request.kernels, [](const std::string &each) { return each != "chemistry"; });
}

Generated makeKernels(const ChemRequest &request, Diagnostics &diagnostics) {
  Generated made = {chem::readMechanism({request.mechanism, formOf(request.form), needsTransport(request),
                                         request.permissive},
                                        diagnostics),
                    {}};
  if (!made.mechanism)
    return made;
  kernels::PackageRequest package = packageOf(request, *made.mechanism);
  package.treatment = treatmentOf(request, *made.mechanism, diagnostics);
  if (diagnostics.has(Severity::Error)) {
    made.mechanism.reset(); // a list is wrong, which counts as a wrong file
    return made;
  }
  made.files = kernels::makePackage(*made.mechanism, package, diagnostics);
  std::vector<std::string> names;
  for (const kernels::SourceFile &file : made.files)
    names.push_back(file.name);
  refuseToReplace(names, request.folder, diagnostics);
  return made;
}

bool hasFailed(const Generated &made, const Diagnostics &diagnostics) {
  return !made.mechanism || diagnostics.has(Severity::Error) || diagnostics.has(Severity::Refusal);
}

std::optional<FileFailure> writePackage(const std::vector<kernels::SourceFile> &files,
                                        const fs::path &folder) {
  std::optional<FileFailure> failure = makeFolder(folder);
  for (const kernels::SourceFile &file : files)
    if (!failure)
      failure = writeFile(folder / file.name, file.text);
  return failure;
}

/// Everything or nothing: files are written once all of them are made.
void writeKernels(const ChemRequest &request, Session &session) {
  Diagnostics diagnostics;
  const Generated made = makeKernels(request, diagnostics);
  print(std::cerr, diagnostics, session.errorColour);
  if (hasFailed(made, diagnostics))
    session.exitCode = made.mechanism ? ExitRefused : ExitDoesNotCompile;
  else if (std::optional<FileFailure> failure = writePackage(made.files, request.folder))
    complain(*failure, session);
  else
    std::cout << request.folder.string() << ": " << made.files.size() << " files for "
              << made.mechanism->species.size() << " species and "
              << counted(made.mechanism->reactions.size(), "reaction") << "\n";
}

/// A mechanism may be a folder; everything else is a file of text.
bool inputsCanBeRead(const ChemRequest &request, Session &session) {
  bool all = true;
  std::error_code ignored;
  const fs::path &first = request.mechanism.front();
  for (const fs::path &path : request.mechanism)
    if (&path != &first && fs::is_directory(path, ignored) && fs::is_directory(first, ignored)) {
      complain(session, fmt::format("one mechanism at a time: '{}' is a folder already", first.string()),
               fmt::format("remove '{}'", path.string()), ExitBadUsage);
      return false;
    } else
      all &= (&path == &first && fs::is_directory(path, ignored)) || canReadText(path, session);
  all &= request.states.empty() || canReadText(request.states, session);
  for (const auto &[option, file] :
       {std::pair("--qssa", request.quasiSteady), std::pair("--stiff", request.stiff)})
    all &= file.empty() ||
           canReadText(file, session,
                       fs::exists(file, ignored) ? ""
                                                 : fmt::format("{} takes a file that lists species", option));
  return all;
}

/// An option that changes nothing in this call, and why.
struct WithoutEffect {
  std::vector<const char *> options;
  bool isWithout;
  std::string why, hint;
};

std::vector<WithoutEffect> optionsWithoutEffect(const ChemRequest &request) {
  if (!request.states.empty())
    return {{{"--kernel", "--variant", "--units", "--fits", "--precision", "--warps", "--ctas",
              "--qssa-warps", "--weights", "--placement", "--sums", "--replicate", "--constants", "--long",
              "--powers", "--threads", "--points-per-stage", "--keep"},
             true,
             "--evaluate generates no kernels",
             "-o DIR generates them"}};
  const bool hasChemistry = isAsked(request.kernels, "chemistry");
  const bool hasStages = !request.quasiSteady.empty() || !request.stiff.empty();
  return {{{"--warps", "--ctas", "--qssa-warps", "--weights", "--placement", "--sums", "--replicate",
            "--constants"},
           !isAsked(request.variants, "warps"),
           "variant 'warps' is not generated",
           "add --variant warps"},
          {{"--qssa", "--stiff", "--dt", "--long", "--powers", "--threads", "--points-per-stage", "--keep",
            "--qssa-warps"},
           !hasChemistry,
           "kernel 'chemistry' is not generated",
           "add --kernel chemistry"},
          {{"--points-per-stage", "--keep", "--qssa-warps"},
           hasChemistry && !hasStages,
           "there are no quasi-steady and no stiff species",
           "--qssa FILE and --stiff FILE list them"},
          {{"--long", "--powers", "--threads"},
           hasChemistry && !isAsked(request.variants, "plain"),
           "variant 'plain' of chemistry is not generated",
           "add --variant plain"},
          {{"--powers", "--threads"},
           hasChemistry && !hasStages && request.longCode == "parts",
           "--long parts has no loops over exponentials",
           "remove --long parts"},
          {{"--fits"},
           !hasFits(request),
           "neither viscosity nor conductivity is generated, and diffusion always uses fits of 1/(D P)",
           ""}};
}

/// A user who gives an option believes that it counts.
void warnWithoutEffect(const CLI::App &verb, const ChemRequest &request, Session &session) {
  Diagnostics diagnostics;
  for (const WithoutEffect &each : optionsWithoutEffect(request))
    for (const char *option : each.options)
      if (each.isWithout && verb.count(option) > 0)
        diagnostics.warning({}, fmt::format("{} has no effect: {}", option, each.why)).withHint(each.hint);
  print(std::cerr, diagnostics, session.errorColour);
}

/// A kernel or variant that was named, and of which no file is written though others are.
void warnOfMissing(const CLI::App &verb, const ChemRequest &request, Session &session) {
  const std::vector<std::string> kernels = existingKernels(request), variants = existingVariants(request);
  if (kernels.empty())
    return; // an error
  Diagnostics diagnostics;
  const auto warn = [&](const char *option, const char *what, const std::vector<std::string> &named,
                        const std::vector<std::string> &existing) {
    for (const std::string &each : named)
      if (verb.count(option) > 0 && !isAsked(existing, each))
        diagnostics.warning({}, fmt::format("{} '{}' is not generated", what, each))
            .withHint("matrix exists for viscosity and diffusion, with --precision double or mixed");
  };
  warn("--kernel", "kernel", request.kernels, kernels);
  warn("--variant", "variant", request.variants, variants);
  print(std::cerr, diagnostics, session.errorColour);
}

void runChem(const CLI::App &verb, const ChemRequest &request, Session &session) {
  if (!inputsCanBeRead(request, session))
    return;
  if (!request.states.empty() || !request.folder.empty())
    warnWithoutEffect(verb, request, session);
  if (!request.folder.empty())
    warnOfMissing(verb, request, session);
  if (!request.states.empty() && !request.stiff.empty() && request.timeStep == 0)
    complain(session, "--stiff needs --dt",
             "give the time step in seconds for which rates of stiff species are scaled, such as --dt 1e-8",
             ExitBadUsage);
  else if (!request.states.empty())
    printEvaluations(request, session);
  else if (!request.folder.empty())
    writeKernels(request, session);
  else
    complain(session, "nothing to do: --evaluate STATES.json or -o DIR is required",
             "--evaluate prints rates and transport at the states of a file, -o writes kernels",
             ExitBadUsage);
}

/// CLI11's own messages print the range of a double with its 309 digits.
CLI::Validator numberThat(bool (*holds)(double), const char *expected) {
  return {[holds, expected](const std::string &word) {
            double value = 0;
            const bool isGood =
                CLI::detail::lexical_cast(word, value) && std::isfinite(value) && holds(value);
            return isGood ? std::string() : fmt::format("'{}' is not {}", word, expected);
          },
          ""};
}

/// 'gpu' is near 'cpu' in letters only.
CLI::Validator notTheDevice() {
  return {[](const std::string &word) {
            return word == "gpu" || word == "cuda"
                       ? fmt::format("'{}' is no variant; those for a GPU are plain, warps and matrix", word)
                       : std::string();
          },
          ""};
}

void addWarpsOptions(CLI::App &verb, ChemRequest &request) {
  const char *const group = "Variant warps";
  const auto add = [&](const char *name, auto &value, const char *aboutChem) {
    return verb.add_option(name, value, aboutChem)->group(group);
  };
  add("--warps", request.warps, "warps per block, 1 to 32 (default: selected per kernel)")
      ->check(CLI::Range(1, 32));
  add("--ctas", request.blocks, "blocks per SM to compile for, 1 to 32 (default: selected per kernel)")
      ->check(CLI::Range(1, 32));
  add("--qssa-warps", request.quasiSteadyWarps, "warps for quasi-steady species, 1 to 31 (default: selected)")
      ->check(CLI::Range(1, 31));
  add("--weights", request.weights,
      "weights in the partitioning: of balanced work (F), balanced registers (R) and locality (L); numbers "
      "of "
      "at least 0, and a larger one gives its aim more effect (default: 1,1,1)")
      ->type_name("F,R,L")
      ->delimiter(',')
      ->expected(3)
      ->allow_extra_args(false)
      ->check(numberThat([](double weight) { return weight >= 0; }, "a weight: a number of at least 0"));
  add("--placement", request.placement,
      "shared memory: store (a row for each value), buffer (values in registers pass through a few rows) or "
      "mixed (default: selected per kernel)")
      ->check(CLI::IsMember({"store", "buffer", "mixed"}));
  add("--sums", request.sums,
      "what warps exchange for a sum: partials (partial sums) or values (the terms) (default: selected per "
      "kernel)")
      ->check(CLI::IsMember({"partials", "values"}));
  add("--replicate", request.replicate,
      "recompute cheap early values in every warp: on or off (default: selected per kernel)")
      ->check(CLI::IsMember({"on", "off"}));
  add("--constants", request.constants,
      "where constants that differ between warps are kept: shuffle (registers), shared or compiler (caches) "
      "(default: selected per kernel)")
      ->check(CLI::IsMember({"shuffle", "shared", "compiler"}));
}

/// The flags of the verb, in the one place where they are described.
void addOptions(CLI::App &verb, ChemRequest &request) {
  verb.add_option("MECHANISM", request.mechanism, "a folder, or the files by name")
      ->required()
      ->expected(1, 3);
  CLI::Option *states =
      verb.add_option("--evaluate", request.states,
                      "print thermodynamics, transport and rates at the states of this file")
          ->type_name("FILE.json");
  verb.add_option("-o,--output", request.folder, "write kernels into this folder")
      ->type_name("DIR")
      ->excludes(states);
  // Lists are one word each: the word after it can be MECHANISM.
  verb.add_option("-k,--kernel", request.kernels, "kernels to generate, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"viscosity", "conductivity", "diffusion", "chemistry"}));
  const auto addVariants = [&](const char *name) {
    return verb
        .add_option(name, request.variants,
                    "variants to generate, separated by commas: plain, warps, matrix, cpu")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(notTheDevice())
        ->check(CLI::IsMember({"plain", "warps", "matrix", "cpu"}));
  };
  addVariants("--variant");
  addVariants("--form")->group(""); // the former name
  addWarpsOptions(verb, request);
  verb.add_option(
          "--units", request.units,
          "of the generated functions: si (Pa, Pa s, W/m/K, m2/s, kmol/m3/s) or cgs (dyn/cm2, g/cm/s, "
          "erg/cm/s/K, cm2/s, mol/cm3/s)")
      ->check(CLI::IsMember({"si", "cgs"}));
  verb.add_option("--fits", request.fits,
                  "form of the fits of viscosity and conductivity: cantera or chemkin")
      ->check(CLI::IsMember({"cantera", "chemkin"}));
  verb.add_option(
          "--long", request.longCode,
          "plain chemistry that is too long for an instruction cache: divided into parts, or with loops over "
          "exponentials")
      ->check(CLI::IsMember({"parts", "loops"}));
  verb.add_option(
          "--powers", request.layout.powersAtATime,
          "with loops (--long loops, --qssa, --stiff): most exponentials that are computed in loops before "
          "the code that reads them, 1 to 100; 0: no loops (default: the number with the least "
          "estimated cost for the mechanism)")
      ->check(CLI::Range(0, 100));
  verb.add_option("--threads", request.layout.threadsForLoops,
                  "with loops: threads per block (default: 256; 128 with --qssa or --stiff)")
      ->check(CLI::IsMember({64, 128, 192, 256, 320, 384}));
  const auto addPointsPerStage = [&](const char *name) {
    return verb
        .add_option(
            name, request.layout.pointsPerStage,
            "with --qssa or --stiff: points that a thread processes with one stage before the next, 1 to 32")
        ->check(CLI::Range(1, 32));
  };
  addPointsPerStage("--points-per-stage");
  addPointsPerStage("--turns")->group(""); // the former name
  verb.add_option("--keep", request.layout.keepFrom,
                  "with --qssa or --stiff: rate constants of at least this many instructions are stored for "
                  "later stages, not recomputed");
  verb.add_option("--precision", request.precision,
                  "of the kernels: double; float; or mixed, double with faster exponentials")
      ->check(CLI::IsMember({"double", "float", "mixed"}));
  verb.add_option("--from", request.form, "chemkin or yaml, if a folder has both (default: chemkin)")
      ->check(CLI::IsMember({"chemkin", "yaml"}));
  verb.add_flag("--permissive", request.permissive,
                "duplicate species and data in CHEMKIN files are warnings: the first one is used");
  verb.add_option(
          "--qssa", request.quasiSteady,
          "a file that lists quasi-steady species, separated by blanks or line ends; text after !, or after "
          "a # that begins a word, is a comment")
      ->type_name("FILE");
  CLI::Option *stiff =
      verb.add_option("--stiff", request.stiff, "a file that lists stiff species, in the form of --qssa")
          ->type_name("FILE");
  verb.add_option(
          "--dt", request.timeStep,
          "time step of --stiff, s: with --evaluate, --stiff requires it; with -o, that of the self-test "
          "(default there: 1e-8)")
      ->type_name("SECONDS")
      ->check(
          numberThat([](double step) { return step > 0; }, "a time in seconds greater than 0, such as 1e-9"))
      ->needs(stiff);
}

std::string firstLineOf(const Diagnostics &diagnostics) {
  std::ostringstream text;
  print(text, diagnostics, false);
  return text.str().substr(0, text.str().find('\n'));
}

} // namespace

std::string generateKernels(std::vector<std::string> words) {
  ChemRequest request;
  CLI::App verb;
  addOptions(verb, request);
  try {
    std::ranges::reverse(words); // as CLI11 takes them
    verb.parse(words);
  } catch (const CLI::ParseError &wrong) {
    return wrongValue(wrong).text;
  }
  Diagnostics diagnostics;
  const Generated made = makeKernels(request, diagnostics);
  if (hasFailed(made, diagnostics))
    return firstLineOf(diagnostics);
  const std::optional<FileFailure> failure = writePackage(made.files, request.folder);
  return failure ? failure->str() : "";
}

std::optional<WrongWord> wrongKernel(const std::string &kernels) {
  const std::vector<std::string> names = {"viscosity", "conductivity", "diffusion", "chemistry"};
  std::istringstream list(kernels);
  for (std::string each; std::getline(list, each, ',');)
    if (!isAsked(names, each))
      return WrongWord{fmt::format("a mechanism has no kernel '{}'", each), suggestionFor(each, names)};
  return std::nullopt;
}

std::optional<WrongWord> wrongOption(const std::string &option) {
  ChemRequest request;
  CLI::App verb;
  addOptions(verb, request);
  const std::string name = option.substr(0, option.find('='));
  const std::vector<std::string> names = optionNames(verb);
  if (isAsked({"--evaluate", "--output", "--kernel"}, name))
    return WrongWord{fmt::format("'{}' is not an option that a search can vary", name),
                     "such as --variant, --warps, --ctas or --placement"};
  if (!isAsked(names, name))
    return WrongWord{fmt::format("heddle chem has no option '{}'", name),
                     didYouMean(name.starts_with("-") ? name : "--" + name, names)};
  std::istringstream values(option.find('=') < option.size() ? option.substr(name.size() + 1) : "");
  for (std::string value; std::getline(values, value, '|');) {
    try {
      std::vector<std::string> words = {value.starts_with(name + "=") ? value : name + "=" + value,
                                        "mechanism"};
      verb.parse(words);
    } catch (const CLI::ValidationError &wrong) {
      const WrongValue is = wrongValue(wrong);
      return WrongWord{is.text, is.hint};
    } catch (const CLI::ConversionError &wrong) {
      return WrongWord{wrongValue(wrong).text, ""};
    } catch (const CLI::ParseError &) { // one that needs another option
    }
  }
  return std::nullopt;
}

void addChem(CLI::App &app, Session &session) {
  auto request = std::make_shared<ChemRequest>();
  CLI::App *verb = app.add_subcommand("chem", aboutChem);
  addOptions(*verb, *request);
  session.operands["chem"] = {"MECHANISM... (--evaluate STATES.json | -o DIR)",
                              {{}, {"inp", "dat", "yaml"}, true, true}};
  verb->callback([request, verb, &session] { runChem(*verb, *request, session); });
}

} // namespace heddle::cli
