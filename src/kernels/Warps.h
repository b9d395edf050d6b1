// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp-specialized variant of all four kernels: the warps of a block share the work on 32 points, each doing
// its part of the operations for all of them. What is computed comes as a program, src/partition distributes it,
// and WarpsKernel.h writes it down.
#pragma once

#include "chem/Mechanism.h"
#include "kernels/Chemistry.h"
#include "kernels/Transport.h"
#include "partition/Constants.h"
#include "partition/Options.h"

namespace heddle::kernels {

/// What a person or a tuner may choose. What is not given is chosen by kernel and number of species.
struct WarpsLayout {
  unsigned warps = 0;     ///< of a block
  unsigned ctas = 0;      ///< blocks that a multiprocessor is to hold
  unsigned qssaWarps = 0; ///< for quasi-steady species, where there are any
  partition::Weights weights;
  std::optional<partition::Placement> placement;
  std::optional<partition::SumExchange> sums; ///< what warps send each other for a sum
  std::optional<bool> replicate;              ///< every warp does what is cheap and early for itself
  std::optional<partition::ConstantPlace>
      constants; ///< where numbers and indices that differ between warps are kept
};

/// The layout with everything chosen.
WarpsLayout chosenLayout(const WarpsLayout &asked, Kernel kernel, size_t species);

/// Nothing, with a refusal in `diagnostics`, where this cannot be.
std::optional<Emitted> emitWarpsChemistry(const chem::Mechanism &mechanism, const Options &options,
                                          const WarpsLayout &layout, const ChemistryTreatment &treatment,
                                          Diagnostics &diagnostics);
std::optional<Emitted> emitWarpsTransport(const TransportModel &model, Kernel kernel, const Options &options,
                                          const WarpsLayout &layout, Diagnostics &diagnostics);

} // namespace heddle::kernels
