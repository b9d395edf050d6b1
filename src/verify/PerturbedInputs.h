// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::verify {

/// Command lines like the given one with other numbers in it, for runs that try more than one input. Numbers
/// are arguments of their own ("1024", "0.5") or follow an equals sign ("--size=1024").
///
/// Integers become the values around which kernels break: one less and one more, half, an odd number, a
/// prime, 1, 2, 3, one less and one more than a warp, then random ones; none is larger than the given one
/// plus one, so that a run takes no longer. Zero and one may be switches, so that they become each other.
/// Other numbers are scaled. First one argument at a time, then all at once.
///
/// At most `most`, all different; the same for the same seed, everywhere. Empty where there is no number.
std::vector<std::vector<std::string>> perturbedInputs(const std::vector<std::string> &arguments,
                                                      uint64_t seed, size_t most);

} // namespace heddle::verify
