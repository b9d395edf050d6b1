// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Chemistry.h"

#include "chem/ChemistryProgram.h"
#include "flow/Order.h"
#include "kernels/ChemistryForms.h"

namespace heddle::kernels {

namespace {

chem::ChemistryUnits unitsOf(Units units) {
  return units == Units::Si ? chem::ChemistryUnits{} : chem::ChemistryUnits{0.1, 1e-3};
}

std::string inWords(Units units) {
  return units == Units::Si ? "units are K, Pa and kmol/m3/s." : "units are K, dyn/cm2 and mol/cm3/s.";
}

} // namespace

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

Replacements commonOf(const chem::Mechanism &mechanism, const Options &options) {
  return {{"mechanism", inComment(mechanism.name)},
          {"species", std::to_string(mechanism.species.size())},
          {"reactions", std::to_string(mechanism.reactions.size())},
          {"units", inWords(options.units)},
          {"header", options.prefix + ".h"}};
}

flow::Program chemistryProgramOf(const chem::Mechanism &mechanism, Units units) {
  return chem::chemistryProgram(mechanism, unitsOf(units));
}

Emitted emitChemistry(const chem::Mechanism &mechanism, Form form, const Options &options,
                      const ChemistryLayout &layout) {
  const flow::Program program = chemistryProgramOf(mechanism, options.units);
  return form == Form::Plain ? emitPlainChemistry(mechanism, program, options, layout)
                             : emitCpuChemistry(mechanism, program, options);
}

} // namespace heddle::kernels
