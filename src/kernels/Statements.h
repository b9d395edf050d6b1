// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a program as C++ statements, for one double at a time on the device or for a vector of points
// on the host. A value that is used once and has no name of its own stands inside the expression that uses
// it.
#pragma once

#include "flow/Program.h"
#include "flow/Segments.h"

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

enum class Target { Device, Host };

class Statements {
public:
  Statements(const flow::Program &program, Target target);

  /// Everything that one point needs for a segment. Sums that segments before it have stored are added to.
  std::string segment(const flow::Segment &segment);

  const StepTable &table() const { return steps; }

private:
  const flow::Program &program;
  Target target;
  StepTable steps;
  std::vector<bool> stored; ///< sums that have been stored
  std::vector<unsigned> uses;
  std::string out;

  // Of the segment that is being written:
  std::vector<bool> wanted;                ///< values that something in it reads
  std::map<unsigned, std::string> inlined; ///< values that stand inside their user's expression
  std::vector<unsigned> contributionsLeft; ///< of each sum
  std::vector<bool> begun;                 ///< sums that have a variable
  std::map<double, std::string> pointers;  ///< into the table, by threshold

  void countUses();
  void findWanted(const flow::Segment &segment);
  bool standsInside(const flow::Instruction &instruction) const;
  std::string operand(const flow::Operand &operand, int precedence) const;
  std::string vectorOperand(const flow::Operand &operand) const;
  std::string expression(const flow::Instruction &instruction, int &precedence) const;
  void load(const flow::Instruction &instruction);
  void tableRows(const flow::Operation &operation);
  void code(const flow::Operation &operation, bool loadsAreDone);
  void contributions(const flow::Operation &operation);
  void store(unsigned sum);
  void line(const std::string &text);
  const char *type() const { return target == Target::Device ? "double" : "hdl_vec"; }
};

} // namespace heddle::kernels
