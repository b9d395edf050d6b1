// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Session.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace heddle {
namespace {

/// The session of a process: the sixth word of its stat, after the name in parentheses.
pid_t sessionOf(const std::filesystem::path &process) {
  std::string line;
  std::getline(std::ifstream(process / "stat"), line);
  size_t behindName = line.rfind(')');
  int session = 0;
  if (behindName == std::string::npos ||
      std::sscanf(line.c_str() + behindName + 1, " %*c %*d %*d %d", &session) != 1)
    return 0;
  return session;
}

} // namespace

void killSession(pid_t leader) {
  kill(leader, SIGKILL);
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t process = pid_t(std::atol(entry->path().filename().c_str()));
    if (process > 0 && sessionOf(entry->path()) == leader)
      kill(process, SIGKILL);
  }
}

} // namespace heddle
