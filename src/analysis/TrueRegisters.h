// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Toolkit.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace heddle::analysis {

/// What ptxas says a kernel needs. Bytes are for one thread, shared memory for a block.
struct KernelResources {
  unsigned registers = 0;
  unsigned barriers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0, spillLoadBytes = 0;
  unsigned staticSharedBytes = 0;
  unsigned constantBytes = 0;  ///< of all banks
  bool keepsRegisters = false; ///< setmaxnreg was asked for, and ptxas has dropped it

  bool spills() const { return spillStoreBytes || spillLoadBytes; }
};

struct TrueRegisters {
  std::map<std::string, KernelResources> kernels; ///< by mangled name
  std::map<std::string, unsigned>
      likely;         ///< estimates from the PTX, where they were asked for; by mangled name
  std::string whyNot; ///< set where ptxas gave no answer, for a person
};

struct RegistersAsked {
  bool ofPtxas = true;
  /// For estimates from the PTX (PtxRegisters.h), which need no toolkit; 0: none.
  unsigned atFullOccupancy = 0;
};

/// Compiles the file to PTX with Clang and assembles it with the toolkit's ptxas.
TrueRegisters trueRegisters(const std::filesystem::path &file, const source::CompileOptions &options,
                            const RegistersAsked &asked = {});
/// The same for PTX that is there already. `arch` is the name ptxas knows: "sm_90".
TrueRegisters registersOfPtx(const std::filesystem::path &ptx, const std::string &arch,
                             const std::filesystem::path &ptxas);
/// Reads what `ptxas -v` prints.
std::map<std::string, KernelResources> parsePtxasOutput(const std::string &text);

} // namespace heddle::analysis
