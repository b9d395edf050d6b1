// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the shadows find, and what it means. A shadow knows which accesses meet at an address; whether two of
// them are a race is decided here, from what the parts of the checker know (evidence, which nothing here
// changes), and goes to where findings are collected (sinks).
#pragma once

#include "check/Copies.h"
#include "check/GlobalShadow.h"
#include "check/HostMemory.h"
#include "check/Launches.h"
#include "check/Mbarriers.h"
#include "check/PlainReads.h"
#include "check/Publication.h"
#include "check/SharedShadow.h"
#include "check/UnwrittenReads.h"

#include <cstdint>
#include <string>

namespace heddle::check {

/// Writes to memory that a launch has read, or may have read, and that nothing orders with the launch.
class LateWrites {
public:
  virtual void wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end) = 0;

protected:
  ~LateWrites() = default;
};

struct Sinks {
  Reporter &reporter;
  PlainReads &plainReads;
  UnwrittenReads &unwritten;  ///< of the kind of memory that is accessed
  LateWrites *late = nullptr; ///< of global memory
};

struct SharedEvidence {
  const CheckOptions &options;
  const BlockOrder &order;
  const Fences &fences;
  const PublishedValues &values;
  const PollInstructions &polls;
  const Mbarriers &mbarriers;
};

struct GlobalEvidence {
  const CheckOptions &options;
  const BlockOrder &order;
  const Fences &fences;
  const PublishedValues &values;
  const PollInstructions &polls;
  const Launches &launches;
  const HostWrites &hostWrites;
  const GlobalNames &names;
};

/// Of one instruction that accesses the block's shared memory.
class SharedConflicts final : public AccessRules {
public:
  SharedConflicts(const Where &where, const vm::AccessEvent &what, const SharedEvidence &known, Sinks found)
      : at(where), event(what), evidence(known), sinks(found) {}

  bool knows(unsigned lane, unsigned thread, Stamp stamp) override;
  CellValue stored(unsigned lane, uint64_t address, unsigned bytes) override;
  CellValue held(unsigned lane, uint64_t address, unsigned bytes) override;
  bool clash(unsigned lane, uint64_t address, const Past &past) override;
  void unwritten(unsigned lane, uint64_t address) override;

private:
  std::string nameOf(uint64_t address) const;
  void reportSameInstruction(const Side &me, const Side &other, uint64_t address);
  void reportCopy(const Side &me, const Side &other, const Past &past, uint64_t address);

  const Where &at;
  const vm::AccessEvent &event;
  const SharedEvidence &evidence;
  const Sinks sinks;
};

/// An access to global memory: by an instruction, or by an asynchronous copy, which has no event.
struct GlobalAccess {
  const vm::AccessEvent *event = nullptr;
  bool write = false;
  Strength strength = Strength::Weak;
  vm::Scope scope = vm::Scope::None;
  uint32_t elementBytes = 4;
};

class GlobalConflicts final : public GlobalAccessRules {
public:
  GlobalConflicts(const Where &where, const GlobalAccess &what, const GlobalEvidence &known, Sinks found)
      : at(where), access(what), evidence(known), sinks(found) {}

  bool knows(unsigned lane, const GlobalPast &past) override;
  CellValue stored(unsigned lane, uint64_t address, unsigned bytes) override;
  CellValue held(unsigned lane, uint64_t address, unsigned bytes) override;
  bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override;
  void incoherent(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override;
  bool unwritten(unsigned lane, uint64_t address, uint32_t bytes) override;
  void startsWritten(uint64_t address, uint64_t (&bits)[64]) override;

private:
  std::string nameOf(uint64_t address) const;
  bool mayRace(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) const;
  bool isOutOfScope(const GlobalPast &past) const;

  const Where &at;
  const GlobalAccess &access;
  const GlobalEvidence &evidence;
  const Sinks sinks;
};

/// Of an asynchronous copy, in shared memory, when it starts.
class CopyConflicts final : public AccessRules {
public:
  CopyConflicts(const Where &where, bool intoShared, bool bulk, const SharedEvidence &known, Sinks found)
      : at(where), write(intoShared), engine(bulk), evidence(known), sinks(found) {}

  bool knows(unsigned lane, unsigned thread, Stamp stamp) override;
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  bool clash(unsigned lane, uint64_t address, const Past &past) override;
  void unwritten(unsigned lane, uint64_t address) override;

  /// Reports writes of threads that no proxy fence has carried over to the copy engine.
  void checkProxy(const PendingCopy &copy, const SharedShadow &shared);
  /// The same for what a bulk copy reads from global memory. What other blocks wrote is left to them.
  void checkGlobalProxy(const PendingCopy &copy, const GlobalShadow &global, const GlobalNames &names);

private:
  bool isUnfenced(unsigned lane, unsigned thread, Stamp stamp);
  void reportProxy(const char *does, const std::string &what, unsigned thread, uint32_t instrId);

  const Where &at;
  const bool write, engine;
  const SharedEvidence &evidence;
  const Sinks sinks;
};

} // namespace heddle::check
