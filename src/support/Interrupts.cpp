// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler may do next to nothing, so it writes the signal's number into a pipe, and a thread that
// sleeps at the other end does the work with locks and memory like any other code. Handlers do not survive
// exec, and the pipe is closed by it: children have the usual behaviour without further care.
//
// The thread sends the signal on to every child that is waited for, gives the children a moment, kills
// those that are left, removes temporary folders and ends the process. Threads that waited for a child stay
// in ~RunningChild, so that none of them prints or writes something in the meantime.
//
// A search that is interrupted still has something to write. While there is a StopOnInterrupt, the first SIGINT ends what is
// waited for, and the search notices.
//
// A user's program that runs on our terminal (heddle run) may handle the signal itself. While there is one,
// a signal is only sent on; when it ends, the verb ends in the ordinary way, with its exit code. A second
// signal does not wait for it any more.
//
// SIGPIPE means that the output is not read any more (`heddle check ... | head`). It ends the process in the
// same way, without a word. The thread that printed waits in the handler, so that it does not report an error
// of standard output in the meantime.
#include "support/Interrupts.h"

#include "support/Session.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace heddle {
namespace {

constexpr int Handled[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// Compilers end at once when they are asked to; a kernel of the simulator ends with its process.
constexpr std::chrono::milliseconds ToEnd{2000}, ToDie{1000}, ToLook{10};

struct Child {
  pid_t process;
  RunningChild::Kind kind;
};

/// Never destroyed: the thread uses it until the process is gone.
struct State {
  std::mutex guard;
  std::condition_variable changed;
  std::vector<Child> children;
  std::vector<fs::path> folders;
  std::string program, hint;
  std::optional<std::string> stopText; ///< of a StopOnInterrupt
  pid_t owner = 0;                     ///< the process that handles signals; 0: none
  bool isEnding = false;
};

State &state() {
  static State *only = new State;
  return *only;
}

int pipeEnds[2] = {-1, -1};
std::atomic<bool> stopIsAsked = false;

/// Added to a signal's number where the terminal sent it: to the whole process group, children included.
constexpr int FromTerminal = 64;

void handle(int signal, siginfo_t *about, void *) {
  const int error = errno;
  const char number = char(signal + (about->si_code == SI_KERNEL ? FromTerminal : 0));
  // A full pipe means that signals are waiting there already.
  if (write(pipeEnds[1], &number, 1) < 0)
    errno = error;
  while (signal == SIGPIPE)
    pause();
  errno = error;
}

void send(const Child &child, int signal) {
  if (child.kind == RunningChild::Kind::Session)
    killSession(child.process);
  else
    kill(child.kind == RunningChild::Kind::Group ? -child.process : child.process, signal);
}

void sendAll(const std::vector<Child> &children, int signal) {
  for (const Child &child : children)
    send(child, signal);
}

bool hasUserProgram(const std::vector<Child> &children) {
  return std::ranges::any_of(children,
                             [](const Child &child) { return child.kind == RunningChild::Kind::User; });
}

const char *nameOf(int signal) {
  return signal == SIGINT ? "interrupted" : signal == SIGTERM ? "terminated" : "hung up";
}

void say(const std::string &text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0)
    return; // the reader is gone
}

/// Reaped or not: a thread that has several of them reaps none after the first.
bool hasEnded(const Child &child) {
  siginfo_t about{};
  return waitid(P_PID, id_t(child.process), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         about.si_pid == child.process;
}

/// With the lock held, which is given back meanwhile. False where some are left after that time.
bool waitForChildren(State &now, std::unique_lock<std::mutex> &lock, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!std::ranges::all_of(now.children, hasEnded)) {
    if (std::chrono::steady_clock::now() >= end)
      return false;
    now.changed.wait_for(lock, ToLook);
  }
  return true;
}

/// With the lock held. Children that the signal does not end are killed.
void endChildren(State &now, std::unique_lock<std::mutex> &lock, int signal) {
  sendAll(now.children, signal);
  if (waitForChildren(now, lock, ToEnd))
    return;
  sendAll(now.children, SIGKILL);
  waitForChildren(now, lock, ToDie);
}

[[noreturn]] void end(State &now, std::unique_lock<std::mutex> &lock, int signal) {
  now.isEnding = true;
  endChildren(now, lock, signal == SIGPIPE ? SIGTERM : signal);
  for (const fs::path &folder : now.folders) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  if (signal != SIGPIPE)
    say("\n" + now.program + ": " + nameOf(signal) + ": temporary files are removed; " +
        (now.hint.empty() ? "run the same command again" : now.hint) + "\n");
  _exit(128 + signal);
}

void listen() {
  // A SIGPIPE that another process sends goes to another thread: in its handler this one would wait for itself.
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
  for (char number;;) {
    ssize_t count = read(pipeEnds[0], &number, 1);
    if (count < 0 && errno == EINTR)
      continue;
    if (count != 1)
      return;
    State &now = state();
    std::unique_lock lock(now.guard);
    static bool wasSentOn = false;
    if (number % FromTerminal == SIGINT && now.stopText && !stopIsAsked.exchange(true)) {
      say("\n" + now.program + ": interrupted: " + *now.stopText + "\n");
      sendAll(now.children, SIGINT);
    } else if (hasUserProgram(now.children) && !wasSentOn && number % FromTerminal != SIGPIPE) {
      wasSentOn = true;
      if (number < FromTerminal) // else it has it already, and twice may mean something else to it
        sendAll(now.children, number);
    } else {
      end(now, lock, number % FromTerminal);
    }
  }
}

} // namespace

void handleInterrupts(std::string program) {
  State &now = state();
  {
    std::lock_guard lock(now.guard);
    now.program = std::move(program);
    now.owner = getpid();
  }
  if (pipeEnds[0] >= 0 || pipe2(pipeEnds, O_CLOEXEC) != 0)
    return;
  fcntl(pipeEnds[1], F_SETFL, O_NONBLOCK);
  std::thread(listen).detach();
  for (int signal : Handled) {
    struct sigaction before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN)
      continue; // nohup, or a shell that runs us in the background
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal, &action, nullptr);
  }
}

void setResumeHint(std::string text) {
  std::lock_guard lock(state().guard);
  state().hint = std::move(text);
}

StopOnInterrupt::StopOnInterrupt(std::string text) {
  std::lock_guard lock(state().guard);
  state().stopText = std::move(text);
}

StopOnInterrupt::~StopOnInterrupt() {
  std::lock_guard lock(state().guard);
  state().stopText.reset();
}

bool StopOnInterrupt::isAsked() { return stopIsAsked; }

void leaveInterruptsToParent() {
  for (int signal : Handled)
    std::signal(signal, SIG_DFL);
  // The parent's lock may have been taken by a thread that this copy does not have.
  new (&state().guard) std::mutex;
  state().owner = 0;
  state().children.clear();
  state().folders.clear();
}

bool makeTemporaryFolder(std::string &pattern) {
  std::lock_guard lock(state().guard); // so that no folder is made after the last one was removed
  if (!mkdtemp(pattern.data()))
    return false;
  state().folders.emplace_back(pattern);
  return true;
}

void removeTemporaryFolder(const fs::path &folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::lock_guard lock(state().guard);
  std::erase(state().folders, folder);
}

RunningChild::RunningChild(pid_t process, Kind kind) : process(process) {
  std::lock_guard lock(state().guard);
  state().children.push_back({process, kind});
}

RunningChild::~RunningChild() {
  State &now = state();
  std::unique_lock lock(now.guard);
  std::erase_if(now.children, [&](const Child &child) { return child.process == process; });
  now.changed.notify_all();
  while (now.isEnding && now.owner == getpid())
    now.changed.wait(lock);
}

} // namespace heddle
