// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Package.h"

#include "arch/Common.h"
#include "chem/Constants.h"
#include "chem/FloatRange.h"
#include "chem/MixtureTransport.h"
#include "chem/NotFinite.h"
#include "flow/Work.h"
#include "kernels/Chemistry.h"
#include "kernels/ChemistryVariants.h"
#include "kernels/ErrorReport.h"
#include "kernels/MathHeader.h"
#include "kernels/Real.h"
#include "kernels/SelfTest.h"
#include "kernels/Template.h"
#include "kernels/Transport.h"
#include "kernels/TransportProgram.h"
#include "kernels/TransportVariants.h"
#include "kernels/WarpsKernel.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heddle::kernels {

namespace {

constexpr size_t selfTestStateCount = 24;

std::string placesText(const std::vector<unsigned> &species) {
  std::string places;
  for (unsigned each : species)
    places += (places.empty() ? "" : ", ") + std::to_string(each);
  return places;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

/// Quasi-steady and stiff species in single precision: known before the mechanism is looked at for warnings.
bool needsMoreThanFloat(const PackageRequest &request) {
  const chem::Treatment &treatment = request.treatment;
  return request.options.precision == Precision::Float &&
         std::ranges::find(request.kernels, Kernel::Chemistry) != request.kernels.end() &&
         (!treatment.quasiSteady.empty() || !treatment.stiffness.species.empty());
}

std::string unitsText(Units units) {
  return units == Units::Si ? "K, Pa, Pa s, W/m/K, m2/s, kmol/m3/s"
                            : "K, dyn/cm2, g/cm/s, erg/cm/s/K, cm2/s, mol/cm3/s";
}

class Package {
public:
  Package(const chem::Mechanism &mechanism, const PackageRequest &request, Diagnostics &diagnostics)
      : mechanism(mechanism), request(request), diagnostics(diagnostics), prefix(request.options.prefix),
        evaluator(mechanism, request.treatment, diagnostics),
        treatment{evaluator.quasiSteady(), request.treatment.stiffness.species} {}

  std::vector<SourceFile> make() {
    if (diagnostics.has(Severity::Error))
      return {};
    warnOfLayout();
    for (Kernel kernel : request.kernels)
      for (Variant variant : request.variants)
        addKernel(kernel, variant);
    if (functions.empty()) {
      if (diagnostics.empty())
        diagnostics.error({}, "none of these kernels exists in this variant")
            .withHint(
                "every kernel comes as plain, warps and cpu; viscosity and diffusion also as matrix, but not "
                "in single precision: its products are those of FP64 tensor cores");
      return {};
    }
    files.push_back(mathHeader(precision()));
    if (has(Variant::Warps))
      files.push_back(warpsHeader());
    if (hasHost())
      files.push_back(hostHeader());
    if (has(Kernel::Chemistry) && precision() == Precision::Float)
      floats = chem::floatRange(mechanism);
    files.push_back({prefix + ".h", header()});
    const SelfTestReference expected = reference();
    if (diagnostics.has(Severity::Error))
      return {};
    for (SourceFile &file : selfTest(mechanism, functions, expected, request.options))
      files.push_back(std::move(file));
    files.push_back({"CMakeLists.txt", cmake()});
    files.push_back({"README.md", readme(expected)});
    warnOfChemistry();
    return std::move(files);
  }

private:
  const chem::Mechanism &mechanism;
  const PackageRequest &request;
  Diagnostics &diagnostics;
  std::string prefix;
  chem::Evaluator evaluator;
  ChemistryTreatment treatment;
  std::vector<SourceFile> files;
  std::vector<Function> functions;
  bool hasWarnedOfMatrix = false;
  std::optional<chem::FloatRange> floats; ///< of chemistry in single precision

  std::string floatRangeText() const {
    if (!floats)
      return {};
    using Range = chem::FloatRange;
    return floats->lowest
               ? fmt::format("Chemistry is valid from {:g} to {:g} K at pressures up to {:g} atm.",
                             *floats->lowest, Range::hottest, Range::pressure / chem::oneAtmosphere)
               : fmt::format(
                     "Chemistry needs double precision: rates of '{}' exceed the range of a float even "
                     "at {:g} K.",
                     inComment(floats->limiting->equation), Range::hottest);
  }

  void warnOfChemistry() const {
    if (has(Kernel::Chemistry) && mechanism.reactions.empty())
      diagnostics.warning({}, "the mechanism has no reactions: all net production rates are zero");
    if (!floats || !floats->limiting)
      return;
    const std::string from = floats->lowest ? fmt::format("at temperatures below {:g} K", *floats->lowest)
                                            : fmt::format("even at {:g} K", chem::FloatRange::hottest);
    diagnostics
        .warning(
            floats->limiting->location,
            fmt::format("with --precision float, rates of '{}' can exceed the range of a float {}; they are "
                        "wrong then",
                        floats->limiting->equation, from))
        .withHint("use --precision mixed or double for such states");
  }

  /// Nothing where there is no transport kernel.
  std::optional<chem::TransportFits> fits;
  std::optional<chem::ReciprocalDiffusionFits> reciprocal;

  void setFits() {
    fits = evaluator.transportFits(request.fits);
    reciprocal = evaluator.reciprocalFits();
    warnOfFits(mechanism, *fits, diagnostics);
  }

  /// A user who varies an option without effect measures the same kernel each time.
  void warnOfLayout() const {
    const ChemistryLayout &layout = request.layout;
    const bool isPlain = std::ranges::find(request.kernels, Kernel::Chemistry) != request.kernels.end() &&
                         std::ranges::find(request.variants, Variant::Plain) != request.variants.end();
    if (!isPlain || !treatment.isNone() ||
        (layout.loopsForLong && !layout.threadsForLoops && !layout.powersAtATime))
      return;
    // --long parts also changes code that has loops by default and is not cut.
    ChemistryLayout withLoops = layout;
    withLoops.loopsForLong = true;
    const bool isShort = !isLong(mechanism, request.options, layout) &&
                         (precision() == Precision::Float || !isLong(mechanism, request.options, withLoops));
    if (!isShort && precision() != Precision::Float)
      return;
    const auto warn = [&](const char *option) {
      diagnostics.warning(
          {}, fmt::format("{} has no effect: {}", option,
                          isShort ? "the chemistry of this mechanism is short enough "
                                    "without loops and parts"
                                  : "in single precision, chemistry has no loops over exponentials"));
    };
    if (layout.threadsForLoops)
      warn("--threads");
    if (layout.powersAtATime)
      warn("--powers");
    if (!layout.loopsForLong && isShort)
      warn("--long");
  }

  /// False, with a warning, where other variants remain.
  bool fitsIntoMatrix() {
    if (mechanism.species.size() <= mostMatrixSpecies || request.variants.size() == 1)
      return true; // or is refused
    if (!hasWarnedOfMatrix)
      diagnostics.warning(
          {}, fmt::format("variant 'matrix' is left out: it takes {} species at most, and there are {}",
                          mostMatrixSpecies, mechanism.species.size()));
    hasWarnedOfMatrix = true;
    return false;
  }

  std::optional<Emitted> emit(Kernel kernel, Variant variant) {
    if (kernel == Kernel::Chemistry) {
      if (variant == Variant::Matrix)
        return std::nullopt;
      if (variant == Variant::Warps)
        return emitWarpsChemistry(mechanism, request.options, request.warps, treatment, diagnostics);
      return emitChemistry(mechanism, variant, request.options, request.layout, treatment);
    }
    if (variant == Variant::Matrix && kernel == Kernel::Conductivity)
      return std::nullopt;
    if (variant == Variant::Matrix && precision() == Precision::Float)
      return std::nullopt; // the products are those of FP64 tensor cores
    if (variant == Variant::Matrix && !fitsIntoMatrix())
      return std::nullopt;
    if (!mechanism.hasTransport()) {
      diagnostics.error({}, fmt::format("{} needs transport data of all species", nameOf(kernel)))
          .withHint("give the transport file, or --kernel chemistry alone");
      return std::nullopt;
    }
    if (!fits)
      setFits();
    if (variant == Variant::Warps)
      return emitWarpsTransport({mechanism, *fits, *reciprocal}, kernel, request.options, request.warps,
                                diagnostics);
    return emitTransport({mechanism, *fits, *reciprocal}, kernel, variant, request.options, diagnostics);
  }

  void addKernel(Kernel kernel, Variant variant) {
    if (std::optional<Emitted> emitted = emit(kernel, variant)) {
      for (SourceFile &file : emitted->files) // kernels share headers
        if (!std::ranges::any_of(files, [&](const SourceFile &each) { return each.name == file.name; }))
          files.push_back(std::move(file));
      std::ranges::move(emitted->functions, std::back_inserter(functions));
    }
  }

  bool has(Variant variant) const {
    return std::ranges::any_of(functions, [&](const Function &each) { return each.variant == variant; });
  }

  bool has(Kernel kernel) const {
    return std::ranges::any_of(functions, [&](const Function &each) { return each.kernel == kernel; });
  }

  bool hasHost() const { return has(Variant::Cpu); }

  bool hasDevice() const {
    return std::ranges::any_of(functions, [](const Function &each) { return each.variant != Variant::Cpu; });
  }

  std::vector<Values> functionRows() const {
    std::vector<Values> rows;
    for (const Function &function : functions)
      rows.push_back({{"name", function.name},
                      {"about", function.about},
                      {"isStiff", function.isStiff},
                      {"isHost", function.variant == Variant::Cpu}});
    return rows;
  }

  std::string header() const {
    std::string names, weights;
    for (const chem::Species &species : mechanism.species) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", species.name);
      weights += (weights.empty() ? "" : ", ") + literal(species.weight);
    }
    const bool hasStages = hasQssa();
    return fillTemplate("package.h.in",
                        {{"mechanism", inComment(mechanism.name)},
                         {"species", mechanism.species.size()},
                         {"reactions", counted(mechanism.reactions.size(), "reaction")},
                         {"units", unitsText(request.options.units)},
                         {"guard", "HEDDLE_" + upper(prefix) + "_H"},
                         {"hasDevice", hasDevice()},
                         {"hasHost", hasHost()},
                         {"upper", upper(prefix)},
                         {"names", names},
                         {"weights", weights},
                         {"theta", literal(chem::stiffnessThreshold)},
                         {"real", realOf(precision()).type},
                         {"hasQuasiSteady", hasStages && !treatment.quasiSteady.species.empty()},
                         {"hasWideChemistry", has(Kernel::Chemistry) && !floats},
                         {"hasFloatChemistry", floats.has_value()},
                         {"floatRange", floatRangeText()},
                         {"fitRange", fits ? fmt::format("{:g} to {:g} K", fits->range.low, fits->range.high)
                                           : std::string()},
                         {"hasTransport", fits.has_value()},
                         {"hasDiffusion", has(Kernel::Diffusion)},
                         {"chemistry", prefix + chemistryStem(treatment)},
                         {"hasRemoved", !removedDirections().empty()},
                         {"removed", removedRows()},
                         {"quasiSteadyCount", treatment.quasiSteady.species.size()},
                         {"quasiSteadyPlaces", placesText(treatment.quasiSteady.species)},
                         {"hasStiff", hasStages && !treatment.stiff.empty()},
                         {"stiffCount", treatment.stiff.size()},
                         {"stiffPlaces", placesText(treatment.stiff)},
                         {"functions", functionRows()}});
  }

  bool hasQssa() const { return !treatment.isNone() && has(Kernel::Chemistry); }

  /// Directions that the functions do not compute: "forward 2 HO2 = H2O2 + O2".
  std::vector<std::string> removedDirections() const {
    std::vector<std::string> all;
    if (hasQssa())
      for (const chem::Direction &direction : chem::directionsOf(mechanism))
        if (chem::isLeftOut(treatment.quasiSteady, direction))
          all.push_back(fmt::format("{} {}", direction.forward ? "forward" : "reverse",
                                    mechanism.reactions[direction.reaction].equation));
    return all;
  }

  std::vector<Values> removedRows() const {
    std::vector<Values> rows;
    for (const std::string &each : removedDirections())
      rows.push_back({{"direction", inComment(each)}});
    return rows;
  }

  std::string cmake() const {
    std::string sources;
    for (const SourceFile &file : files)
      if (file.name.starts_with(prefix + "_"))
        sources += " " + file.name;
    return fillTemplate(
        "CMakeLists.txt.in",
        {{"mechanism", inComment(mechanism.name)},
         {"prefix", prefix},
         {"hasDevice", hasDevice()},
         {"hasMatrix", has(Variant::Matrix)},
         {"hasHost", hasHost()},
         // Templates have no other way to print a $.
         {"architectures", "${CMAKE_CUDA_ARCHITECTURES}"},
         {"hostArch", "${HEDDLE_HOST_ARCH}"},
         {"hostFlags", "$<$<COMPILE_LANGUAGE:CXX>:-O3;${hostArch};-Wno-psabi;-fno-fast-math>"},
         {"testFlags",
          hasDevice() ? "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-fno-fast-math>" : "-fno-fast-math"},
         {"files", sources}});
  }

  std::string readme(const SelfTestReference &expected) const {
    std::vector<std::string> failing;
    std::vector<Values> errors = errorRows(expected, failing);
    return fillTemplate("README.md.in",
                        {{"mechanism", mechanism.name},
                         {"species", mechanism.species.size()},
                         {"reactions", counted(mechanism.reactions.size(), "reaction")},
                         {"command", request.command},
                         {"functions", functionRows()},
                         {"prefix", prefix},
                         {"states", selfTestStateCount},
                         {"tolerances", tolerancesText()},
                         {"hasWideChemistry", has(Kernel::Chemistry) && !floats},
                         {"hasFloatChemistry", floats.has_value()},
                         {"floatRange", floatRangeText()},
                         {"hasTransport", fits.has_value()},
                         {"isMixed", precision() == Precision::Mixed},
                         {"isFloat", precision() == Precision::Float},
                         {"reference", referenceText()},
                         {"hasQuasiSteady", hasQssa() && !treatment.quasiSteady.species.empty()},
                         {"hasStiff", hasQssa() && !treatment.stiff.empty()},
                         {"timeStep", fmt::format("{}", request.treatment.stiffness.timeStep)},
                         {"hasDevice", hasDevice()},
                         {"hasHost", hasHost()},
                         {"hasMatrix", has(Variant::Matrix)},
                         {"isCgs", request.options.units == Units::Cgs},
                         {"hasErrors", precision() != Precision::Double},
                         {"errors", std::move(errors)},
                         {"failing", failingText(failing, expected.states.front().temperature)},
                         {"qssa", hasQssa() ? qssaInWords() : ""},
                         {"local", localMemoryText()},
                         {"shared", sharedMemoryText()},
                         {"fits", fitsText()},
                         {"work", workRows()}});
  }

  /// Of the kernels that are there.
  std::string tolerancesText() const {
    std::string text;
    if (has(Kernel::Chemistry))
      text = fmt::format("{:g} of creation + destruction for rates",
                         toleranceOf(Kernel::Chemistry, precision()));
    if (fits)
      text += fmt::format("{}{:g} (relative) for transport", text.empty() ? "" : ", and ",
                          toleranceOf(Kernel::Viscosity, precision()));
    return text;
  }

  Precision precision() const { return request.options.precision; }

  PrecisionError errorOf(Kernel kernel, const SelfTestReference &expected) const {
    if (kernel == Kernel::Chemistry)
      return chemistryError(chemistryProgram({"", precision(), Units::Si}), expected, precision());
    return transportError({mechanism, *fits, *reciprocal}, kernel, expected, precision());
  }

  /// What the chosen precision costs; nothing for doubles. Kernels whose self-test will fail are added to `failing`.
  std::vector<Values> errorRows(const SelfTestReference &expected, std::vector<std::string> &failing) const {
    std::vector<Values> rows;
    if (precision() != Precision::Double)
      for (Kernel kernel : {Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Chemistry})
        if (has(kernel)) {
          const PrecisionError error = errorOf(kernel, expected);
          if (error.largest > toleranceOf(kernel, precision())) {
            warnOfError(kernel, error);
            failing.emplace_back(nameOf(kernel));
          }
          rows.push_back({{"kernel", nameOf(kernel)},
                          {"largest", fmt::format("{:.1e}", error.largest)},
                          {"ninetyNinth", fmt::format("{:.1e}", error.ninetyNinth)}});
        }
    return rows;
  }

  /// The self-test is the user's first impression of the folder: that it fails should not be the first news.
  void warnOfError(Kernel kernel, const PrecisionError &error) const {
    diagnostics.warning(
        {}, fmt::format("with --precision {}, the largest error of {} is {:.1e}, above the tolerance of the "
                        "self-test, {:g}: it will report FAIL",
                        precision() == Precision::Float ? "float" : "mixed", nameOf(kernel), error.largest,
                        toleranceOf(kernel, precision())));
  }

  std::string failingText(const std::vector<std::string> &kernels, double coldest) const {
    if (kernels.empty())
      return "";
    return fmt::format(
        "\nThe self-test reports FAIL for {}: the largest error is above the tolerance.{}\n",
        joinAnd(kernels),
        std::ranges::find(kernels, nameOf(Kernel::Chemistry)) == kernels.end() ? "" : whyFailing(coldest));
  }

  /// States of the self-test that are too cold for floats; nothing where there are none.
  std::string whyFailing(double coldest) const {
    if (!floats || (floats->lowest && *floats->lowest <= coldest))
      return "";
    return fmt::format(" Its states begin at {:g} K, where rates can exceed the range of a float.", coldest);
  }

  /// The values that --evaluate prints for the kernels of this folder.
  std::string referenceText() const {
    const char *const suffix = request.fits == chem::FitForm::Chemkin ? "_ck" : "";
    std::string text;
    const auto add = [&](Kernel kernel, const std::string &field) {
      if (has(kernel))
        text += fmt::format("{}`{}`", text.empty() ? "" : ", ", field);
    };
    add(Kernel::Viscosity, fmt::format("viscosity{}", suffix));
    add(Kernel::Conductivity, fmt::format("thermal_conductivity{}", suffix));
    add(Kernel::Diffusion, "mix_diff_coeffs_reciprocal");
    add(Kernel::Chemistry, "net_production_rates");
    return text;
  }

  std::string qssaInWords() const {
    std::string text = "\n";
    const auto list = [&](const std::vector<unsigned> &species, const char *kind,
                          const std::string &meaning) {
      if (species.empty())
        return;
      std::string names;
      for (unsigned each : species)
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", mechanism.species[each].name);
      text += fmt::format("{} species: {}.\n{}\n", kind, names, meaning);
    };
    list(treatment.quasiSteady.species, "Quasi-steady",
         fmt::format(
             "Their concentrations follow from zero net production; chemistry does not read their mole "
             "fractions, and those of\nthe others must add up to 1.{}\n",
             fits ? " Transport functions read the mole fractions of all species: set those of\n"
                    "quasi-steady species to zero."
                  : ""));
    if (const std::vector<std::string> removed = removedDirections(); !removed.empty()) {
      text += "Removed directions of reactions, because they are not linear in quasi-steady species:\n\n";
      for (const std::string &each : removed) {
        const size_t blank = each.find(' ');
        text += fmt::format("- {} `{}`\n", each.substr(0, blank), each.substr(blank + 1));
      }
      text += "\n";
    }
    list(treatment.stiff, "Stiff",
         fmt::format(
             "If the lifetime C/D of such a species (concentration, destruction rate) is less than {:.0f} % "
             "of the "
             "time step, every rate\nthat consumes it is multiplied by C'/C, where C' is an estimate of its "
             "concentration after a backward Euler step with the\ngiven diffusion term; `{}.h` has the "
             "formula "
             "and the arguments. The time step of the self-test is {:g} s.",
             100 * chem::stiffnessThreshold, prefix, request.treatment.stiffness.timeStep));
    return text;
  }

  /// A GPU reserves local memory for all threads that it can hold, whatever is launched: gigabytes that the solver cannot have.
  std::string localMemoryText() const {
    const unsigned points = request.layout.pointsPerStage;
    std::string text;
    for (const Function &function : functions)
      if (const double kilobytes = double(function.localBytes) / 1000; kilobytes >= 1) {
        text += fmt::format("\n`{}` needs {:.1f} KB of local memory per thread, which a GPU reserves for all "
                            "threads that it can hold:\n{:.1f} GB on an H200 (132 multiprocessors with 2048 "
                            "threads each).",
                            function.name, kilobytes, kilobytes * 132 * 2048 / 1e6);
        if (points > 1 && !treatment.isNone())
          text += fmt::format(
              " `heddle chem --points-per-stage N` with N less than\n{} needs less and is slower.", points);
        text += "\n";
      }
    return text;
  }

  /// What a GPU cannot give, the launch refuses: a user of a small GPU learns here which functions those are, and what helps.
  std::string sharedMemoryText() const {
    std::string list;
    bool hasLoops = false;
    for (const Function &function : functions)
      if (function.sharedBytes > arch::commonLimits().staticSharedBytes) {
        list += fmt::format("- `{}`: {} KiB\n", function.name, (function.sharedBytes + 1023) / 1024);
        hasLoops |= function.kernel == Kernel::Chemistry && function.variant == Variant::Plain;
      }
    if (list.empty())
      return "";
    return fmt::format(
        "\nShared memory per block of the functions that need more than the 48 KiB that every GPU "
        "has:\n\n{}\n"
        "A block can have 227 KiB on GPUs of compute capability 9.0 to 11.0, 163 KiB on an A100, 99 KiB with "
        "8.6, "
        "8.9 and 12.x,\n96 KiB on a V100 and 64 KiB on a T4. On a GPU with less than the number above, a "
        "function "
        "returns\n`HEDDLE_CUDA_ERROR` + 1. Compile for the GPU that executes the functions{}.{}\n",
        list, hasLoops ? ": if compiled for 9.0 to 11.0, `plain`\nchemistry can need up to 227 KiB" : "",
        hasLoops ? " `heddle chem --threads 128` (99 KiB) or `--threads 64` (64 KiB) and a "
                   "smaller\n`--powers`, such "
                   "as 32, make it need less."
                 : "");
  }

  std::vector<Values> workRows() const {
    std::vector<Values> rows;
    for (Kernel kernel : request.kernels) {
      const bool isChemistry = kernel == Kernel::Chemistry;
      if (!has(kernel))
        continue;
      const Units units = request.options.units;
      const flow::Work work = flow::workOf(
          isChemistry ? chemistryProgram(request.options)
                      : transportProgram({mechanism, *fits, *reciprocal}, kernel, units, speciesCount()));
      const PairWork pairs = isChemistry ? PairWork() : pairWork({mechanism, *fits, *reciprocal}, kernel);
      rows.push_back({{"kernel", nameOf(kernel)},
                      {"arithmetic", work.arithmetic},
                      {"pairs", pairs.arithmetic},
                      {"products", pairs.products},
                      {"exponentials", work.exponentials},
                      {"logarithms", work.logarithms},
                      {"reciprocals", work.reciprocals},
                      {"bytes", work.values() * realOf(precision()).bytes()}});
    }
    return rows;
  }

  flow::Program chemistryProgram(const Options &options) const {
    return treatment.isNone() ? chemistryProgramOf(mechanism, options)
                              : qssaProgramOf(mechanism, treatment, options, request.layout.keepFrom);
  }

  unsigned speciesCount() const { return unsigned(mechanism.species.size()); }

  std::string fitsText() const {
    if (!fits)
      return "";
    std::vector<std::string> errors;
    const auto add = [&](Kernel kernel, double error, size_t species) {
      if (has(kernel))
        errors.push_back(
            fmt::format("{:.2g} for {} (`{}`)", error, nameOf(kernel), mechanism.species[species].name));
    };
    add(Kernel::Viscosity, fits->errors.viscosity, fits->errors.ofViscosity);
    add(Kernel::Conductivity, fits->errors.conductivity, fits->errors.ofConductivity);
    if (has(Kernel::Diffusion))
      errors.push_back(fmt::format("{:.2g} for reciprocal diffusion (degree {})", reciprocal->error,
                                   reciprocal->degree()));
    return fmt::format(
        "\nTransport is fitted by polynomials in ln T, from {:g} to {:g} K. Largest relative errors: {}.\n",
        fits->range.low, fits->range.high, joinAnd(errors));
  }

  SelfTestReference reference() const {
    SelfTestReference all;
    all.states = selfTestStates(mechanism, selfTestStateCount);
    all.stiff = treatment.stiff;
    all.timeStep = request.treatment.stiffness.timeStep;
    for (chem::GivenState &state : all.states) {
      const chem::Evaluation at = evaluator.at(state);
      if (const std::optional<chem::NotFinite> found = chem::findNotFinite(mechanism, at)) {
        diagnostics
            .error({}, fmt::format("{} at {:g} K, a state of the self-test, is not a finite number",
                                   found->what, state.temperature))
            .withHint(found->hint);
        return all;
      }
      state = at.state; // without quasi-steady species
      all.rates.push_back(at.production.net);
      if (fits) {
        const chem::MixtureTransport transport = chem::mixtureTransport(mechanism, *fits, state);
        all.viscosity.push_back(transport.viscosity);
        all.conductivity.push_back(transport.conductivity);
        all.diffusion.push_back(chem::mixtureDiffusion(mechanism, *reciprocal, state));
      }
      all.gross.push_back(chem::grossRates(mechanism, at.rates));
    }
    return all;
  }
};

/// What every file of this name, unless it is called heddle_*.h, has in its text. README.md and CMakeLists.txt are names
/// that users have for files of their own, which may mention Heddle: their marks are parts of lines that nobody else
/// writes.
std::vector<std::string_view> marksOf(std::string_view name) {
  if (name == "README.md")
    return {" reactions. Generated by Heddle with\n", " 1 reaction. Generated by Heddle with\n"};
  return {name == "CMakeLists.txt" ? ", generated by Heddle: library " : "Generated by Heddle"};
}

/// A target of CMake cannot have the first names. The others are headers: PREFIX.h would hide a header of the system, or be
/// one of the other files of the folder.
bool isTaken(std::string_view prefix) {
  static constexpr std::string_view names[] = {
      "all",          "clean",         "depend",       "edit_cache",
      "help",         "install",       "package",      "package_source",
      "preinstall",   "rebuild_cache", "test",

      "alloca",       "assert",        "byteswap",     "complex",
      "ctype",        "cuda",          "cuda_runtime", "cuda_runtime_api",
      "dlfcn",        "endian",        "errno",        "features",
      "fenv",         "float",         "getopt",       "inttypes",
      "iso646",       "limits",        "locale",       "malloc",
      "math",         "memory",        "poll",         "pthread",
      "regex",        "sched",         "semaphore",    "setjmp",
      "signal",       "stdalign",      "stdarg",       "stdatomic",
      "stdbool",      "stddef",        "stdint",       "stdio",
      "stdlib",       "string",        "strings",      "tgmath",
      "threads",      "time",          "uchar",        "unistd",
      "wait",         "wchar",         "wctype",

      "selftest_data"};
  return prefix.starts_with("heddle_") || std::ranges::find(names, prefix) != std::end(names);
}

} // namespace

bool wasGenerated(std::string_view name, std::string_view text) {
  return name.starts_with("heddle_") || std::ranges::any_of(marksOf(name), [&](std::string_view mark) {
           return text.find(mark) != std::string_view::npos;
         });
}

std::string prefixOf(const std::string &mechanismName) {
  std::string prefix;
  for (unsigned char c : mechanismName)
    prefix += std::isalnum(c) ? char(std::tolower(c)) : '_';
  const bool isIdentifier = !prefix.empty() && !std::isdigit(static_cast<unsigned char>(prefix[0]));
  return isIdentifier && !isTaken(prefix) ? prefix : "m" + prefix;
}

std::vector<SourceFile> makePackage(const chem::Mechanism &mechanism, const PackageRequest &request,
                                    Diagnostics &diagnostics) {
  if (needsMoreThanFloat(request)) {
    diagnostics.error(
        {},
        "quasi-steady and stiff species need --precision double or mixed: in single precision, the linear "
        "systems of quasi-steady species and the differences that damp stiff ones lose all significant "
        "digits by cancellation");
    return {};
  }
  return Package(mechanism, request, diagnostics).make();
}

} // namespace heddle::kernels
