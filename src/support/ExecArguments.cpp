// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ExecArguments.h"

#include <algorithm>
#include <string_view>
#include <unistd.h>

extern char **environ; // unistd.h declares it for GNU's extensions only

namespace heddle {

std::vector<char *> pointersTo(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environmentWith(const std::vector<std::string> &assignments) {
  std::vector<std::string> all = assignments;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('=') + 1);
    if (std::ranges::none_of(assignments, [&](const std::string &each) { return each.starts_with(name); }))
      all.emplace_back(text);
  }
  return all;
}

} // namespace heddle
