// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Checker.h"
#include "check/Serial.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace heddle::cudart {

/// The checker inside a program's runtime (HEDDLE_CHECK): sees launches, copies and allocations, and writes
/// what it found to a file whenever there may be something new, since the program may end in any way.
class ProgramCheck {
public:
  /// `assume`: "lockstep", or nothing; for tests: "volatile" of every access.
  ProgramCheck(std::string resultFile, const vm::Memory &memory, const std::string &assume);

  vm::Observer *observer() { return &checker; }
  /// Called when the host launches the kernel: the number of the launch among those of the kernel, from 1.
  uint64_t nextLaunchOf(const std::string &kernel);
  /// Called on the thread of a stream before its work; a launch gives its number.
  void beforeWork(uint64_t launchOfKernel = 0);
  void launchEnded();
  /// A call failed. `launch`: it was a launch of `kernel`, in words. `hint`: what is wrong with its arguments.
  void failed(const std::string &function, const std::string &error, const std::string &launch,
              const std::string &hint, const std::string &kernel = {});
  /// The program asked this host thread for its last error, or how an error is called: it has seen what
  /// failed.
  void errorSeen();
  void wrote(const void *address, size_t bytes, const char *what);
  void read(const void *address, size_t bytes, const char *what);
  void allocated(const void *address);
  /// Called while the memory is still known.
  /// Mapped memory is an allocation; what was mapped before may hold data.
  void mapped(const void *address, size_t bytes, bool mayHoldData);
  void unmapped(const void *address, size_t bytes);
  void freeing(const void *address);
  void write(bool complete);

private:
  const std::string file;
  const vm::Memory &memory;
  check::FindingList findings;
  check::Checker checker;
  std::mutex guard;
  struct Failure {
    std::string function, error, launch, hint, kernel;
    std::thread::id thread;
    uint64_t times = 1;
  };
  std::map<std::string, uint64_t> launched; ///< by kernel
  std::vector<Failure> failures;            ///< that have not been queried
  std::vector<check::CheckResult::QueriedLaunch> queried;
  uint64_t written = 0; ///< changes of the findings when the file was last written
  std::chrono::steady_clock::time_point writtenAt{};
};

} // namespace heddle::cudart
