// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/ProgramCheck.h"

#include "cudart/Streams.h"

#include <fmt/format.h>

namespace heddle::cudart {

ProgramCheck::ProgramCheck(std::string resultFile, const vm::Memory &simulatorMemory,
                           const std::string &assume)
    : file(std::move(resultFile)), memory(simulatorMemory),
      checker(
          {.memory = &simulatorMemory, .lockstep = assume == "lockstep", .allVolatile = assume == "volatile"},
          findings) {}

uint64_t ProgramCheck::nextLaunchOf(const std::string &kernel) {
  std::lock_guard lock(guard);
  return ++launched[kernel];
}

void ProgramCheck::beforeWork(uint64_t launchOfKernel) {
  if (const Ticket *ticket = Streams::current())
    checker.setOrder({ticket->stream, ticket->index, ticket->seen, launchOfKernel});
}

void ProgramCheck::wrote(const void *address, size_t bytes, const char *what) {
  if (!memory.find(reinterpret_cast<uint64_t>(address)))
    return;
  beforeWork();
  checker.hostWrote(reinterpret_cast<uint64_t>(address), bytes, what);
}

void ProgramCheck::read(const void *address, size_t bytes, const char *what) {
  if (!memory.find(reinterpret_cast<uint64_t>(address)))
    return;
  beforeWork();
  checker.hostRead(reinterpret_cast<uint64_t>(address), bytes, what);
}

void ProgramCheck::allocated(const void *address) { checker.allocated(reinterpret_cast<uint64_t>(address)); }

void ProgramCheck::mapped(const void *address, size_t bytes, bool mayHoldData) {
  allocated(address);
  if (mayHoldData)
    checker.hostWrote(reinterpret_cast<uint64_t>(address), bytes, "cuMemMap");
}

void ProgramCheck::unmapped(const void *address, size_t bytes) {
  checker.freed(reinterpret_cast<uint64_t>(address), bytes);
}

void ProgramCheck::freeing(const void *address) {
  if (std::optional<vm::Allocation> piece = memory.find(reinterpret_cast<uint64_t>(address)))
    checker.freed(piece->address, piece->bytes);
}

/// Programs launch thousands of times: the file is written again when there is something new, else rarely.
void ProgramCheck::launchEnded() {
  constexpr auto Pause = std::chrono::seconds(1);
  {
    std::lock_guard lock(guard);
    if (findings.changes() == written && std::chrono::steady_clock::now() - writtenAt < Pause)
      return;
  }
  write(false);
}

void ProgramCheck::failed(const std::string &function, const std::string &error, const std::string &launch,
                          const std::string &hint, const std::string &kernel) {
  std::lock_guard lock(guard);
  const std::thread::id me = std::this_thread::get_id();
  for (Failure &failure : failures)
    if (failure.function == function && failure.error == error && failure.launch == launch &&
        failure.thread == me) {
      ++failure.times;
      return;
    }
  constexpr size_t Most = 1000;
  if (failures.size() < Most)
    failures.push_back({function, error, launch, hint, kernel, me});
}

void ProgramCheck::errorSeen() {
  std::lock_guard lock(guard);
  const auto isMine = [](const Failure &failure) { return failure.thread == std::this_thread::get_id(); };
  constexpr size_t Most = 4; // the first ones explain a program that gives up
  for (const Failure &failure : failures)
    if (isMine(failure) && !failure.launch.empty() && queried.size() < Most)
      queried.push_back({fmt::format("{} failed with {}", failure.launch, failure.error), failure.hint});
  std::erase_if(failures, isMine);
}

void ProgramCheck::write(bool complete) {
  std::lock_guard lock(guard);
  written = findings.changes();
  check::CheckResult result{findings.all(), {}, checker.counts(), complete, queried};
  writtenAt = std::chrono::steady_clock::now();
  for (const Failure &failure : failures) {
    if (failure.launch.empty()) {
      result.failedCalls.push_back({failure.function, failure.error, failure.hint, failure.times});
      continue;
    }
    check::Finding finding;
    finding.rule = check::Rule::HostLaunchFailed;
    finding.kernel = failure.kernel;
    finding.text = fmt::format("{} failed with {}, and the program did not check it (cudaGetLastError)",
                               failure.launch, failure.error);
    finding.hint = failure.hint;
    finding.times = failure.times;
    result.findings.push_back(std::move(finding));
  }
  check::writeResult(file, result);
}

} // namespace heddle::cudart
