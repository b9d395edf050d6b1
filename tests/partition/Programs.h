// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs and plans that tests write by hand.
#pragma once

#include "flow/Builder.h"
#include "partition/WarpPrograms.h"

namespace heddle::partition::test {

inline Step step(StepKind kind) {
  Step step;
  step.kind = kind;
  return step;
}
inline Step perform(unsigned operation) {
  Step each = step(StepKind::Do);
  each.operation = operation;
  return each;
}
inline Step put(unsigned value, unsigned row) {
  Step each = step(StepKind::Put);
  each.value = value;
  each.row = row;
  return each;
}
inline Step get(unsigned value, unsigned row) {
  Step each = step(StepKind::Get);
  each.value = value;
  each.row = row;
  return each;
}
inline Step accumulate(unsigned sum, double coefficient, unsigned value) {
  Step each = step(StepKind::Accumulate);
  each.sum = sum;
  each.coefficient = coefficient;
  each.term = flow::Operand::of(value);
  return each;
}
inline Step close(unsigned sum) {
  Step each = step(StepKind::Close);
  each.sum = sum;
  return each;
}
inline Step at(StepKind kind, unsigned point) {
  Step each = step(kind);
  each.point = point;
  return each;
}

/// A value's number by its name.
inline unsigned valueOf(const flow::Program &program, const std::string &name) {
  for (unsigned i = 0; i < program.valueNames.size(); ++i)
    if (program.valueNames[i] == name)
      return i;
  return ~0u;
}

} // namespace heddle::partition::test
