// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace heddle::cli {

struct Session;

/// A script that completes heddle's verbs, options, values and files in "bash", "zsh" or "fish".
std::string completionScript(const std::string &shell, const CLI::App &app, const Session &session);

} // namespace heddle::cli
