// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heddle::cli {

struct Session;

struct ManPage {
  std::string name; ///< "heddle-opt.1"
  std::string text; ///< troff with the man macros
};

/// heddle.1 and a page per verb, made from what --help is made of.
std::vector<ManPage> manPages(const CLI::App &app, const Session &session);

} // namespace heddle::cli
