// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Check.h"

#include "check/Serial.h"
#include "cudart/Streams.h"

namespace heddle::cudart {

ProgramCheck::ProgramCheck(std::string resultFile, const vm::Memory &machineMemory)
    : file(std::move(resultFile)), memory(machineMemory), checker({.memory = &machineMemory}, findings) {}

void ProgramCheck::beforeWork() {
  if (const Ticket *ticket = Streams::current())
    checker.setOrder({ticket->stream, ticket->index, ticket->seen});
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

void ProgramCheck::freeing(const void *address) {
  if (std::optional<vm::Allocation> piece = memory.find(reinterpret_cast<uint64_t>(address)))
    checker.freed(piece->address, piece->bytes);
}

void ProgramCheck::write(bool complete) {
  std::lock_guard lock(guard);
  check::writeResult(file, {findings.all(), checker.counts(), complete});
}

} // namespace heddle::cudart
