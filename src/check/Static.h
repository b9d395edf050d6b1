// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Finding.h"
#include "vm/Limits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx {
struct Module;
}

namespace heddle::check {

/// What is known of a launch. Everything else is taken to be anything: parameters, memory, the block's place
/// in the grid.
struct StaticOptions {
  /// A parameter whose value the caller vouches for.
  struct Parameter {
    std::string which; ///< number from 0, or the name that the PTX has
    std::string
        value; ///< an integer (decimal or 0x...) or, for a parameter of 4 or 8 bytes, a float such as 0.5
    /// For a parameter of a class: only these bytes of it are known.
    struct Part {
      uint32_t offset = 0, bytes = 0;
    };
    std::optional<Part> part = std::nullopt;
  };

  vm::Dim3 block;
  std::optional<vm::Dim3> grid;    ///< blocks of the grid; unknown where not given
  std::optional<vm::Dim3> blockId; ///< the one block that is looked at; any where not given
  uint32_t dynamicSharedBytes = 0;
  std::vector<Parameter> parameters;
  /// The caller vouches that constant memory holds what the file initializes it with.
  bool constantsAreKnown = false;
  vm::Limits limits;
  double maxSeconds = 0; ///< 0: no limit
};

enum class Verdict : uint8_t {
  Holds,  ///< no deadlock, barriers recycled safely, no race in shared memory: for every input
  Fails,  ///< wrong for every input: the findings say how
  Outside ///< not decided, because synchronization or shared addresses depend on data
};
std::string_view nameOf(Verdict verdict);

/// Something that the kernel's synchronization or its shared addresses depend on and that is not known.
struct OutsideReason {
  Place place;
  std::string text; ///< "the shared address of this store depends on parameter 2"
  std::vector<Finding::Note> notes;
  std::string hint; ///< "--param 2=VALUE"
};

struct StaticResult {
  Verdict verdict = Verdict::Outside;
  std::vector<Finding> findings;      ///< of Fails
  std::vector<OutsideReason> outside; ///< of Outside; may be there with Fails too
  /// Where the check could not even begin (no such kernel, a bad block size, an instruction that the machine
  /// does not have): what was wrong. The verdict is Outside then.
  Diagnostics problems;
  uint64_t warpInstructions = 0, barriers = 0;
  double seconds = 0;
};

/// Executes one block of the kernel with unknown data. For kernels whose synchronization and shared addresses
/// do not depend on data the verdict is Holds or Fails, and holds for every input; what depends on data is
/// named.
StaticResult checkStatic(const ptx::Module &module, std::string_view kernel, const StaticOptions &options);

/// The kernels of a module, in its order.
std::vector<std::string> kernelsOf(const ptx::Module &module);

} // namespace heddle::check
