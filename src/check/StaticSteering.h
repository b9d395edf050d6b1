// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of a kernel, executed with unknown data.
//
// The simulator executes; this decides for each instruction which lanes of its results are known, and keeps
// unknown values from deciding anything:
//   - arithmetic on unknown lanes gives unknown lanes (StaticRules.cpp);
//   - global memory is neither read nor written: its contents and addresses are data (StaticMemory.cpp);
//   - a barrier, a shared address, an mbarrier that depends on data is undecided (StaticSync.cpp);
//   - lanes that do not know how a branch goes pass its region at once: where it touches no shared memory by
//     forgetting what it may write, else by going all its ways, with accesses that may or may not happen
//     (StaticFlow.cpp).
#pragma once

#include "check/Locations.h"
#include "check/Static.h"
#include "check/StaticBases.h"
#include "check/StaticChoices.h"
#include "check/StaticPlan.h"
#include "check/StaticPointers.h"
#include "check/StaticRegion.h"
#include "check/StaticShadow.h"
#include "vm/Grid.h"
#include "vm/ParameterNames.h"
#include "vm/Steering.h"

#include <cstdint>
#include <set>

namespace heddle::check {

/// What is known of the launch, in the form that the execution needs.
struct Knowledge {
  std::vector<uint8_t> parameters;       ///< the parameter buffer
  std::vector<uint8_t> parameterUnknown; ///< for each of its bytes
  std::vector<uint8_t> parameterOf;      ///< for each of its bytes, the parameter
  std::optional<vm::Dim3> grid, blockId;
  vm::Dim3 mostBlocks = {0, 0, 0}; ///< as StaticOptions has it
  /// Variables that the source declares const: they hold what the file initializes them with.
  struct Table {
    uint64_t begin = 0, end = 0;
  };
  std::vector<Table> tables;
  bool constants = false;           ///< constant memory holds what the file initializes it with
  bool isSharedSizeUnknown = false; ///< the size of dynamic shared memory is not given
  uint64_t nowhere = 0;             ///< global memory where asynchronous copies come from and go to
};

/// What an unknown address of the thread's own memory, which no other thread touches, leaves undecided.
constexpr PropertySet OfLocal = setOf(Property::SharedBounds) | setOf(Property::Initialization);

class StaticSteering final : public vm::Steering {
public:
  StaticSteering(const vm::Kernel &kernel, const Knowledge &knowledge, Choices &choices);

  void warpBegins(vm::Warp &warp) override;
  vm::Flow step(vm::Warp &warp, const vm::Inst &in) override;

  /// What happens now may happen or not: observers ask while an event comes.
  bool isPerhaps() const { return perhaps != 0; }
  /// What decides it.
  Origins perhapsOrigins() const { return perhapsBecause; }
  /// The branch or guard that decides it.
  const ptx::Instr *perhapsFrom() const { return perhapsBranch; }

  /// Of the store that happens now: lanes whose value is not known, and lanes where what was there before is
  /// not.
  uint32_t unknownValues() const { return storesUnknown; }
  uint32_t unknownBefore() const { return overUnknown; }

  /// An access to global memory, while its event comes: where it leads, and what it may have been computed
  /// from.
  struct GlobalAccess {
    LaneForms address;
    Facts facts; ///< what must hold for the access to happen
    Bases bases = 0;
    uint32_t unknownValues = 0;                    ///< of a store: lanes
    alignas(8) uint64_t values[8][vm::Lanes] = {}; ///< of a store: elements, by lane
    uint32_t elements = 1, elementBytes = 4;
  };
  const GlobalAccess &globalAccess() const { return global; }
  /// Whether global memory is written at all, so that accesses to it matter.
  bool followsGlobal() const { return follows; }
  /// Whether loads were taken not to read what stores through other pointers write.
  bool readsApart() const { return apart; }
  const Forms &allForms() const { return forms; }
  /// The parameter that these bytes of the parameters belong to, in words.
  std::string parameterAt(uint32_t offset) const;
  /// "blockIdx.x", "gridDim.y" or "n"; nothing for what has no name in the source.
  std::optional<std::string> nameOf(Forms::Symbol symbol) const;
  const PointerBases &pointerBases() const { return bases; }
  const vm::ParameterNames &parameterNames() const { return names; }

  /// A loop that may wait for other threads by looking at memory: order may come from it that is not seen
  /// here.
  const ptx::Instr *polledAt() const { return polled; }

  /// Code that waits by looking at memory, whether it was executed or not.
  const ptx::Instr *spinsAt() const;

  /// A store to shared or local memory may have gone anywhere there: what nothing seems to have written may be.
  bool wroteAnywhere() const { return anywhereWritten; }

  /// A write to global memory, if there is one.
  const ptx::Instr *writesGlobalAt() const;

  /// A loop was passed whose end depends on data: that it ends is taken for granted.
  bool passedLoop() const { return loopPassed; }
  /// Whether a trap or an assertion that may fail was passed, and one after accesses that were left out for it.
  bool passedTrap() const { return trapPassed; }
  bool passedActsBeforeTrap() const { return actsBeforeTrapPassed; }
  /// A value that is known was read from shared memory.
  bool usedShared() const { return sharedUsed; }

  /// A branch went a way that may not exist: what is found after it is not certain.
  bool hasAssumed() const { return assumed; }

  /// A round of a loop was executed for any later one.
  bool hasRounds() const { return roundsBegun; }

  /// Threads may have left before the others synchronize: what other threads store may not have been stored.
  bool mayHaveLeft() const { return leftOrigins != 0; }
  /// What decides it.
  std::string leftBecause() const { return describe(leftOrigins); }

  const std::vector<UndecidedReason> &undecided() const { return reasons; }
  /// The branches on data that all threads took alike, in words.
  const std::vector<std::string> &waysTaken() const { return ways; }
  SourceLocation locationOf(const ptx::Instr &instr) const;
  /// The execution was given up, and the simulator's fault is not one of the kernel's.
  bool gaveUp() const { return stopped; }

private:
  using Flow = vm::Flow;
  using Inst = vm::Inst;
  using Warp = vm::Warp;

  // Where we are: set by enter().
  WarpShadow *shadow = nullptr;
  FrameShadow *regs = nullptr;
  const TaintPlan *plan = nullptr;

  void enter(Warp &warp);
  const ptx::Module &executedModule() const { return *kernel.entry().module; }
  bool mayChange(const ptx::Function &function, const ptx::Instr &instr) const;
  const TaintStep &stepOf(const Inst &in) const {
    return plan->steps[plan->code->sources[size_t(&in - plan->code->insts.data())]];
  }
  std::span<const uint32_t> dstsOf(const TaintStep &s) const {
    return {plan->registers.data() + s.first, s.dsts};
  }
  std::span<const uint32_t> srcsOf(const TaintStep &s) const {
    return {plan->registers.data() + s.first + s.dsts, s.srcs};
  }
  Taint taintOf(uint32_t reg, uint32_t mask) const {
    return reg == ptx::kNone ? Taint{} : regs->of(reg, mask);
  }
  Taint sourcesOf(const TaintStep &s, uint32_t mask) const;
  Taint operandTaint(const ptx::Operand &operand, uint32_t mask) const;
  void setDsts(const TaintStep &s, uint32_t mask, const Taint &taint) {
    for (uint32_t reg : dstsOf(s))
      if (reg != ptx::kNone)
        regs->set(reg, mask, taint);
  }

  /// Lanes that execute an instruction: those that do, and those of which it is not known.
  struct Who {
    uint32_t sure = 0, maybe = 0;
    Origins because = 0;
  };
  Who whoExecutes(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const;
  /// Everything but flow.
  Flow act(Warp &warp, const Inst &in, const TaintStep &s, const Who &who);
  Flow actSurely(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);

  // StaticRules.cpp
  Flow compute(Warp &warp, const Inst &in, const TaintStep &s, const Who &who);
  Taint resultOf(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const;
  bool isElsewhere(const Inst &in, const TaintStep &s) const;
  bool sourcesAlike(Warp &warp, const TaintStep &s, uint32_t mask);
  Taint compareResult(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const;

  // StaticFollow.cpp
  bool follow(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask, LaneForms &result);
  std::optional<Extremum> followExtremum(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Condition followComparison(Warp &warp, const Inst &in, const TaintStep &s, uint32_t lanes);
  Condition followPredicate(Warp &warp, const Inst &in, const TaintStep &s, uint32_t lanes);
  void followParameter(uint32_t reg, uint32_t mask, uint64_t offset, uint32_t bytes);
  void formsOf(Warp &warp, const Inst &in, const TaintStep &s, unsigned index, unsigned bits, uint32_t mask,
               LaneForms &out);
  void addressForms(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask, LaneForms &out) const;

  // StaticMemory.cpp
  struct Reach {
    uint32_t shared = 0, local = 0, parameter = 0; ///< lanes, by where their addresses lead
    uint32_t constant = 0;                         ///< to constant memory that is known
    uint32_t unknownLocal = 0, unknownShared = 0;
    Taint taint;
    alignas(64) uint64_t address[vm::Lanes];
  };
  void reach(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask, Reach &out) const;
  Flow load(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow store(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow atomic(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow matrix(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow copyAsync(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow bulkCopy(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  void observeGlobal(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask, vm::AccessKind kind);
  void gatherStored(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Taint parameterTaint(uint64_t offset, uint32_t bytes) const;
  Taint bytesTaint(Warp &warp, const Reach &reach, uint64_t offset, uint32_t bytes);
  void setBytes(const Reach &reach, uint64_t offset, uint32_t bytes, const Taint &value);
  void leadNowhere(Warp &warp, vm::Loc row, uint32_t mask) const;
  /// Runs the handler; a fault on a way that may not be taken is no fault yet.
  Flow execute(Warp &warp, const Inst &in, uint32_t mask);

  // StaticSync.cpp
  Flow barrier(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow warpSync(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Flow mbarrier(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask);
  Taint warpSyncResult(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const;
  bool syncsAlike(Warp &warp, const Inst &in, uint32_t mask) const;

  // StaticFlow.cpp
  Flow branch(Warp &warp, const Inst &in, const TaintStep &s);
  Flow leave(Warp &warp, const Inst &in, const TaintStep &s);
  Flow call(Warp &warp, const Inst &in, const TaintStep &s, const Who &who);
  Flow callExternal(Warp &warp, const Inst &in, const vm::CallSite &site, uint32_t mask);
  Flow passRegion(Warp &warp, const Inst &in, uint32_t lanes, const Taint &because);
  bool goTogether(Warp &warp, const TaintStep &s, const Region &region, uint32_t unsure) const;
  Flow walk(Warp &warp, uint32_t pc, uint32_t mask, uint32_t join);
  Flow walkBranch(Warp &warp, const Inst &in, uint32_t &mask, uint32_t join, uint32_t &pc);
  void leaveGlobal(const Inst &in);
  Flow endLanes(Warp &warp, const Inst &leaving, uint32_t lanes);
  void copyArguments(Warp &warp, const Inst &in, uint32_t mask);
  void copyResults(Warp &warp, uint32_t mask);
  void forget(const Region &region, uint32_t lanes, Origins because);
  void passTrap(const Region &region);
  uint32_t mayBeGlobal(const vm::Inst &in, const Reach &to, uint32_t mask) const;
  void noteUnknown(const vm::Inst &in, const Reach &to, const char *access);
  void forgetLocal(uint32_t lanes, Origins because);
  uint32_t indexOf(const Inst &in) const {
    return plan->code->sources[size_t(&in - plan->code->insts.data())];
  }

  // StaticLoops.cpp
  /// A loop that ends when data says so, when a warp comes to its branch for the first time.
  struct OpenLoop {
    const Inst *branch = nullptr;
    std::vector<uint32_t> registers; ///< that may move by a fixed step
    std::vector<LaneForms> before;   ///< what they were sums of at the branch
    std::vector<LaneForms> after;    ///< and one iteration later, of what they held at its beginning
    std::vector<LaneForms> steps;    ///< the difference, where it is always the same
    Facts back;                      ///< what follows after one iteration from going back once more
    uint32_t arrived = 0;            ///< lanes that returned to the branch
  };
  Facts enterLoop(Warp &warp, const Inst &in, const TaintStep &s, const Region &region, uint32_t mask,
                  const Taint &unsure, const std::vector<uint32_t> &ways, uint32_t join);
  void closeLoop(Warp &warp, const Inst &in, const TaintStep &s, const Region &region, uint32_t mask);
  Facts backFacts(const Inst &in, const TaintStep &s, const Region &region) const;
  FormValue later(const OpenLoop &loop, const FormValue &sum, unsigned lane, const FormValue &iterations);
  void currentSums(Warp &warp, uint32_t reg, uint32_t mask, LaneForms &out);
  /// What holds for these lanes for as long as the guard lives.
  class Assume {
  public:
    Assume(StaticSteering &steering, uint32_t lanes, const Facts &facts);
    ~Assume() { all.resize(before); }
    Assume(const Assume &) = delete;
    Assume &operator=(const Assume &) = delete;

  private:
    std::vector<std::pair<uint32_t, LaneForms>> &all;
    const size_t before;
  };
  /// What follows from a guard that is unknown, where it is `value`.
  Facts guardFacts(uint32_t guard, bool value) const;
  void gatherFacts(uint32_t mask);
  /// Whether sums of these lanes have a symbol from `first` up to, not including, `end`.
  bool mentions(uint32_t lanes, const LaneForms &sums, uint32_t first, uint32_t end) const;

  // StaticAgree.cpp
  bool mayAgree(Warp &warp, const TaintStep &s, const Region &region, uint32_t unsure);
  Flow agree(Warp &warp, const Inst &in, const TaintStep &s, const Region &region, Origins because);
  bool settle(Warp &warp, const Inst &in, uint32_t arrival, Origins because);
  bool settleSums(Arrival &last, bool compares);
  bool isNested(const Inst &in);
  void forgetMemory(Origins because);

  // StaticLeaving.cpp
  std::optional<bool> remainsByJumping(const Inst &in, const TaintStep &s) const;
  bool mayLeaveEarly(Warp &warp, const Inst &in, const TaintStep &s, const Region &region, uint32_t unsure);
  Flow remain(Warp &warp, const Inst &in, const TaintStep &s, Origins because);

  // StaticUndecided.cpp
  std::string describe(Origins origins) const { return origin::describe(origins, names); }
  /// Notes a reason and goes on.
  void note(const ptx::Instr &instr, std::string text, Origins origins,
            PropertySet properties = AllProperties, std::vector<Finding::Note> notes = {});
  /// Notes a reason and ends the execution.
  Flow giveUp(Warp &warp, const Inst &in, std::string text, Origins origins,
              std::vector<Finding::Note> notes = {});
  Flow syncDepends(Warp &warp, const Inst &in, const Region &region, Origins origins);

  const vm::Kernel &kernel;
  const Knowledge &known;
  Choices &choices;
  const vm::ParameterNames names;
  const GenericPointers sharedPointers, localPointers;
  const PointerBases bases;
  Regions regions;
  Forms forms;
  GlobalAccess global;
  bool follows = false;   ///< global memory
  bool apart = false;     ///< loads were left out, since nothing writes through their pointers
  bool abandoned = false; ///< a walk that is about global memory only took too long
  unsigned onlyGlobal = 0;
  uint64_t walkedForGlobal = 0;
  std::vector<std::pair<uint32_t, LaneForms>> facts; ///< for lanes: sums that are at least 0
  OpenLoop *dry = nullptr; ///< this loop is looked at for the first time: no event is reported
  std::unordered_map<const ptx::Instr *, Forms::Symbol> loopSymbols; ///< iterations, by the loop's branch
  std::unordered_map<const vm::Code *, TaintPlan> plans;
  std::vector<std::unique_ptr<WarpShadow>> warps;
  ByteShadow sharedBytes;
  unsigned perhaps = 0;
  uint32_t storesUnknown = 0, overUnknown = 0;
  const ptx::Instr *polled = nullptr;
  Origins perhapsBecause = 0;
  const ptx::Instr *perhapsBranch = nullptr;
  std::optional<std::vector<bool>> varying;   ///< registers of the kernel, once they are needed
  std::vector<vm::Loc> registerLocations;     ///< of a function's registers, likewise
  const ptx::Function *registersOf = nullptr; ///< which function's
  bool assumed = false;
  Origins agreedOrigins = 0;              ///< of branches that all threads take alike
  std::vector<std::string> ways;          ///< those branches in words, in the order in which they were met
  Origins leftOrigins = 0;                ///< of branches at which threads may have left
  std::set<uint32_t> agreedLoops;         ///< their branches
  bool roundsBegun = false;               ///< a loop with synchronization was entered whose length is data
  bool memoryIsData = false;              ///< nothing that is stored counts as known any more
  std::set<const ptx::Instr *> openLoops; ///< branches whose loop is being passed
  uint64_t walked = 0;
  std::vector<UndecidedReason> reasons;
  std::set<std::pair<const ptx::Instr *, PropertySet>> named;
  bool stopped = false, loopPassed = false, sharedUsed = false, anywhereWritten = false;
  bool trapPassed = false, actsBeforeTrapPassed = false;
};

} // namespace heddle::check
