// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Process.h"

#include "support/Interrupts.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <signal.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0)
      read = ends[0], write = ends[1];
  }
  ~Pipe() { closeRead(), closeWrite(); }
  void closeRead() { closeEnd(read); }
  void closeWrite() { closeEnd(write); }

private:
  static void closeEnd(int &fd) {
    if (fd >= 0)
      close(fd);
    fd = -1;
  }
};

std::vector<char *> pointers(const std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (const std::string &s : strings)
    result.push_back(const_cast<char *>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environmentWith(const std::vector<std::string> &extra) {
  std::vector<std::string> all = extra;
  for (char **entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('=') + 1);
    bool overridden = false;
    for (const std::string &e : extra)
      overridden |= e.starts_with(name);
    if (!overridden)
      all.emplace_back(text);
  }
  return all;
}

/// Reads what is there. False at the end of the stream.
bool drain(int fd, std::string &into) {
  std::array<char, 65536> buffer;
  ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got > 0)
    into.append(buffer.data(), size_t(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

/// The session of a process: the sixth word of its stat, behind the name in parentheses.
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

ProcessResult runProcess(const std::vector<std::string> &command, const std::vector<std::string> &environment,
                         double timeoutSeconds) {
  ProcessResult result;
  Pipe out, err;
  // Everything the child needs is allocated before the fork: after it, only async-signal-safe calls are
  // allowed.
  std::vector<char *> arguments = pointers(command);
  std::vector<std::string> variables = environmentWith(environment);
  std::vector<char *> environmentPointers = pointers(variables);

  const pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0)
    return result;
  if (child == 0) {
    setpgid(0, 0); // a group of its own, so that a time-out reaches grandchildren too
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    dup2(out.write, STDOUT_FILENO);
    dup2(err.write, STDERR_FILENO);
    environ = environmentPointers.data();
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  setpgid(child, child); // by both: whoever comes first
  RunningChild running(child, RunningChild::Kind::Group);
  out.closeWrite(), err.closeWrite();

  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                     timeoutSeconds > 0 ? timeoutSeconds : 1e9));
  std::array<pollfd, 2> ends{pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      result.timedOut = true;
      kill(-child, SIGKILL);
      break;
    }
    if (poll(ends.data(), ends.size(), int(std::min<long>(left, 1000))) < 0 && errno != EINTR)
      break;
    for (int i : {0, 1})
      if (ends[i].fd >= 0 && (ends[i].revents & (POLLIN | POLLHUP)))
        if (!drain(ends[i].fd, i == 0 ? result.standardOutput : result.standardError))
          ends[i].fd = -1;
  }

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

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

std::optional<std::filesystem::path> findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

} // namespace heddle
