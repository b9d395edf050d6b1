// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Program.h"

#include <algorithm>

namespace heddle::flow {

namespace {

template <class Visit> void eachOperand(const Operation &operation, Visit visit) {
  for (const Instruction &instruction : operation.code)
    for (const Operand &operand : instruction.operands)
      visit(operand);
  for (const Contribution &contribution : operation.contributions)
    visit(contribution.value);
}

void addNeeds(const Program &program, unsigned operation, std::vector<bool> &seen,
              std::vector<unsigned> &out) {
  for (unsigned value : program.inputs(operation)) {
    const unsigned needed = program.definedBy[value];
    if (seen[needed])
      continue;
    seen[needed] = true;
    addNeeds(program, needed, seen, out);
    out.push_back(needed);
  }
}

} // namespace

unsigned Program::resultCount() const { return unsigned(std::ranges::count_if(sums, &Sum::isResult)); }

std::vector<unsigned> Program::inputs(unsigned operation) const {
  std::vector<unsigned> found;
  eachOperand(operations[operation], [&](const Operand &operand) {
    if (operand.value && definedBy[*operand.value] != operation &&
        std::ranges::find(found, *operand.value) == found.end())
      found.push_back(*operand.value);
  });
  return found;
}

std::vector<unsigned> Program::needs(unsigned operation) const {
  std::vector<bool> seen(operations.size());
  std::vector<unsigned> out;
  addNeeds(*this, operation, seen, out);
  return out;
}

} // namespace heddle::flow
