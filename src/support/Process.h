// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place where processes are started: compilers, users' programs, candidates of a search, and copies of
// this process that do some work which may crash or hang.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Where a standard stream of a process leads.
enum class Stream {
  Ours,       ///< to our own
  Nothing,    ///< to /dev/null
  Captured,   ///< into the result
  WithOutput, ///< stderr only: where stdout leads
  Given,      ///< stdin only: to ProcessRequest::inputDescriptor
};

/// Who is ended together with the process, and who gets ^C.
enum class Ties {
  Own,  ///< a process group of its own: a time limit and interrupts end it with everything in the group
  Ours, ///< our process group; after an interrupt it ends with us
  User, ///< our process group and terminal: the program gets ^C and decides what to do, and we wait for it
};

/// What to run, under which limits, and where its streams lead.
struct ProcessRequest {
  std::vector<std::string> command; ///< program and arguments; no shell
  /// Instead of a command: a function in a copy of this process, which leads a session of its own. Its
  /// standard streams lead nowhere; the text that it returns is the result's standard output. An exception
  /// makes the exit code 2 and its message that text. No other thread may be running here.
  std::function<std::string()> work;
  std::vector<std::string> environment; ///< "NAME=value", in front of ours
  std::filesystem::path folder;         ///< to run in; empty: ours
  double seconds = 0;                   ///< then it is killed with its group or session; 0: no limit
  uint64_t memoryBytes = 0;             ///< of address space; 0: no limit
  size_t outputBytes = 0;               ///< kept of each end of a captured stream; 0: all of it
  Stream input = Stream::Ours, output = Stream::Captured, error = Stream::Captured;
  int inputDescriptor = -1; ///< for Stream::Given; remains the caller's
  Ties ties = Ties::Own;
};

/// What a process left behind.
struct ProcessResult {
  int exitCode = -1; ///< 128 + the signal's number where a signal ended it; 127: it could not be started
  int signal = 0;    ///< that ended it; 0: it ended itself
  bool timedOut = false;
  double limit = 0;            ///< seconds that it was given; 0: as many as it wants
  double seconds = 0;          ///< from start to end
  double processorSeconds = 0; ///< of it and the children that it waited for
  uint64_t peakBytes = 0;      ///< of memory, by the largest of these processes
  std::string standardOutput, standardError;

  bool succeeded() const { return exitCode == 0 && !timedOut; }
  bool exited() const { return exitCode >= 0 && signal == 0 && !timedOut; }
};

/// Runs it and waits for its end or the end of its time. It is killed when we die, however that happens. May
/// be called by several threads at a time, except with `work`.
ProcessResult runToEnd(const ProcessRequest &request);

/// The usual case: stdout and stderr are captured, stdin is ours. `seconds` 0: no limit.
ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::vector<std::string> &environment = {}, double seconds = 0);

/// An unattended program: it has nothing to read, and of what it prints on both streams the beginning
/// and the end are captured as standard output.
ProcessRequest unattended(std::vector<std::string> command, std::filesystem::path folder = {},
                          double seconds = 0);

/// Does `work` in a copy of this process. Whatever it writes to the temporary folder is gone with it.
ProcessResult runInCopy(double seconds, std::function<std::string()> work);

/// How a program ended, for a person: "took longer than 3 s", "was ended by signal 11 (...)", "ended with exit code 2".
std::string howEnded(const ProcessResult &result);
/// "exit code 2", "exit code 139 (Segmentation fault)": of a program whose result has the code alone.
std::string withSignalName(int exitCode);
/// The same for `work`, where an exception that left it is the reason.
std::string whyFailed(const ProcessResult &result);

/// The program's full path as the shell would find it, or nothing.
std::optional<std::filesystem::path> findProgram(const std::string &name);

} // namespace heddle
