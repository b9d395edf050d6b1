// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Heddle has to say while a file is compiled, in the format of compilers: build systems, editors and people know it.
//
//     a.cu:12:16: warning: coarsen x=5: the block of this launch is 256 in x, which is not divisible by 5 [-Wheddle]
#pragma once

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::launcher {

/// -Wheddle (the default), -Wno-heddle, -Werror=heddle, -Wno-error=heddle: the last one of each kind counts.
struct WarningFlags {
  bool isSilent = false;
  bool areErrors = false;

  /// True where the word is one of them; it is not for the compiler then.
  bool take(std::string_view word);
};

/// A warning or a remark as it is printed, with its notes.
struct Message {
  /// Remarks are no errors with -Werror=heddle: nothing is wrong, or nothing can be done about it.
  enum class Kind { Warning, Remark };
  struct Line {
    std::string location; ///< "a.cu:12:16"; empty where there is none
    std::string text;
    std::string snippet; ///< the source line and a caret
  };
  Line warning;
  std::vector<Line> notes;
  Kind kind = Kind::Warning;
};

/// One message of the directive language.
Message messageFrom(const Diagnostic &diagnostic, Message::Kind kind = Message::Kind::Warning);

/// Whether one of them is an error by the flags.
bool isError(const std::vector<Message> &messages, const WarningFlags &flags);

/// What is printed for all of them, by the flags; empty where they are silent.
std::string textOf(const std::vector<Message> &messages, const WarningFlags &flags, bool colour = false);

} // namespace heddle::launcher
