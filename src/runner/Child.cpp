// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Child.h"

#include "support/Interrupts.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // unistd.h declares it for GNU's extensions only

namespace heddle::runner {
namespace {

using Clock = std::chrono::steady_clock;

/// Of what a program says, so much is kept from each end.
constexpr size_t kKeptBytes = 1 << 20;
/// A process that was killed is gone at once, unless the driver holds it: then it is left behind.
constexpr double kSecondsToDie = 20;

/// A child's output, which may be endless.
class Talk {
public:
  void add(const char *bytes, size_t count) {
    size_t first = std::min(count, kKeptBytes - head.size());
    head.append(bytes, first);
    tail.append(bytes + first, count - first);
    if (tail.size() > 2 * kKeptBytes) {
      tail.erase(0, tail.size() - kKeptBytes);
      cut = true;
    }
  }
  std::string text() const { return head + (cut ? "\n[...]\n" : "") + tail; }

private:
  std::string head, tail;
  bool cut = false;
};

std::vector<char *> pointersTo(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool isNamed(const char *entry, const std::string &assignment) {
  size_t length = assignment.find('=') + 1;
  return std::strncmp(entry, assignment.c_str(), length) == 0;
}

std::vector<std::string> environmentWith(const std::vector<std::string> &more) {
  std::vector<std::string> all = more;
  for (char **entry = environ; *entry; ++entry) {
    bool replaced = false;
    for (const std::string &assignment : more)
      replaced |= isNamed(*entry, assignment);
    if (!replaced)
      all.push_back(*entry);
  }
  return all;
}

/// Becomes the program. Other threads may have held any lock when we were forked: system calls only.
[[noreturn]] void become(char **words, char **environment, const char *folder, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (!*folder || chdir(folder) == 0)
    execvpe(words[0], words, environment);
  for (const char *part :
       {"cannot run ", const_cast<const char *>(words[0]), ": ", strerrordesc_np(errno), "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break;
  _exit(127);
}

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Reads what is there; false at the end of it.
bool drain(int pipe, Talk &talk) {
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count > 0)
      talk.add(buffer, size_t(count));
    else
      return count < 0 && (errno == EAGAIN || errno == EINTR);
  }
}

/// Waits a while for something to read, or for the child's end where it has closed its output.
void waitALittle(int pipe, bool open, double secondsLeft) {
  int millis = int(std::min(100.0, secondsLeft * 1000 + 1));
  pollfd wanted = {pipe, POLLIN, 0};
  if (open)
    poll(&wanted, 1, millis);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(millis, 2)));
}

bool hasEnded(pid_t child, int &status) { return waitpid(child, &status, WNOHANG) == child; }

void killWithAllItStarted(pid_t child) { kill(-child, SIGKILL); }

ChildEnd follow(pid_t child, int pipe, double limit) {
  const Clock::time_point begin = Clock::now();
  ChildEnd end;
  Talk talk;
  int status = 0;
  bool ended = false, open = true;
  while (!ended && (limit <= 0 || secondsSince(begin) < limit)) {
    waitALittle(pipe, open, limit <= 0 ? 1 : limit - secondsSince(begin));
    open = open && drain(pipe, talk);
    ended = hasEnded(child, status);
  }
  if (!ended)
    end.how = ChildEnd::How::TimedOut;
  killWithAllItStarted(child); // its own children, where it has ended itself
  for (Clock::time_point killed = Clock::now(); !ended && secondsSince(killed) < kSecondsToDie;)
    if (!(ended = hasEnded(child, status)))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  drain(pipe, talk);
  end.seconds = secondsSince(begin);
  end.output = talk.text();
  if (end.how == ChildEnd::How::TimedOut)
    return end;
  end.how = WIFSIGNALED(status) ? ChildEnd::How::Signalled : ChildEnd::How::Exited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

} // namespace

ChildEnd runChild(const ChildCommand &command) {
  std::vector<std::string> assignments = environmentWith(command.environment);
  std::vector<char *> words = pointersTo(command.words), environment = pointersTo(assignments);
  std::string folder = command.folder.string();
  ChildEnd end;
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    end.output = "cannot open a pipe";
    return end;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    fcntl(pipe[1], F_SETFL, 0); // the program's own end must not lose what it writes
    become(words.data(), environment.data(), folder.c_str(), pipe[1], parent);
  }
  close(pipe[1]);
  if (child > 0) {
    setpgid(child, child); // by both: whoever comes first
    RunningChild running(child, RunningChild::Kind::Group);
    end = follow(child, pipe[0], command.seconds);
  } else {
    end.output = "cannot start another process";
  }
  close(pipe[0]);
  return end;
}

} // namespace heddle::runner
