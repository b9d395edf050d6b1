// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Conversation.h"

#include "support/ExecArguments.h"
#include "support/Interrupts.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // unistd.h declares it for GNU's extensions only

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int CannotStart = 127;
/// A program whose output is closed is about to end.
constexpr double SecondsToEnd = 2;

void closeEnd(int &descriptor) {
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
}

} // namespace

struct Conversation::State {
  pid_t child = -1;
  int in = -1, out = -1; ///< our ends
  std::string heard;     ///< and not given out yet
  std::optional<RunningChild> running;
  std::optional<int> status; ///< once it is reaped

  void start(const std::vector<std::string> &command, const std::vector<std::string> &assignments) {
    int input[2], output[2];
    // A socket can be written to without a signal where nobody reads any more.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
      return;
    if (pipe2(output, O_CLOEXEC) != 0) {
      close(input[0]), close(input[1]);
      return;
    }
    const std::vector<std::string> variables = environmentWith(assignments);
    std::vector<char *> words = pointersTo(command), environment = pointersTo(variables);
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent)
        _exit(CannotStart);
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      dup2(open("/dev/null", O_RDWR | O_CLOEXEC), STDERR_FILENO);
      environ = environment.data();
      execvp(words[0], words.data());
      _exit(CannotStart);
    }
    close(input[0]), close(output[1]);
    in = input[1], out = output[0];
    if (child < 0)
      return;
    setpgid(child, child);
    running.emplace(child, RunningChild::Kind::Group);
  }

  void reap(double seconds) {
    if (child < 0 || status)
      return;
    int ended = 0;
    pid_t reaped = 0;
    for (const Clock::time_point begin = Clock::now();
         (reaped = waitpid(child, &ended, WNOHANG)) == 0 &&
         Clock::now() - begin < std::chrono::duration<double>(seconds);)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(-child, SIGKILL);
    if (reaped == 0)
      reaped = waitpid(child, &ended, 0);
    status = reaped == child ? ended : 0;
    running.reset();
  }

  /// Reads what is there. False where there will be no more.
  bool read(int millis) {
    pollfd end = {out, POLLIN, 0};
    if (poll(&end, 1, millis) <= 0)
      return true;
    char buffer[1 << 16];
    const ssize_t count = ::read(out, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      return true;
    if (count <= 0)
      closeEnd(out);
    else
      heard.append(buffer, size_t(count));
    return count > 0;
  }

  std::optional<std::string> line() {
    const size_t end = heard.find('\n');
    if (end == std::string::npos)
      return std::nullopt;
    std::string found = heard.substr(0, end);
    heard.erase(0, end + 1);
    return found;
  }
};

Conversation::Conversation(const std::vector<std::string> &command,
                           const std::vector<std::string> &environment)
    : state(std::make_unique<State>()) {
  state->start(command, environment);
}

Conversation::~Conversation() {
  closeEnd(state->in);
  closeEnd(state->out);
  state->reap(0);
}

bool Conversation::say(const std::string &line) {
  const std::string text = line + "\n";
  for (size_t at = 0; at < text.size() && state->in >= 0;) {
    const ssize_t count = send(state->in, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR)
      closeEnd(state->in);
    at += count > 0 ? size_t(count) : 0;
  }
  return state->in >= 0;
}

std::optional<std::string> Conversation::hear(double seconds) {
  const Clock::time_point begin = Clock::now();
  for (;;) {
    if (auto line = state->line())
      return line;
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (left <= 0 || state->out < 0)
      return std::nullopt;
    state->read(int(std::min(left * 1000 + 1, 1e6)));
  }
}

bool Conversation::hasEnded() const { return state->out < 0; }

std::string Conversation::howItEnded() {
  state->reap(SecondsToEnd);
  const int status = state->status.value_or(0);
  if (state->child < 0)
    return "could not be started";
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) +
           ")";
  return WEXITSTATUS(status) == CannotStart ? "could not be started"
                                            : "ended with " + std::to_string(WEXITSTATUS(status));
}

} // namespace heddle
