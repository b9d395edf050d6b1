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

/// What is known of a launch. Everything else is taken to be anything: parameters, memory, the block's index
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
  std::optional<vm::Dim3> grid; ///< blocks of the grid; unknown where not given
  /// Where the grid is not known: the largest extent of those launches that are meant in each direction, 0 for unknown. Looked at only in
  /// directions whose index the kernel does not read; in the others, the verdict is for every extent.
  vm::Dim3 mostBlocks = {0, 0, 0};
  /// The grid is part of how a launch is modelled: verdicts do not name it as an input that was given.
  bool isGridModelled = false;
  std::optional<vm::Dim3> blockId;            ///< the one block that is looked at; any where not given
  std::optional<uint32_t> dynamicSharedBytes; ///< unknown where not given
  std::string whySharedUnknown;               ///< "'n' is a parameter of 'main'"; may be empty
  std::vector<Parameter> parameters;
  /// The caller vouches that constant memory holds what the file initializes it with.
  bool constantsAreKnown = false;
  /// Lanes of a warp execute each instruction together, as before Volta.
  bool lockstep = false;
  /// The PTX was made by an optimizer that may have removed accesses of the source: verdicts say so.
  bool isOptimized = false;
  vm::Limits limits;
  double maxSeconds = 0; ///< 0: no limit
};

/// What the check decides, each by itself. StaticProperties.cpp maps rules to them.
enum class Property : uint8_t {
  SharedRaces,              ///< accesses to shared memory, asynchronous copies included
  GlobalRacesInBlock,       ///< accesses to global memory by threads of one block
  GlobalRacesBetweenBlocks, ///< accesses to global memory by threads of different blocks
  BarrierUse,               ///< barriers, mbarriers and warp-level operations are used by their rules
  Deadlock,
  SharedBounds,   ///< shared and local memory: bounds, alignment; traps
  Initialization, ///< shared and local memory is written before it is read
};
constexpr unsigned Properties = 7;
using PropertySet = uint32_t;
constexpr PropertySet AllProperties = (1u << Properties) - 1;
constexpr PropertySet setOf(Property property) { return 1u << unsigned(property); }
/// "shared-memory races"
std::string_view nameOf(Property property);
/// "shared-races", for programs
std::string_view idOf(Property property);

enum class Decision : uint8_t { Proved, Violated, Undecided };
std::string_view nameOf(Decision decision);

struct PropertyVerdict {
  Property property = Property::SharedRaces;
  Decision decision = Decision::Undecided;
  std::string why;                   ///< of Undecided
  std::vector<std::string> assuming; ///< of Proved: what "every input" leaves out
};

/// All properties together.
enum class Verdict : uint8_t {
  Holds,    ///< each is proved for every input, or for every one with what was given
  Fails,    ///< one is violated: the findings say how
  Undecided ///< none is violated, and one is undecided
};
std::string_view nameOf(Verdict verdict);

/// Why properties are undecided.
/// Of a reason that the grid decides.
constexpr std::string_view GridHint = "heddle check --static --grid X,Y,Z may decide it";

struct UndecidedReason {
  SourceLocation location;
  std::string text; ///< "the shared address of this store depends on parameter 'n'"
  std::vector<Finding::Note> notes;
  std::string hint; ///< "--param n=VALUE"
  PropertySet properties = AllProperties;
};

struct StaticResult {
  Verdict verdict = Verdict::Undecided;
  /// What the caller fixed of the input: "n = 100", "blockIdx = (0, 0, 0)". The verdict is for every input with it.
  std::vector<std::string> given;
  std::vector<PropertyVerdict> properties; ///< one for each, in the order of the enum
  std::vector<Finding> findings;           ///< of what is violated
  std::vector<Property> violates;          ///< for each finding
  std::vector<UndecidedReason> undecided;  ///< of what is undecided
  /// Where the question itself is wrong (no such kernel, no such parameter, a block that is too large): all properties are
  /// undecided then.
  Diagnostics problems;
  bool cannotBeLaunched = false; ///< the problem is the block or its shared memory, which exceed a limit
  uint64_t warpInstructions = 0, barriers = 0;
  double seconds = 0;

  const PropertyVerdict &of(Property property) const { return properties[unsigned(property)]; }
};

/// Executes one block of the kernel with unknown data and decides each property, where it can, for every
/// input; what it cannot decide is named, with what it depends on.
StaticResult checkStatic(const ptx::Module &module, std::string_view kernel, const StaticOptions &options);

/// Whether the kernel may use an `extern __shared__` array, whose size a launch gives.
bool usesDynamicShared(const ptx::Module &module, std::string_view kernel);

/// The kernels of a module, in its order.
std::vector<std::string> kernelsOf(const ptx::Module &module);

} // namespace heddle::check
