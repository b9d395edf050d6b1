// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates, one thread per point (`plain`) or a vector of points at a time on the host (`cpu`).
//
// The two of them decide how fast it runs on a GPU, and neither is left to the compiler: registers, by an
// order of the reactions that keeps few species alive; and the instruction cache, by cutting long mechanisms
// into parts that each go over several tiles of points before the next is fetched.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Qssa.h"
#include "flow/Program.h"
#include "kernels/Emitted.h"
#include "model/Thresholds.h"

#include <optional>

namespace heddle::kernels {

/// How the plain variant is laid out; instructions are those of flow/Cost.h.
struct ChemistryLayout {
  /// What has no more than this is not cut.
  unsigned instructionsInWhole = model::threshold::chemistry::instructionsInWhole;
  unsigned threadsForWhole = model::threshold::chemistry::threadsForWhole;       ///< a block of it
  unsigned instructionsInPart = model::threshold::chemistry::instructionsInPart; ///< of what is cut
  unsigned threadsForParts = model::threshold::chemistry::threadsForParts;       ///< a block of it
  /// How many tiles each part goes over before the next part begins.
  unsigned tilesPerPass = model::threshold::chemistry::tilesPerPart;

  /// Does long chemistry take its powers in loops, instead of being cut?
  bool loopsForLong = true;
  /// What has no more than this needs no loops.
  unsigned instructionsWithoutLoops = model::threshold::chemistry::instructionsWithoutLoops;

  // Of kernels with loops (QssaPlain.cpp), as with quasi-steady or stiff species.
  std::optional<unsigned> threadsForLoops; ///< a block's; chosen where it is not given
  /// Points that a thread goes through with one stage before the next. What a stage leaves is kept for each:
  /// local memory, which a GPU sets aside for all threads that it could hold.
  unsigned pointsPerStage = model::threshold::chemistry::pointsPerStage;
  /// Exponentials that loops take ahead, 8 bytes each of shared memory a thread; chosen where it is not
  /// given.
  std::optional<unsigned> powersAtATime;
  /// A rate constant of as many instructions is kept for the third stage.
  unsigned keepFrom = model::threshold::chemistry::keepFrom;
};

/// Species that chemistry does not treat as the others; none is the usual case.
struct ChemistryTreatment {
  chem::QssaPlan quasiSteady;
  std::vector<unsigned> stiff;

  bool isNone() const { return quasiSteady.species.empty() && stiff.empty(); }
};

/// What the chemistry kernels of all variants compute. An irreversible reaction and its reverse right after it
/// are one reaction there (chem/PairReverse.h), which needs fewer operations.
flow::Program chemistryProgramOf(const chem::Mechanism &mechanism, const Options &options,
                                 bool isRegular = false);

/// The same with a treatment; `keepFrom` as in the layout.
flow::Program qssaProgramOf(const chem::Mechanism &mechanism, const ChemistryTreatment &treatment,
                            const Options &options, unsigned keepFrom);

/// Is the plain variant, without quasi-steady and stiff species, so long that its exponentials are computed in loops, or that it
/// is divided into parts?
bool isLong(const chem::Mechanism &mechanism, const Options &options, const ChemistryLayout &layout);

/// Plain or cpu; Warps.h has the warp-specialized variant.
/// With stiff species, functions are called stiff_chemistry and take two arguments more: see Emitted.h.
Emitted emitChemistry(const chem::Mechanism &mechanism, Variant variant, const Options &options,
                      const ChemistryLayout &layout = {}, const ChemistryTreatment &treatment = {});

} // namespace heddle::kernels
