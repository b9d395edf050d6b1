// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's libraries, the transforms and the static check run inside this program. A candidate that makes one
// of them loop or fall over must not take the search along, so each gets a copy of the process. The copy
// leads a session of its own: compilers that it starts in process groups of their own are still found by it.
#include "tune/Child.h"

#include "support/Interrupts.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void writeAll(int descriptor, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t count = write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR)
      return;
    at += count > 0 ? size_t(count) : 0;
  }
}

/// Ends without running destructors: what the parent owns (temporary folders) is not ours to clean up.
[[noreturn]] void answer(int pipe, pid_t parent, const fs::path &scratch,
                         const std::function<std::string()> &work) {
  leaveInterruptsToParent();
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  setenv("TMPDIR", scratch.c_str(), 1);
  int nowhere = open("/dev/null", O_RDWR);
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nowhere, descriptor);
  try {
    writeAll(pipe, work());
    _exit(0);
  } catch (const std::exception &thrown) {
    writeAll(pipe, thrown.what());
    _exit(2);
  }
}

/// Reads until the other end is closed; false where the time is over before.
bool readUntil(int pipe, double seconds, std::string &text) {
  const Clock::time_point begin = Clock::now();
  char buffer[1 << 16];
  for (;;) {
    const double left = seconds - secondsSince(begin);
    if (left <= 0)
      return false;
    pollfd wanted{pipe, POLLIN, 0};
    if (poll(&wanted, 1, int(std::min(left, 1.0) * 1000) + 1) <= 0)
      continue;
    ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count > 0)
      text.append(buffer, size_t(count));
    else if (count == 0 || errno != EINTR)
      return true;
  }
}

} // namespace

ChildAnswer inChild(double seconds, const std::function<std::string()> &work) {
  ChildAnswer result;
  TemporaryFolder scratch;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.reason = "no pipe could be opened";
    return result;
  }
  const Clock::time_point begin = Clock::now();
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], parent, scratch.path(), work);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    result.reason = "no process could be started";
    return result;
  }
  RunningChild running(child, RunningChild::Kind::Session);
  const bool inTime = readUntil(ends[0], seconds, result.text);
  close(ends[0]);
  if (!inTime)
    killSession(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  result.seconds = secondsSince(begin);
  if (!inTime) {
    result.how = ChildAnswer::How::TimedOut;
    result.reason = fmt::format("took longer than {} s", seconds);
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    result.how = ChildAnswer::How::Answered;
  } else if (WIFEXITED(status)) {
    result.reason = result.text.empty() ? fmt::format("ended with {}", WEXITSTATUS(status)) : result.text;
  } else {
    result.reason = fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return result;
}

} // namespace heddle::tune
