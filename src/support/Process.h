// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace heddle {

/// What a finished child process left behind. `exitCode` is 128 + the signal's number where a signal ended
/// it.
struct ProcessResult {
  int exitCode = -1;
  std::string standardOutput;
  std::string standardError;
  bool timedOut = false;

  bool succeeded() const { return exitCode == 0; }
};

/// Runs a program with its arguments (no shell) and waits for it. `environment` entries ("NAME=value") are
/// added to ours. After `timeoutSeconds` (0: never) the child and what it started are killed.
ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::vector<std::string> &environment = {}, double timeoutSeconds = 0);

/// Kills a process that leads a session, and everything in that session, whatever group it is in.
void killSession(pid_t leader);

/// The program's full path as the shell would find it, or nothing.
std::optional<std::filesystem::path> findProgram(const std::string &name);

} // namespace heddle
