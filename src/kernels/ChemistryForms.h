// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forms of the chemistry kernel share.
#pragma once

#include "flow/Segments.h"
#include "kernels/Chemistry.h"
#include "kernels/Template.h"

namespace heddle::kernels {

/// The operations as parts in the order they run, at least one.
std::vector<flow::Segment> partsOf(const flow::Program &program, unsigned instructionsInWhole,
                                   unsigned instructionsInPart);

/// Results that nothing contributes to: they are zero all the same.
std::vector<unsigned> emptySums(const flow::Program &program);

/// What every form's text says of a mechanism: $mechanism$, $species$, $reactions$, $units$ and $header$.
Replacements commonOf(const chem::Mechanism &mechanism, const Options &options);

Emitted emitPlainChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                           const Options &options, const ChemistryLayout &layout);
Emitted emitCpuChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                         const Options &options);

} // namespace heddle::kernels
