// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// A word as a shell reads it back: quoted where it has blanks or characters that mean something there.
std::string shellWord(const std::string &word);

/// Words of a command, for a person to paste.
std::string shellCommand(const std::vector<std::string> &words);

} // namespace heddle
