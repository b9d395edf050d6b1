// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

namespace heddle::vm {
class Kernel;
}

namespace heddle::check {

/// The property that a rule belongs to. Lanes that rely on lockstep may do so in shared or in global memory;
/// here it is shared memory, and who looks at global memory says so.
Property propertyOf(Rule rule);

/// What "for every input" leaves out.
struct Assumptions {
  bool pointersDoNotOverlap = false;  ///< memory of different parameters and variables is distinct
  bool noOverflow = false;            ///< index arithmetic does not overflow
  unsigned flatDirections = 0;        ///< bits for x, y and z: the grid has one block in these directions
  bool parametersNotNegative = false; ///< those that are compared as unsigned numbers
  bool loopsEnd = false;              ///< loops that wait for no other thread end
  bool noTrap = false;                ///< no trap that depends on data is executed
  bool noActsBeforeTrap = false;      ///< accesses on the way to such a trap were left out
  bool endedThreadsArrive = false;    ///< threads that have ended count as arrived at block-wide barriers
  bool isOptimized = false;           ///< accesses that the compiler removed do not violate properties
  bool usesShared = false;            ///< what was read from shared memory decided something

  void add(const Assumptions &other) {
    pointersDoNotOverlap |= other.pointersDoNotOverlap, noOverflow |= other.noOverflow;
    parametersNotNegative |= other.parametersNotNegative;
    usesShared |= other.usesShared;
    flatDirections |= other.flatDirections;
    noTrap |= other.noTrap, noActsBeforeTrap |= other.noActsBeforeTrap;
    loopsEnd |= other.loopsEnd, endedThreadsArrive |= other.endedThreadsArrive;
  }
};

/// Adds what is wrong with grid.sync() in the launches that the source shows, or that none is seen.
void checkGridBarrier(StaticResult &result, const vm::Kernel &kernel);

/// Fills in the properties and the verdict from findings, reasons and assumptions. `complete`: all executions
/// were seen to their end; otherwise what is not violated is not decided.
void conclude(StaticResult &result, const Assumptions &assumptions, bool complete);

} // namespace heddle::check
