// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runner {

/// What became of a candidate. Only Measured may win.
enum class Status {
  Measured,
  Refused,        ///< Heddle would not make it: the reason is the refusal
  DoesNotCompile, ///< the compiler's first error
  FailsCheck,     ///< the static check found a race, a deadlock, a bad barrier
  Wrong,          ///< ran to its end and copied something else to the host than the baseline
  Crashed,        ///< a signal, a CUDA error, or an exit code that the baseline does not have
  TimedOut,       ///< compiling or running it took longer than allowed
  Lost,           ///< the process that was to measure it died; it may be tried again
};
const char *nameOf(Status status);
std::optional<Status> statusNamed(const std::string &name);

/// How the reason of a program begins that ran and launched nothing.
inline constexpr std::string_view noLaunch = "it launches no kernel";

/// One kernel at one launch configuration.
struct KernelTime {
  std::string kernel; ///< mangled
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t launches = 0;                                    ///< by the program itself
  double micros = 0, q1 = 0, q3 = 0;                        ///< of one launch: median and quartiles
  unsigned samples = 0;                                     ///< how many times it was timed
  unsigned registers = 0;                                   ///< per thread
  uint64_t spillBytes = 0, localBytes = 0, sharedBytes = 0; ///< shared: a block, static and dynamic
  double occupancy = 0;                                     ///< percent of the multiprocessor's warps
};

/// What was found out about one candidate.
struct Result {
  std::string id; ///< of the candidate
  Status status = Status::Lost;
  std::string reason; ///< for a person, where it was not measured
  /// All launches of the program together, in microseconds: the sum of median times launches. What is
  /// minimized.
  double micros = 0, q1 = 0, q3 = 0;
  bool predicted = false; ///< the time is a model's, not a clock's
  std::vector<KernelTime> kernels;
  std::string device;                                         ///< "NVIDIA H200", "sm_90 (model)"
  double makeSeconds = 0, compileSeconds = 0, runSeconds = 0; ///< what it cost to find out
  /// What the static check holds against a baseline, which is measured all the same.
  std::string failsCheck;
  std::string when; ///< UTC, ISO 8601
};

/// One line of JSON, and back; nothing where the text is not a result (a line that a kill cut short).
std::string toJson(const Result &result);
std::optional<Result> resultFromJson(const std::string &line);

} // namespace heddle::runner
