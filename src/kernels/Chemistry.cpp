// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Chemistry.h"

#include "chem/ChemistryProgram.h"
#include "chem/NarrowProgram.h"
#include "chem/PairReverse.h"
#include "chem/QssaProgram.h"
#include "flow/Order.h"
#include "kernels/ChemistryVariants.h"
#include "support/Text.h"

#include <fmt/format.h>

namespace heddle::kernels {

namespace {

std::string inWords(Units units) {
  return units == Units::Si ? "units are K, Pa and kmol/m3/s." : "units are K, dyn/cm2 and mol/cm3/s.";
}

} // namespace

chem::ChemistryUnits unitsOf(Units units) {
  return units == Units::Si ? chem::ChemistryUnits{} : chem::ChemistryUnits{0.1, 1e-3};
}

std::vector<flow::Segment> partsOf(const flow::Program &program, unsigned instructionsInWhole,
                                   unsigned instructionsInPart) {
  const std::vector<unsigned> order = flow::orderForFewLiveValues(program);
  std::vector<flow::Segment> parts = flow::cutIntoSegments(program, order, instructionsInWhole);
  if (parts.size() > 1)
    parts = flow::cutIntoSegments(program, order, instructionsInPart);
  if (parts.empty())
    parts.emplace_back(); // a mechanism without reactions still has rates: zero
  return parts;
}

std::vector<unsigned> emptySums(const flow::Program &program) {
  std::vector<bool> isUsed(program.sums.size());
  for (const flow::Operation &operation : program.operations)
    for (const flow::Contribution &contribution : operation.contributions)
      isUsed[contribution.sum] = true;
  std::vector<unsigned> empty;
  for (unsigned sum = 0; sum < program.resultCount(); ++sum)
    if (!isUsed[sum])
      empty.push_back(sum);
  return empty;
}

Values commonOf(const chem::Mechanism &mechanism, const Options &options) {
  return {{"mechanism", inComment(mechanism.name)},
          {"species", std::to_string(mechanism.species.size())},
          {"reactions", counted(mechanism.reactions.size(), "reaction")},
          {"units", inWords(options.units)},
          {"header", options.prefix + ".h"}};
}

flow::Program chemistryProgramOf(const chem::Mechanism &given, const Options &options, bool isRegular) {
  chem::Mechanism mechanism = given;
  chem::pairReverseReactions(mechanism);
  return options.precision == Precision::Float
             ? chem::narrowChemistryProgram(mechanism, unitsOf(options.units))
             : chem::chemistryProgram(mechanism, unitsOf(options.units), isRegular);
}

flow::Program qssaProgramOf(const chem::Mechanism &given, const ChemistryTreatment &treatment,
                            const Options &options, unsigned keepFrom) {
  chem::Mechanism mechanism = given;
  const chem::QssaPlan plan = chem::pairedPlan(treatment.quasiSteady, chem::pairReverseReactions(mechanism));
  return chem::qssaProgram(mechanism, unitsOf(options.units), plan, treatment.stiff, keepFrom);
}

std::string namesOf(const chem::Mechanism &mechanism, const std::vector<unsigned> &species) {
  std::string text;
  for (unsigned each : species)
    text += (text.empty() ? "" : ", ") + mechanism.species[each].name;
  return text.empty() ? "none" : inComment(text);
}

const char *rateUnit(Units units) { return units == Units::Si ? "kmol/m3/s" : "mol/cm3/s"; }

std::string chemistryStem(const ChemistryTreatment &treatment) {
  return fmt::format("{}{}_chemistry", treatment.quasiSteady.species.empty() ? "" : "_qssa",
                     treatment.stiff.empty() ? "" : "_stiff");
}

Function qssaFunction(const Options &options, const ChemistryTreatment &treatment, Variant variant) {
  const size_t quasiSteady = treatment.quasiSteady.species.size(), stiff = treatment.stiff.size();
  std::string kinds = quasiSteady > 0 ? fmt::format("{} quasi-steady", quasiSteady) : "";
  if (stiff > 0)
    kinds += fmt::format("{}{} stiff", kinds.empty() ? "" : " and ", stiff);
  const char *const how = variant == Variant::Cpu     ? "CPU, SIMD over points, multithreaded"
                          : variant == Variant::Warps ? "the warps of a block cooperate on 32 points"
                                                      : "one thread per point";
  return {fmt::format("{}{}_{}", options.prefix, chemistryStem(treatment), nameOf(variant)),
          Kernel::Chemistry, variant,
          fmt::format("Net production rates in {}{}, {}.", rateUnit(options.units),
                      kinds.empty() ? "" : " with " + kinds + " species", how),
          stiff > 0};
}

namespace {

bool isLong(const flow::Program &program, const ChemistryLayout &layout) {
  const unsigned most = layout.loopsForLong ? layout.instructionsWithoutLoops : layout.instructionsInWhole;
  const unsigned inPart = layout.loopsForLong ? most : layout.instructionsInPart;
  return partsOf(program, most, inPart).size() > 1;
}

} // namespace

bool isLong(const chem::Mechanism &mechanism, const Options &options, const ChemistryLayout &layout) {
  return isLong(chemistryProgramOf(mechanism, options), layout);
}

Emitted emitChemistry(const chem::Mechanism &mechanism, Variant variant, const Options &options,
                      const ChemistryLayout &layout, const ChemistryTreatment &treatment) {
  if (!treatment.isNone())
    return variant == Variant::Plain ? emitQssaPlain(mechanism, treatment, options, layout)
                                     : emitQssaCpu(mechanism, treatment, options);
  const flow::Program program = chemistryProgramOf(mechanism, options);
  if (variant == Variant::Plain && layout.loopsForLong && options.precision != Precision::Float &&
      isLong(program, layout))
    return emitQssaPlain(mechanism, treatment, options, layout);
  return variant == Variant::Plain ? emitPlainChemistry(mechanism, program, options, layout)
                                   : emitCpuChemistry(mechanism, program, options);
}

} // namespace heddle::kernels
