// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a program as C++ statements, for one point at a time on the device or for a vector of points
// on the host. A value that is used once and has no name of its own stands inside the expression that uses
// it.
//
// Results go to `result`. Sums that only totals want are members of a struct `kept`, and so are results that
// a later segment adds to, where they are asked to wait for that.
#pragma once

#include "flow/Program.h"
#include "flow/Segments.h"
#include "kernels/Printer.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace heddle::kernels {

/// Constants that depend on which side of a threshold a value lies, kept in shared memory on the device: the
/// rows for below the thresholds first, then as many for above.
struct StepTable {
  std::vector<std::array<double, 2>> below, above; ///< double2 each
};

/// An exponent as a function of temperature: a sum of multiples of 1, T, T^2, T^3, T^4, log2 T and 1/T, with
/// other numbers above a threshold of T.
struct Exponent {
  static constexpr size_t terms = 7, logarithm = 5, reciprocal = 6;
  std::array<double, terms> below{}, above{};
  std::optional<double> threshold;

  /// Are there none but 1, log2 T and 1/T, the same everywhere? Rate constants are such.
  bool isShort() const;
};

/// Powers of two with such exponents, of which a kernel has hundreds, may be taken in loops ahead of the code
/// that reads them. Then they cost an instruction cache next to nothing.
struct PowerLoops {
  unsigned atATime = 0; ///< 0 is none
  /// A table of each kind; each loop's rows are filled up with zeros to a multiple of `inStep`.
  std::vector<Exponent> shortRows, longRows;

  /// Exponentials that are worked on at once, in loops of short ones and of others: their steps wait for each
  /// other, but each one is code in every loop.
  static constexpr unsigned inStep(bool isShort) { return isShort ? 4 : 2; }
  /// Rows that loops of both kinds may be filled up with.
  static constexpr unsigned filling() { return inStep(true) - 1 + inStep(false) - 1; }
};

class Statements {
public:
  /// With loops, there must be `powers<COUNT>(row, exponents, first, lT, rT)`, which takes powers of rows
  /// from `first` on into row[0], row[threads], row[2 * threads] and so on.
  Statements(const flow::Program &program, Target target, unsigned powersAtATime = 0,
             bool resultsWait = false);

  /// Everything that one point needs for a segment. Sums that segments before it have stored are added to.
  std::string segment(const flow::Segment &segment);

  const StepTable &table() const { return steps; }
  const PowerLoops &powers() const { return loops; }
  /// Members that `kept` has to have after all segments.
  const std::vector<std::string> &kept() const { return keptNames; }

private:
  const flow::Program &program;
  Target target;
  StepTable steps;
  PowerLoops loops;
  std::vector<bool> stored;  ///< sums that have been stored
  std::vector<bool> isEmpty; ///< sums that nothing contributes to
  bool resultsWait;
  std::vector<unsigned> uses;
  std::vector<unsigned> contributionsToCome; ///< of each sum, in this segment and later ones
  std::vector<std::string> keptNames;
  std::vector<std::optional<Exponent>> exponents; ///< of values that loops take
  std::optional<unsigned> temperature, logTemperature, reciprocalTemperature;
  std::string out;

  // Of the segment that is being written:
  std::vector<bool> wanted;                           ///< values that something in it reads
  std::map<unsigned, std::string> inlined;            ///< values that stand inside their user's expression
  std::vector<unsigned> contributionsLeft;            ///< of each sum
  std::vector<bool> begun;                            ///< sums that have a variable
  std::map<unsigned, std::string> totals;             ///< that have been read, by sum
  std::map<double, std::string> pointers;             ///< into the table, by threshold
  std::map<unsigned, unsigned> places;                ///< of powers in their loop's rows
  std::map<unsigned, std::vector<std::string>> fills; ///< loops before an operation

  void countUses();
  void findExponents();
  void planLoops(const std::vector<unsigned> &sequence);
  void findWanted(const flow::Segment &segment);
  bool standsInside(const flow::Instruction &instruction) const;
  Printed operand(const flow::Operand &operand) const;
  Printed expression(const flow::Instruction &instruction) const;
  void load(const flow::Instruction &instruction);
  void total(const flow::Instruction &instruction);
  void tableRows(const flow::Operation &operation);
  void code(const flow::Operation &operation, bool loadsAreDone);
  void contributions(const flow::Operation &operation);
  void store(unsigned sum);
  void keep(unsigned sum, const std::string &value);
  void line(const std::string &text);
  bool isVector() const { return !target.broadcast.empty(); }
};

} // namespace heddle::kernels
