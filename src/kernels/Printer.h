// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one printer of flow's instructions: an operation and the texts of its operands in, an expression out.
// What differs between targets is in a table of traits:
//
//                     device              warps                  host vectors         host loops
//     value           double              double                 hdl_vec              Wide
//     a b + c         fma(a, b, c)        fma(a, b, c)           a * b + c            madd(a, b, c)
//     a > t ? b : c   (a > t ? b : c)     hdl_choose(a > t, ..)  (a > t ? b : c)      ifAbove(a, t, b, c)
//
// Where values come from (fields, sums, rows of shared memory, an array) is not the printer's: the code around it asks
// for text of arithmetic only.
#pragma once

#include "flow/Program.h"
#include "kernels/Real.h"

namespace heddle::kernels {

/// How strongly an expression's parts hang together.
enum class Binding { Sum, Product, Call };

/// An expression, or an operand of one.
struct Printed {
  std::string text;
  Binding binding = Binding::Call;
  bool isConstant = false, isZero = false;

  /// As an operand that must hold together as strongly as that.
  std::string within(Binding needed) const { return binding < needed ? "(" + text + ")" : text; }
};

struct Target {
  const Real *real;
  std::string type;                            ///< of a value
  std::string reciprocal, exp2, log2, maximum; ///< functions
  std::string fma;                             ///< a function; none: operators, which a compiler fuses
  std::string select;                          ///< "{0}" above "{1}" ? "{2}" : "{3}", as fmt has it
  std::string broadcast; ///< a vector of a number, where operators do not make it; or none

  Printed constant(double value) const;
  /// A constant where the target wants a value of its own type.
  Printed asValue(const Printed &operand) const;
};

/// One point of a thread.
Target deviceTarget(const Real &real);
/// The same where constants may come from other lanes: no lane may skip what another one reads from it.
Target warpsTarget(const Real &real);
/// A vector of points on the host.
Target hostVectorTarget(const Real &real);
/// Several vectors of points (heddle_host.h).
Target hostLoopTarget(const Real &real);

/// Arithmetic on operands. Load, Total and Piecewise are none.
Printed print(const Target &target, flow::Op op, const std::vector<Printed> &operands);

/// values[i] where `value` lies above i of the thresholds.
Printed printSteps(const Target &target, const Printed &value, const std::vector<Printed> &thresholds,
                   const std::vector<Printed> &values);

/// coefficient * value, without its sign.
std::string printTerm(const Target &target, double coefficient, const Printed &value);

} // namespace heddle::kernels
