// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/Html.h"
#include "report/Roofline.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::report {

/// What the page of `heddle verify` is made of: plain values and texts.
struct VerifyResultPage {
  enum class Outcome { Same, Different, NotVerified };

  std::array<std::string, 2> names;
  Outcome outcome = Outcome::Same;
  std::string answer; ///< what the terminal shows: the outcome and the first difference
  std::vector<std::pair<std::string, std::string>>
      compared; ///< "tolerance", "ulp=4"; what was run and compared

  /// One device-to-host copy, as both programs made it.
  struct Copy {
    uint64_t number = 0; ///< from 1
    std::string writer;  ///< the kernel that was last given the buffer, and its launch
    std::string buffer;
    std::string element; ///< "float"
    uint64_t elements = 0, differing = 0;
    std::optional<double> maxRelativeError; ///< of floating-point elements that are not bitwise equal
    std::string what;                       ///< sizes that differ, or a copy that one program did not make
    std::string first;                      ///< the first element that differs

    bool isSame() const { return !differing && what.empty(); }
  };
  std::vector<Copy> copies;

  struct Input {
    std::string arguments;
    std::string result; ///< "same", "skipped: the original exits with 1"
    bool isSame = true;
  };
  std::vector<Input> otherInputs;

  struct Source {
    std::string title;
    std::string before, after;
  };
  /// A kernel of both programs, or of one; times are predicted, at a size that fills the device.
  struct Kernel {
    std::string name;
    std::vector<RooflineVariant> variants; ///< the first program's before the second's
  };
  std::vector<Kernel> kernels; ///< of programs that ran on the simulator
  arch::Arch arch;             ///< whose limits the rooflines show

  std::vector<Source> sources; ///< files of the two programs, side by side by their place on the command line
};

std::string verifyHtml(const VerifyResultPage &result);

} // namespace heddle::report
