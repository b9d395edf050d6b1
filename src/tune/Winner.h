// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Problem.h"

namespace heddle::tune {

/// A tuned file that carries its configuration.
struct WinnerFile {
  std::string text;
  /// `heddle opt` makes the winner of it. Else (a directive on a loop that moved, a kernel in an included
  /// file) the text is the winner itself, and its first line says how it was made.
  bool reproduces = false;
};

/// The problem's file with a line `#pragma heddle ...` before each kernel or loop that the configuration speaks of,
/// and its block's size in place. Whether that gives `winnerText` again is tried before it is printed. What the compiler needs
/// besides (flags, definitions) is in a comment in the first line.
WinnerFile winnerFile(const Problem &problem, const Configuration &configuration,
                      const std::string &winnerText);

/// The winner itself, with a first line that says how it was made: for compilers that are called without Heddle.
WinnerFile transformedWinner(const Problem &problem, const Configuration &configuration,
                             const std::string &winnerText);

} // namespace heddle::tune
