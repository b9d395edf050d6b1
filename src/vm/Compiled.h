// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the simulator and its compiler (src/jit, a library that is loaded when it is needed) know of each other.
//
// Compiled code is a fast path of the loop in Warp.cpp: it executes instructions of one split, all its lanes together, from
// an entry until something happens that the loop has to look at. Then it writes back the registers that it changed, and
// returns where it stopped; the loop executes that instruction with its own handler and enters compiled code again at the next
// entry. Lanes that disagree about a branch may stay in compiled code, which then executes blocks for some of them, in the
// same order as the interpreter, until they reconverge; if it stops before that, they become splits.
#pragma once

#include "vm/Code.h"
#include "vm/Lanes.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::vm {

class Warp;
struct Frame;

/// How threads of a warp are arranged in the block: what of a launch code is compiled for.
enum class LaunchShape : uint8_t {
  Any,
  Rows16, ///< 16 threads from a multiple of 16 on are neighbours in x
  Rows32, ///< so are the threads of a warp
};
constexpr unsigned LaunchShapes = 3;

/// What of observed launches is part of compiled code.
struct Observed {
  bool blocks = false;       ///< entries of basic blocks and executions of branches are counted
  bool someBranches = false; ///< those of CompiledState::watchedBranches are reported
  bool globalMemory = false, sharedMemory = false;
  bool synchronization = false;
  bool any() const { return blocks || someBranches || globalMemory || sharedMemory || synchronization; }
};
constexpr Observed observedBy(ObservedForm form) {
  switch (form) {
  case ObservedForm::Blocks: return {.blocks = true, .globalMemory = true};
  case ObservedForm::Accesses:
    return {.someBranches = true, .globalMemory = true, .sharedMemory = true, .synchronization = true};
  case ObservedForm::All:
    return {.blocks = true, .globalMemory = true, .sharedMemory = true, .synchronization = true};
  case ObservedForm::Nothing: break;
  }
  return {};
}

/// What code of a launch is compiled for.
struct CompiledFor {
  LaunchShape shape = LaunchShape::Any;
  ObservedForm form = ObservedForm::Nothing;
  unsigned index() const { return unsigned(form) * LaunchShapes + unsigned(shape); }
};

/// Instructions that a warp executes before the next warp runs. Long enough that switching costs nothing, short
/// enough that warps of a block stay near each other in memory.
constexpr uint32_t WarpQuantum = 4096;

/// Blocks at which lanes of a split may wait while compiled code executes another one for the rest of them.
constexpr unsigned MostApart = 32;

/// A warp that compiled code begins when the one before has ended in it.
struct CompiledWarp {
  Warp *warp = nullptr;
  Frame *root = nullptr;
  uint8_t *registers = nullptr;
  const uint8_t *specials = nullptr;
  uint32_t *changes = nullptr, *polls = nullptr;
};

/// A load that compiled code notes for the observer, without the addresses that follow it: that of the first lane of each group.
struct NotedLoad {
  uint32_t inst = 0;
  uint8_t groups = 0;
  uint8_t kind = 0; ///< AccessKinds
  uint16_t unused = 0;
  int64_t stride = 0;
};
/// In words of 64 bits: of a NotedLoad, and of all that are noted.
constexpr unsigned NotedLoadWords = sizeof(NotedLoad) / sizeof(uint64_t), WordsForLoads = 512;

/// Loads that were noted and not yet reported.
struct LoadNotes {
  uint64_t *next = nullptr,
           *end = nullptr; ///< where the next one is noted, if that is below `end`. Both nullptr: none is
  uint64_t notes[WordsForLoads];
};

/// What compiled code reads and writes. Its layout is known to src/jit.
struct CompiledState {
  Warp *warp = nullptr;
  Frame *root = nullptr;                   ///< of a warp that has not begun yet (Warp::begin)
  uint8_t *registers = nullptr;            ///< rows of the frame
  const uint8_t *specials = nullptr;       ///< rows of special registers
  const uint32_t *blockSpecials = nullptr; ///< of those that depend on the block (Block::specials)
  uint8_t *shared = nullptr;
  const void *loads = nullptr, *stores = nullptr; ///< for each site the valid range of its last access
  uint32_t *changes = nullptr, *polls = nullptr;  ///< of the warp
  uint64_t sharedBytes = 0;
  uint64_t parameters = 0;
  /// Executes this many insts from `first` by their handlers; returns a Flow. If it is not Next, `stopped` is the inst.
  uint32_t (*execute)(CompiledState *, uint32_t first, uint32_t count) = nullptr;
  const CompiledWarp *next = nullptr,
                     *endOfNext = nullptr; ///< warps that have not begun, in the order of their turns
  uint64_t counted = 0;                    ///< PTX instructions executed and not yet counted for the block
  uint32_t mask = 0;                       ///< lanes of the split
  uint32_t firstLane = 0;                  ///< of them
  uint32_t orderLimit = 0; ///< other splits may have to go first from this position in the order on
  uint32_t budget = 0;     ///< insts until others must run
  uint32_t spent = 0;      ///< insts since the last jump
  uint32_t roundsLeft = 0; ///< backward jumps until the split is checked for polling
  uint32_t stopped = 0;
  uint32_t roundsCounted = 0; ///< value of roundsLeft up to which backward jumps are counted for the split
  /// What was executed while lanes were apart (jit/Regions.h), not counted yet either. Numbers that compiled code has just stored are
  /// not neighbours: loaded together, as compilers like to do, they would have to wait until both are in the cache.
  uint64_t apartCounted = 0;
  /// Lanes that were apart when compiled code stopped: `here` at the inst, others at the first inst of a block.
  uint32_t apartCount = 0, here = 0;
  uint64_t apartThreads = 0;
  struct Apart {
    uint32_t mask, pc, roundsLeft;
  } apart[MostApart];
  // For an observer (CompiledEvents.cpp).
  const Code *code = nullptr;
  uint64_t *enteredBlocks = nullptr;        ///< of the warp, by basic block: entries of all its lanes
  uint64_t *agreedBranches = nullptr;       ///< of the block, by site: executions by lanes that agreed
  const uint8_t *watchedBranches = nullptr; ///< by site
  void (*noteBlock)(CompiledState *, uint32_t block, uint32_t mask) = nullptr;
  void (*noteBranch)(CompiledState *, uint32_t inst, uint32_t mask, uint32_t taken) = nullptr;
  /// False: the handler is to execute the inst. `kind`: AccessKinds; `groups`, `stride` as in PlainAccess.
  uint32_t (*noteAccess)(CompiledState *, uint32_t inst, uint32_t mask, uint32_t kind, uint32_t groups,
                         int32_t stride) = nullptr;
  uint64_t addresses[Lanes];
  /// Loads by groups that the observer takes later.
  LoadNotes globalLoads, sharedLoads;
};
enum AccessKinds : uint32_t { StoreAccess = 1, SharedAccess = 2, ConstantAccess = 4 };

/// Why compiled code returned, above the inst at which it stopped.
enum class CompiledExit : uint32_t {
  Interpret, ///< the inst is to be executed by its handler
  Leader,    ///< the inst is the first of a block that another split may have to reach first
  Part,      ///< the inst is an entry of another part of the function
  Handler,   ///< plus a Flow: its handler was executed and returned that
};
constexpr unsigned CompiledExitShift = 32;

/// What compiled code returned, and the insts since the last jump.
struct EnteredCode {
  uint64_t result = 0;
  uint32_t spent = 0;
};

using CompiledFunction = uint64_t (*)(CompiledState *, uint32_t entry);

/// The sanitizer would look for the function's type before its first instruction, where compiled code has nothing, perhaps
/// not even a page.
[[clang::no_sanitize("function")]] inline uint64_t callCompiled(CompiledFunction run, CompiledState &state,
                                                                uint32_t entry) {
  return run(&state, entry);
}

/// How the warps of a block enter compiled code at its first instruction, one after the other.
struct CompiledStart {
  CompiledFunction run = nullptr; ///< nullptr: not known yet
  uint32_t entry = 0;
  CompiledState state;
};

/// A row of which compiled code takes every group of `lanes` to be first + lane * stride.
struct ExpectedRow {
  Loc row = 0;
  uint8_t bytes = 0; ///< of an element; 0: a predicate
  uint8_t lanes = 0;
  int32_t stride = 0;
};

/// Some instructions of a function; all, if it is small.
struct CompiledPart {
  std::atomic<CompiledFunction> run = nullptr; ///< nullptr until it is needed
  std::atomic<bool> isAsked = false;           ///< somebody makes it, or has tried to
};

/// Compiled code for some kind of mask.
struct CompiledVersion {
  std::vector<CompiledPart> parts;
  std::atomic<bool> isWanted = false; ///< parts are made when they are entered
  std::atomic<uint32_t> missed = 0;   ///< entries before that
  /// For each entry. Rows of lanes that were separated are compared with this, since lanes that wait for each other may meet
  /// in different iterations of a loop.
  std::vector<std::vector<ExpectedRow>> expected;
};

/// What an inst is for compiled code.
struct CompiledPlace {
  uint32_t entry = 0; ///< its number plus one; 0: none
  uint16_t part = 0;  ///< of the entry
  /// Whether its result may not be what entries expect of a row; compiled code leaves it to its handler then.
  bool mayWrap = false;
};

/// The compiled form of a Code.
class CompiledCode {
public:
  virtual ~CompiledCode() = default;

  mutable CompiledVersion whole;     ///< for all 32 lanes
  mutable CompiledVersion masked;    ///< for any lanes
  std::vector<CompiledPlace> places; ///< for each inst

  /// Makes a part that has no function yet, one thread at a time. nullptr if that fails.
  virtual CompiledFunction prepare(CompiledVersion &version, uint32_t part) const = 0;
  /// Why prepare() failed.
  virtual std::string problem() const = 0;
};

/// What a Code is compiled from.
struct CompileRequest {
  const Kernel &kernel;
  const Code &code;
  std::vector<Loc> registers;        ///< the row of each register
  std::vector<uint8_t> destinations; ///< of each PTX instruction: how many of its first operands are written
  LaunchShape shape;
  Observed observed;
  uint32_t mostInPart = 0; ///< instructions; 0: as many as are compiled at once without loss
};

/// The compiler, in its library.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Without versions yet. nullptr if the code cannot be compiled, with the reason in `why`, or if nothing of it would be.
  virtual std::unique_ptr<CompiledCode> compile(const CompileRequest &request, std::string &why) = 0;
  /// What is called often while something is compiled, by the same thread, which then holds no lock that others wait for.
  virtual void setBetweenPasses(void (*look)()) = 0;
};

/// What the library exports under this name: a function that returns the one compiler of the process.
constexpr const char *CompilerFactory = "heddleCompiler";
using CompilerFactoryFunction = Compiler *(*)();

} // namespace heddle::vm
