// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::runner {

struct ChildCommand {
  std::vector<std::string> words;       ///< program and arguments; no shell
  std::vector<std::string> environment; ///< "NAME=value", in front of ours
  std::filesystem::path folder;         ///< to run in; empty: ours
  double seconds = 0;                   ///< limit; 0: none
};

struct ChildEnd {
  enum class How { Exited, Signalled, TimedOut } how = How::Exited;
  int code = -1; ///< of the exit, or the signal's number
  double seconds = 0;
  std::string output; ///< stdout and stderr; of very much, its beginning and its end

  bool succeeded() const { return how == How::Exited && code == 0; }
};

/// Runs a program to its end, or to the end of its time: then it is killed with all it started. It dies with
/// us too, so that a runner that was killed leaves nobody on the GPU. May be called by several threads.
ChildEnd runChild(const ChildCommand &command);

} // namespace heddle::runner
