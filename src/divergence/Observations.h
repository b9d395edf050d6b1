// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"

#include <cstdint>

namespace heddle::divergence {

/// Values of the inputs that decide one basic block, thread by thread. Parameters are the same for all
/// threads, so the constant holds what they do; varying ones have no value.
class Observations {
public:
  Observations(const LaunchProfile &profile, uint32_t block) : launch(profile) {
    for (uint32_t input : launch.inputs.ofBlock[block]) {
      const Input &known = launch.inputs.inputs[input];
      if (known.kind == Input::Kind::ThreadIndex && known.name[0] == 'c')
        inGrid[known.name.back() - 'x'] = true;
      const bool hasValues = !launch.inputs.values[input].empty();
      if (known.kind == Input::Kind::Combination && hasValues)
        combinations.push_back(input);
      else if (known.kind == Input::Kind::ThreadIndex ? known.name[0] == 't' : hasValues)
        usable.push_back(input);
    }
  }

  const std::vector<uint32_t> &inputs() const { return usable; }
  /// What threads with equal work have in common: combinations, and elements that are in none of them.
  std::vector<uint32_t> keys() const {
    std::vector<uint32_t> found = combinations;
    for (uint32_t input : usable)
      if (launch.inputs.inputs[input].kind == Input::Kind::Element && !isCombined(input))
        found.push_back(input);
    return found;
  }
  double value(uint32_t input, uint32_t thread) const {
    const Input &wanted = launch.inputs.inputs[input];
    if (wanted.kind != Input::Kind::ThreadIndex)
      return launch.inputs.values[input][thread];
    const unsigned axis = unsigned(wanted.name.back() - 'x');
    const uint32_t threads = launch.threadsPerBlock();
    const uint32_t own = along(axis, thread % threads, launch.block);
    return inGrid[axis] ? along(axis, thread / threads, launch.grid) * launch.block[axis] + own : own;
  }

private:
  static uint32_t along(unsigned axis, uint32_t index, const uint32_t *size) {
    for (unsigned before = 0; before < axis; ++before)
      index /= size[before];
    return index % size[axis];
  }

  bool isCombined(uint32_t element) const {
    for (uint32_t combination : combinations)
      for (const Input::Term &term : launch.inputs.inputs[combination].terms)
        if (term.input == element)
          return true;
    return false;
  }

  const LaunchProfile &launch;
  std::vector<uint32_t> usable;       ///< in a linear model, which finds sums by itself
  std::vector<uint32_t> combinations; ///< of those
  bool inGrid[3] = {};                ///< the block's number along this axis decides
};

} // namespace heddle::divergence
