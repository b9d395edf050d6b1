// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle profile --device gpu: the program's divergence as the GPU of this machine counts it.
#pragma once

#include "build/Program.h"
#include "instrument/Measure.h"

namespace heddle::cli {

struct Session;

/// Whether the program can be measured here; else the message is printed and the exit code set. Options become those of the program that is
/// to be built.
bool prepareGpuProfile(build::ProgramOptions &options, Session &session);

/// Runs the program with counters in its kernels. Nothing, with the message printed and the exit code set, where its device code cannot be
/// instrumented.
std::optional<instrument::Measured> measureOnGpu(const build::Program &program,
                                                 const build::ProgramOptions &options, bool showsOutput,
                                                 Session &session);

} // namespace heddle::cli
