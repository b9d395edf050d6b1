// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Files.h"

#include <array>
#include <iosfwd>
#include <streambuf>

namespace heddle {

/// While this lives, std::cout writes to file descriptor 1 through it, and the first failure is remembered
/// with its reason. A stream of the standard library knows only that something failed, and forgets even that unless it is
/// queried: a result sent to a full disk would be lost without a word.
class CheckedStandardOutput : public std::streambuf {
public:
  CheckedStandardOutput();
  ~CheckedStandardOutput() override;
  CheckedStandardOutput(const CheckedStandardOutput &) = delete;
  CheckedStandardOutput &operator=(const CheckedStandardOutput &) = delete;

  /// Writes what is left; what went wrong until now.
  std::optional<FileFailure> finish();

private:
  int_type overflow(int_type letter) override;
  int sync() override;

  std::streambuf *before;
  std::array<char, 1 << 14> buffer;
  int error = 0; ///< errno of the first write that failed
};

} // namespace heddle
