// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated text in single precision. Forms are written for doubles; what differs in floats is the name of
// the type and of a few functions, and how numbers are spelled. Comments and strings stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace heddle::kernels {

/// double, double2, fma, fmax and sqrt become those of floats; 2.0 becomes 2.0f. A number too small for a
/// float becomes the smallest normal one of its sign, so that a guard against zero stays one; too large a
/// number is a mistake in the generator: std::logic_error.
std::string inFloats(std::string_view text);

} // namespace heddle::kernels
