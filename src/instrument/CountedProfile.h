// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"
#include "instrument/CountFile.h"
#include "instrument/Instrument.h"

namespace heddle::instrument {

/// A module that was instrumented.
struct InstrumentedModule {
  ptx::Module module; ///< as the compiler wrote it
  CountedPtx counted;
};

/// What the counters of a launch say, in the form in which the simulator says it. Where thread blocks were sampled, the
/// others are taken to do what the sampled one before them did.
///
/// Not known: sectors of global memory.
divergence::LaunchProfile profileOf(const CountedLaunch &launch, const InstrumentedModule &module,
                                    unsigned registers);

} // namespace heddle::instrument
