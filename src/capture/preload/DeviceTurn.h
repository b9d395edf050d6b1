// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program and another process use the GPU in turns.
//
// `heddle tune` begins its search while the program that it captured a launch of is still at work on the host: comparing results
// with a computation of its own may take a program ten times as long as all of its launches. Times that are measured meanwhile
// must not be disturbed by the program's launches. Both therefore lock a file (HEDDLE_CAPTURE_TURN) while they use the GPU. The
// program holds the lock from a launch on, until it has launched nothing for some time and all of its launches have ended; then
// it is at rest. Its next launch waits until the other process has unlocked the file, which takes as long as one measurement.
#pragma once

#include "support/TurnLock.h"

#include <chrono>
#include <cuda_runtime_api.h>
#include <map>
#include <string>
#include <thread>

namespace heddle::capture {

/// The program's half. Calls must not overlap: callers hold a lock.
class DeviceTurn {
public:
  /// Empty: there is no other process, and nothing is done.
  explicit DeviceTurn(const std::string &file) : file(file) {}

  bool isShared() const { return file.isOpen(); }
  /// Before a launch: waits for the program's turn.
  void take();
  /// After a launch: remembers what has to end before the program is at rest.
  void launched(cudaStream_t stream);
  /// A graph, of which the library does not see when it has ended: the program is not at rest any more.
  void launchedUnseen() { isUnseen = true; }
  /// No launch was made for a while, and all have ended. Does not wait.
  bool isAtRest() const;
  void release();

private:
  using Stream =
      std::pair<cudaStream_t, std::thread::id>; // the stream of each thread has one name for all threads

  TurnLock file;
  bool isHeld = false, isUnseen = false;
  std::chrono::steady_clock::time_point latest; ///< launch
  std::map<Stream, cudaEvent_t> last;           ///< event after the last launch of each stream
};

} // namespace heddle::capture
