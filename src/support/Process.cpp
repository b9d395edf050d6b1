// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process ends in one of three ways: by itself, by its time limit, or with us (support/Interrupts.h).
//
//   1. Everything that the child needs is allocated before the fork: other threads may hold any lock then, so
//      until exec the child makes system calls only.
//   2. A child with ties of its own leads a process group, a copy of this process leads a session: compilers
//      that it starts lead groups of their own and are still found by the session. Both the child and we set
//      the group, since the order is not known.
//   3. We read what it prints and look whether it has ended. A process that has ended may leave others after
//      that hold its output open (`sh -c "sleep 60 &"`). In a group of its own these are killed; in ours they
//      belong to others, and we read until they have closed it, as a shell's pipe does.
//   4. The dead process is looked at without being reaped until its group is killed: its number, which names
//      the group, cannot be given to another process in the meantime.
#include "support/Process.h"

#include "support/Capture.h"
#include "support/ExecArguments.h"
#include "support/Interrupts.h"
#include "support/Paths.h"
#include "support/Session.h"
#include "support/StartedProcess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // unistd.h declares it for GNU's extensions only

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

/// A process that was killed is gone at once, unless a driver holds it: then it is left behind.
constexpr double SecondsToDie = 20;
/// How long we sleep at most before looking whether the process has ended.
constexpr int MillisToLook = 100, MillisToLookWithoutOutput = 2;

/// Of what an unattended program prints, so much is kept of each end.
constexpr size_t UnattendedBytes = 1 << 20;

constexpr int CannotStart = 127, Threw = 2;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// --- The child's side ----------------------------------------------------------------------------------

/// What a child needs, made before it is there.
struct Preparation {
  explicit Preparation(const ProcessRequest &request)
      : request(request), folder(request.folder.string()), words(pointersTo(request.command)),
        assignments(environmentWith(request.environment)), environment(pointersTo(assignments)),
        parent(getpid()) {}

  const ProcessRequest &request;
  std::string folder;
  std::vector<char *> words;
  std::vector<std::string> assignments;
  std::vector<char *> environment;
  pid_t parent;
};

void lead(Stream stream, int captured, int standard) {
  if (stream == Stream::Captured || stream == Stream::Given)
    dup2(captured, standard);
  else if (stream == Stream::WithOutput)
    dup2(STDOUT_FILENO, standard);
  else if (stream == Stream::Nothing)
    dup2(open("/dev/null", O_RDWR | O_CLOEXEC), standard);
}

void limitMemory(uint64_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (bytes)
    setrlimit(RLIMIT_AS, &limit);
}

/// In every child: it dies with its parent, also where that was faster than prctl.
void dieWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(CannotStart);
}

void complain(std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      return;
}

/// System calls only: see the top.
[[noreturn]] void becomeProgram(Preparation &prepared, const Capture &output, const Capture &error) {
  const ProcessRequest &request = prepared.request;
  if (request.ties == Ties::Own)
    setpgid(0, 0);
  dieWith(prepared.parent);
  lead(request.input, request.inputDescriptor, STDIN_FILENO);
  lead(request.output, output.writeEnd(), STDOUT_FILENO);
  lead(request.error, error.writeEnd(), STDERR_FILENO);
  limitMemory(request.memoryBytes);
  environ = prepared.environment.data();
  if (prepared.folder.empty() || chdir(prepared.folder.c_str()) == 0)
    execvp(prepared.words[0], prepared.words.data());
  complain({"cannot run ", prepared.words[0], ": ", strerrordesc_np(errno), "\n"});
  _exit(CannotStart);
}

void writeAll(int descriptor, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR)
      return;
    at += count > 0 ? size_t(count) : 0;
  }
}

/// Ends without running destructors: what the parent owns (temporary folders) is not ours to clean up.
[[noreturn]] void doWork(Preparation &prepared, Capture &answer) {
  leaveInterruptsToParent();
  setsid();
  dieWith(prepared.parent);
  answer.closeRead();
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    lead(Stream::Nothing, -1, standard);
  limitMemory(prepared.request.memoryBytes);
  for (const std::string &assignment : prepared.request.environment)
    putenv(const_cast<char *>(assignment.c_str()));
  if (!prepared.folder.empty() && chdir(prepared.folder.c_str()) != 0)
    _exit(CannotStart);
  try {
    writeAll(answer.writeEnd(), prepared.request.work());
    _exit(0);
  } catch (const std::exception &thrown) {
    writeAll(answer.writeEnd(), thrown.what());
    _exit(Threw);
  }
}

// --- Our side ------------------------------------------------------------------------------------------

/// A child that has been started.
class Following {
public:
  Following(pid_t child, const ProcessRequest &request, Capture &output, Capture &error)
      : child(child), request(request), captures{&output, &error} {}

  enum class End { ByItself, ByItsLimit };

  /// Without waiting: how it has ended; nothing while it runs.
  std::optional<End> ended() {
    for (Capture *capture : captures)
      capture->drain();
    look(WNOHANG);
    if (!isAtWork())
      return End::ByItself;
    return isOutOfTime() ? std::optional(End::ByItsLimit) : std::nullopt;
  }

  /// False where its time is over before.
  bool waitForEnd() {
    while (isAtWork()) {
      if (isOutOfTime())
        return false;
      waitALittle(request.seconds > 0 ? request.seconds - secondsSince(begin) : 1);
      for (Capture *capture : captures)
        capture->drain();
      look(WNOHANG);
    }
    return true;
  }

  void killAll() {
    if (request.work)
      killSession(child);
    else
      kill(request.ties == Ties::Own ? -child : child, SIGKILL);
  }

  /// Those that it started are not to outlive it. A session's are looked for only where it did not end itself.
  void killLeftBehind() {
    if (hasOwnTies() && !request.work)
      kill(-child, SIGKILL);
  }

  void waitToDie() {
    for (const Clock::time_point killed = Clock::now(); !hasEnded && secondsSince(killed) < SecondsToDie;) {
      look(WNOHANG);
      if (!hasEnded)
        std::this_thread::sleep_for(std::chrono::milliseconds(MillisToLookWithoutOutput));
    }
  }

  ProcessResult result(bool timedOut) {
    ProcessResult result;
    for (Capture *capture : captures)
      capture->drain();
    result.timedOut = timedOut;
    result.limit = request.seconds;
    result.seconds = secondsSince(begin);
    result.standardOutput = captures[0]->text();
    result.standardError = captures[1]->text();
    int status = SIGKILL; // where it cannot be reaped
    rusage used{};
    if (hasEnded)
      wait4(child, &status, 0, &used);
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exitCode = result.signal ? 128 + result.signal : WEXITSTATUS(status);
    result.peakBytes = uint64_t(used.ru_maxrss) * 1024;
    for (const timeval &time : {used.ru_utime, used.ru_stime})
      result.processorSeconds += double(time.tv_sec) + 1e-6 * double(time.tv_usec);
    return result;
  }

private:
  bool hasOwnTies() const { return request.work || request.ties == Ties::Own; }
  bool isPrinting() const { return captures[0]->isOpen() || captures[1]->isOpen(); }
  bool isAtWork() const { return !hasEnded || (!hasOwnTies() && isPrinting()); }
  bool isOutOfTime() const { return request.seconds > 0 && secondsSince(begin) >= request.seconds; }

  /// Whether it has ended, which leaves it a zombie until result().
  void look(int options) {
    siginfo_t about{};
    int failed;
    while ((failed = waitid(P_PID, id_t(child), &about, WEXITED | WNOWAIT | options)) && errno == EINTR)
      ;
    // Other code reaped it: that it has ended is all there is to know.
    hasEnded = hasEnded || (failed ? errno == ECHILD : about.si_pid == child);
  }

  /// For something to read, or for its end where it prints nothing to us.
  void waitALittle(double secondsLeft) {
    if (!isPrinting() && request.seconds <= 0)
      return look(0);
    const int millis = int(std::min<double>(MillisToLook, secondsLeft * 1000 + 1));
    std::array<pollfd, 2> ends;
    for (size_t i : {0, 1})
      ends[i] = {captures[i]->readEnd(), POLLIN, 0}; // -1 is passed over
    poll(ends.data(), ends.size(), isPrinting() ? millis : std::min(millis, MillisToLookWithoutOutput));
  }

  const Clock::time_point begin = Clock::now();
  pid_t child;
  const ProcessRequest &request;
  std::array<Capture *, 2> captures;
  bool hasEnded = false;
};

RunningChild::Kind kindOf(const ProcessRequest &request) {
  if (request.work)
    return RunningChild::Kind::Session;
  return request.ties == Ties::Own    ? RunningChild::Kind::Group
         : request.ties == Ties::Ours ? RunningChild::Kind::Process
                                      : RunningChild::Kind::User;
}

ProcessResult notStarted(const char *why) {
  ProcessResult result;
  result.standardError = why;
  return result;
}

} // namespace

/// With SIGCHLD ignored, as a parent may have left it, the status of a child cannot be queried.
static void watchChildren() {
  struct sigaction now{};
  if (sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
    signal(SIGCHLD, SIG_DFL);
}

struct StartedProcess::State {
  explicit State(ProcessRequest given)
      : request(std::move(given)), prepared(request),
        output(request.work || request.output == Stream::Captured, request.outputBytes),
        error(!request.work && request.error == Stream::Captured, request.outputBytes) {}

  void start() {
    if (!output.isMade() || !error.isMade()) {
      done = notStarted("cannot open a pipe");
      return;
    }
    const pid_t child = fork();
    if (child < 0) {
      done = notStarted("cannot start another process");
      return;
    }
    if (child == 0 && request.work)
      doWork(prepared, output);
    if (child == 0)
      becomeProgram(prepared, output, error);
    if (!request.work && request.ties == Ties::Own)
      setpgid(child, child);
    running.emplace(child, kindOf(request));
    output.closeWrite(), error.closeWrite();
    following.emplace(child, request, output, error);
  }

  void end(bool inTime) {
    if (!inTime)
      following->killAll();
    following->waitToDie();
    following->killLeftBehind();
    done = following->result(!inTime);
    running.reset();
  }

  ProcessRequest request;
  Preparation prepared;
  Capture output, error;
  std::optional<RunningChild> running;
  std::optional<Following> following;
  std::optional<ProcessResult> done;
};

StartedProcess::StartedProcess(ProcessRequest request) {
  watchChildren();
  state = std::make_unique<State>(std::move(request));
  state->start();
}

StartedProcess::~StartedProcess() {
  if (!state->done)
    state->end(false);
}

bool StartedProcess::isOver() {
  if (!state->done)
    if (const auto ended = state->following->ended())
      state->end(*ended == Following::End::ByItself);
  return state->done.has_value();
}

const ProcessResult &StartedProcess::result() {
  if (!state->done)
    state->end(state->following->waitForEnd());
  return *state->done;
}

ProcessResult runToEnd(const ProcessRequest &request) { return StartedProcess(request).result(); }

StartedCopy::StartedCopy(double seconds, std::function<std::string()> work)
    : process([&] {
        ProcessRequest request;
        request.work = std::move(work);
        request.environment = {"TMPDIR=" + scratch.path().string()};
        request.seconds = seconds;
        return request;
      }()) {}

void waitForCopies() { std::this_thread::sleep_for(std::chrono::milliseconds(MillisToLookWithoutOutput)); }

std::vector<ProcessResult> runInCopies(unsigned jobs, double seconds,
                                       const std::vector<std::function<std::string()>> &works) {
  std::vector<ProcessResult> results(works.size());
  std::map<size_t, StartedCopy> atWork; // by the number of the work
  for (size_t begun = 0, ended = 0; ended < works.size();) {
    while (begun < works.size() && atWork.size() < std::max(1u, jobs)) {
      atWork.try_emplace(begun, seconds, works[begun]);
      ++begun;
    }
    const size_t before = ended;
    for (auto copy = atWork.begin(); copy != atWork.end();) {
      if (!copy->second.isOver()) {
        ++copy;
        continue;
      }
      results[copy->first] = copy->second.result();
      copy = atWork.erase(copy);
      ++ended;
    }
    if (ended == before)
      waitForCopies();
  }
  return results;
}

unsigned processors() {
  cpu_set_t allowed;
  const bool isKnown = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return std::max(1u, isKnown ? unsigned(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency());
}

ProcessResult runProcess(const std::vector<std::string> &command, const std::vector<std::string> &environment,
                         double seconds) {
  ProcessRequest request;
  request.command = command;
  request.environment = environment;
  request.seconds = seconds;
  return runToEnd(request);
}

ProcessRequest unattended(std::vector<std::string> command, std::filesystem::path folder, double seconds) {
  ProcessRequest request;
  request.command = std::move(command);
  request.folder = std::move(folder);
  request.seconds = seconds;
  request.outputBytes = UnattendedBytes;
  request.input = Stream::Nothing;
  request.error = Stream::WithOutput;
  return request;
}

ProcessResult runInCopy(double seconds, std::function<std::string()> work) {
  return StartedCopy(seconds, std::move(work)).result();
}

std::string howEnded(const ProcessResult &result) {
  std::ostringstream text;
  if (result.timedOut)
    text << "took longer than " << result.limit << " s";
  else if (result.signal)
    text << "was ended by signal " << result.signal << " (" << strsignal(result.signal) << ")";
  else if (result.exitCode < 0)
    text << result.standardError;
  else
    text << "ended with exit code " << result.exitCode;
  return text.str();
}

std::string withSignalName(int exitCode) {
  std::string text = "exit code " + std::to_string(exitCode);
  const int signal = exitCode - 128;
  return signal > 0 && signal < SIGRTMIN ? text + " (" + strsignal(signal) + ")" : text;
}

std::string whyFailed(const ProcessResult &result) {
  const bool threw = result.exited() && result.exitCode == Threw && !result.standardOutput.empty();
  return threw ? result.standardOutput : howEnded(result);
}

std::optional<std::filesystem::path> findProgram(const std::string &name) {
  auto isProgram = [](const std::filesystem::path &file) {
    std::error_code ignored; // folders can be "executed" as well
    return access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file, ignored);
  };
  if (name.find('/') != std::string::npos)
    return isProgram(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (isProgram(candidate))
      return candidate;
  }
  return std::nullopt;
}

} // namespace heddle
