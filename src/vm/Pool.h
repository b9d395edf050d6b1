// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::vm {

/// Host threads that help to execute launches; created when first needed and reused, because a small kernel runs
/// for less time than a thread takes to start.
class Pool {
public:
  ~Pool();
  /// Runs job(0) here and job(1..count-1) on helpers, and returns when all are done. Launches from several
  /// host threads may overlap: then each has fewer helpers; the caller always executes a job itself.
  void run(unsigned count, const std::function<void(unsigned)> &job);

private:
  void serve();

  std::mutex guard;
  std::condition_variable wake;
  std::deque<std::function<void()>> waiting;
  std::vector<std::thread> threads;
  bool closing = false;
};

} // namespace heddle::vm
