// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that differ in nothing but constants and in what they read: code for one of them, in a loop over
// a table, is code for all. A mechanism's hundreds of reactions have a few dozen shapes.
//
//     q1 = 3.0 * a * b          shape  c0 * r0 * r1     rows  3.0, a, b
//     q2 = 7.0 * b * c                                        7.0, b, c
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// What an operation reads from outside: a value of another one, a component of a field, or a sum.
struct Source {
  enum class Kind { Value, Component, Sum } kind = Kind::Value;
  unsigned index = 0; ///< of the value, component or sum
  unsigned field = 0; ///< of a component
  auto operator<=>(const Source &) const = default;
};

/// How one operation fills in its shape.
struct Member {
  unsigned operation = 0;
  std::vector<double> constants; ///< in the order they are in the live instructions
  std::vector<Source> reads;     ///< in the order of use, repeated where something is used again
  std::vector<unsigned> writes;  ///< values that others want: other operations, or sums
};

struct Shape {
  unsigned level = 0; ///< reads nothing but what lower levels wrote
  std::vector<Member> members;
};

struct Shapes {
  std::vector<Shape> all; ///< by level, then by their first member
  std::vector<bool> live; ///< values that something wants
  /// The level that reads each sum; no level where only the caller wants it.
  std::vector<std::optional<unsigned>> readAt;
};

Shapes findShapes(const Program &program);

} // namespace heddle::flow
