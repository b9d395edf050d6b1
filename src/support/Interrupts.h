// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SIGINT, SIGTERM and SIGHUP do to a verb that is at work: end what it started, remove its temporary
// folders, say how to go on, exit with 128 + the signal's number.
//
// Programs call handleInterrupts() once; libraries only register what there is to clean up, which costs
// nothing where interrupts are not handled.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace heddle {

/// From now on. `program` opens the message.
void handleInterrupts(std::string program);

/// What is printed after an interrupt: what is kept, and how to resume. The last one given counts.
void setResumeHint(std::string text);

/// While one lives, the first SIGINT ends the children that are waited for, but not this process: it prints `text`, and isAsked() is
/// true from then on. What comes after that is as it would be without. There may be one at a time.
class StopOnInterrupt {
public:
  explicit StopOnInterrupt(std::string text);
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt &) = delete;
  StopOnInterrupt &operator=(const StopOnInterrupt &) = delete;

  static bool isAsked();
};

/// In a copy of this process that goes on without exec: signals end it as they do by default, and what was
/// registered is the parent's to clean up.
void leaveInterruptsToParent();

/// Makes a folder with mkdtemp that is removed after an interrupt too. False with errno where that fails.
bool makeTemporaryFolder(std::string &pattern);
void removeTemporaryFolder(const std::filesystem::path &folder);

/// A child process while it is waited for.
class RunningChild {
public:
  enum class Kind {
    Process, ///< gets the signal itself
    Group,   ///< gets it with everything in its process group
    Session, ///< is killed with everything in its session
    User,    ///< a user's program on our terminal: it gets the signal and decides what to do
  };
  RunningChild(pid_t process, Kind kind);
  /// After the child was waited for. Does not return in a thread whose program is being ended: a result that
  /// came about by killing the child must not be reported as one.
  ~RunningChild();
  RunningChild(const RunningChild &) = delete;
  RunningChild &operator=(const RunningChild &) = delete;

private:
  pid_t process;
};

} // namespace heddle
