// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the variants of the chemistry kernel share.
#pragma once

#include "chem/ChemistryProgram.h"
#include "flow/Segments.h"
#include "kernels/Chemistry.h"
#include "kernels/Template.h"

namespace heddle::kernels {

/// The operations as parts in the order they run, at least one.
std::vector<flow::Segment> partsOf(const flow::Program &program, unsigned instructionsInWhole,
                                   unsigned instructionsInPart);

/// Results that nothing contributes to: they are zero all the same.
std::vector<unsigned> emptySums(const flow::Program &program);

/// What every variant's text states about a mechanism: $mechanism$, $species$, $reactions$, $units$ and $header$.
Values commonOf(const chem::Mechanism &mechanism, const Options &options);

Emitted emitPlainChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                           const Options &options, const ChemistryLayout &layout);
Emitted emitCpuChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                         const Options &options);

/// With quasi-steady or stiff species; the program is chem/QssaProgram.h's.
Emitted emitQssaPlain(const chem::Mechanism &mechanism, const ChemistryTreatment &treatment,
                      const Options &options, const ChemistryLayout &layout);
Emitted emitQssaCpu(const chem::Mechanism &mechanism, const ChemistryTreatment &treatment,
                    const Options &options);

/// "_qssa_stiff_chemistry", between the prefix and the variant.
std::string chemistryStem(const ChemistryTreatment &treatment);
/// "PREFIX_qssa_stiff_chemistry_FORM", and what it does in words that end without a full stop.
Function qssaFunction(const Options &options, const ChemistryTreatment &treatment, Variant variant);

chem::ChemistryUnits unitsOf(Units units);
/// "kmol/m3/s"
const char *rateUnit(Units units);
/// Species' names for a comment; "none".
std::string namesOf(const chem::Mechanism &mechanism, const std::vector<unsigned> &species);

} // namespace heddle::kernels
