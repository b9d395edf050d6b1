// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates, one thread a point (`plain`) or a vector of points at a time on the host (`cpu`).
//
// The two of them decide how fast it runs on a GPU, and neither is left to the compiler: registers, by an
// order of the reactions that keeps few species alive; and the instruction cache, by cutting long mechanisms
// into parts that each go over several tiles of points before the next is fetched.
#pragma once

#include "chem/Mechanism.h"
#include "flow/Program.h"
#include "kernels/Emitted.h"

namespace heddle::kernels {

/// How the plain form is laid out; instructions are those of flow/Cost.h. The defaults are the best that were
/// measured on an H200, whose instruction cache holds 128 KB.
struct ChemistryLayout {
  unsigned instructionsInWhole = 7600; ///< what has no more than this is not cut
  unsigned threadsForWhole = 256;      ///< a block of it: with all registers a thread can have
  unsigned instructionsInPart = 6000;  ///< of what is cut
  unsigned threadsForParts = 384;      ///< a block of it
  unsigned tilesInTurn = 16;           ///< how many tiles each part goes over before the next part begins
};

/// The operations that all forms are made of.
flow::Program chemistryProgramOf(const chem::Mechanism &mechanism, Units units);

Emitted emitChemistry(const chem::Mechanism &mechanism, Form form, const Options &options,
                      const ChemistryLayout &layout = {});

} // namespace heddle::kernels
