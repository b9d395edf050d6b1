// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Clock.h"
#include "check/ShadowRows.h"
#include "vm/Observer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// An earlier access to a cell. Threads count 32 to a warp; warps beyond the block's represent copy engines.
struct Past {
  enum Flag : uint8_t {
    Pending = 1, ///< an asynchronous copy that no thread has waited for yet
    Engine = 2,  ///< made by a copy engine, not by a thread
  };
  Stamp stamp = 0;
  uint32_t instrId = 0;
  uint16_t thread = 0;
  Strength strength = Strength::Weak;
  uint8_t flags = 0;
  bool write = false;
  bool returns = false;   ///< an atomic whose result its thread may use: it knows which ones came before
  bool sameValue = false; ///< both write, and this thread wrote there what is written now, nothing else
  bool sameInstruction = false; ///< another lane of the instruction that is looked at
};

/// What a store puts into a cell, or what was there before; nothing where that is unknown.
using CellValue = std::optional<uint32_t>;
inline bool isSame(CellValue a, CellValue b) { return a && b && *a == *b; }

/// Whether what races with the older of two writes of one thread also races with the newer one: it may be of the same
/// value as the newer one, or as strong.
inline bool represents(Strength newer, Strength older, bool sameValue) {
  return (sameValue && older >= newer) || (older == Strength::Atomic && newer == Strength::Atomic);
}

/// Who decides about what the shadow finds.
class AccessRules {
public:
  virtual ~AccessRules() = default;
  /// Whether that happened before what this lane does now.
  virtual bool knows(unsigned lane, unsigned thread, Stamp stamp) = 0;
  /// One of the two writes, and nothing orders them (or the past one is pending). True: that is a finding.
  /// False: the two may come in any order, so the past one stays remembered beside the new one.
  virtual bool clash(unsigned lane, uint64_t address, const Past &past) = 0;
  /// Nothing wrote any byte that this lane reads.
  virtual void unwritten(unsigned lane, uint64_t address) = 0;
  /// What this lane's store puts into a cell of one or four bytes, and what the memory holds before it.
  virtual CellValue stored(unsigned lane, uint64_t address, unsigned bytes) = 0;
  virtual CellValue held(unsigned lane, uint64_t address, unsigned bytes) = 0;
};

/// Lanes of a warp that access shared memory.
struct Touch {
  unsigned warp = 0;
  uint32_t mask = 0;
  uint32_t bytes = 4; ///< each lane
  const uint64_t *addresses = nullptr;
  Stamp stamp = 0;
  Stamp known = 0; ///< all that happened up to this happened before, in each lane
  uint32_t instrId = 0;
  Strength strength = Strength::Weak;
  bool returns = false; ///< see Past
};

/// Reads by groups that a warp may make again and again: by the same instructions and lanes, of the same words.
class ReadSet {
public:
  struct Read {
    Read(const vm::PlainAccess &access, uint32_t instrId);
    vm::PlainAccess access() const;
    uint32_t bytes, groups, instrId;
    int32_t stride;
    std::vector<uint64_t> firsts; ///< addresses of the groups
  };
  struct Range {
    uint32_t first, end; ///< words
  };
  explicit ReadSet(std::vector<Read> all);

  const std::vector<Read> reads;
  std::vector<Range> words;      ///< of all reads, ascending and apart
  mutable Stamp wereWritten = 0; ///< the start of the last block in which all of them were seen to be written
};

/// The shadow of a block's shared memory: for each word the last write with the writes that nothing orders
/// with it (atomics, stores of the same value), and for each word and warp the last reads. Bytes get cells of
/// their own once a thread accesses less than a word.
///
/// Time goes on from block to block, so nothing has to be cleared: what is older than the block counts for
/// nothing.
class SharedShadow {
public:
  /// A new block; `start` is greater than every stamp used before. Everything is unwritten.
  void begin(unsigned warps, uint32_t bytes, Stamp start);

  void read(const Touch &touch, AccessRules &rules);
  /// The same of lanes in groups of neighbours, whose words `strideWords` apart are read for the first time since the warp synchronized, or
  /// have been written before what is known: the usual case, in which no address of a lane is needed. `touch` has none. Lanes for which
  /// that does not hold are returned, and nothing is noted of them.
  uint32_t readGroups(const Touch &touch, const vm::PlainAccess &access);
  /// The same of all reads of a set, if all of their words were written before what is known. They are noted later: most are forgotten before
  /// anybody asks for them. `touch` has the warp and the time. False: nothing was done.
  bool readSet(const Touch &touch, const std::shared_ptr<const ReadSet> &set);
  bool hasPendingReads() const { return !pending.empty(); }
  /// Notes reads of sets that not all threads know of; the others do not matter any more.
  void settle(Stamp knownToAll = 0) {
    if (hasPendingReads())
      notePending(knownToAll);
  }
  void write(const Touch &touch, AccessRules &rules);
  /// The same of weak stores of lanes in groups of neighbours to words of their own, if all were last accessed at a time that is known, by
  /// plain accesses. False: nothing was noted.
  bool writeGroups(const Touch &touch, const vm::PlainAccess &access);
  /// Whether these words were last accessed at a time that is known, by plain accesses.
  bool isQuiet(const uint64_t *addresses, uint32_t mask, uint32_t bytes, Stamp known);

  /// An asynchronous copy into [offset, offset + bytes): checked as a write of the lane that starts it.
  void beginCopyTo(const Touch &touch, unsigned lane, uint32_t offset, uint32_t bytes, AccessRules &rules);
  /// The copy is done: it counts as a write of `thread` at `stamp`. `engine`: of a copy engine.
  void endCopyTo(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp, uint32_t instrId,
                 bool engine);
  /// An asynchronous copy out of shared memory, and its end.
  void beginCopyFrom(const Touch &touch, unsigned lane, uint32_t offset, uint32_t bytes, AccessRules &rules);
  void endCopyFrom(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp, uint32_t instrId);

  /// Makes memory count as written without any access, as for mbarriers.
  void markWritten(uint32_t offset, uint32_t bytes);
  /// The last write of a word, and whether there is one.
  bool lastWrite(uint32_t offset, Past &past) const;

private:
  static constexpr Stamp Special = ~Stamp(0);
  enum Flag : uint8_t {
    Split = 1,
    HasPending = 2,
    ByEngine = 4,
    ManyWriters = 8,
    PendingReader = 16,
    Marked = 32,
    Returns = 64
  };

  /// Of a cell that a warp has read.
  struct Reads {
    Stamp stamp = 0;
    uint32_t weak = 0, strong = 0; ///< lanes
    uint32_t volatiles = 0;        ///< those of the strong ones that are volatile
    uint32_t instrId = 0;
  };
  struct StrongReads {
    Stamp stamp = 0; ///< unless it is that of the plane's cell, there were none since
    uint32_t lanes = 0, volatiles = 0;
  };
  /// Lanes of a warp that wrote the same value with one instruction.
  struct Beside {
    Past past; ///< thread: lane 0 of the warp
    uint32_t lanes = 0;
    CellValue value;
    Replaced earlier;
  };
  struct Extra {
    Stamp stamp = 0; ///< of the last write
    std::vector<Beside> writers;
    Past reader;
  };
  /// Cells of one size. What usual accesses need is in arrays of its own, so that those of a warp are a few vectors.
  struct Grain {
    std::vector<Stamp> written; ///< Special: look at the flags
    std::vector<Stamp> read;    ///< the newest of any warp; Special: a copy is reading
    std::vector<LastWrite> writes;
    // A plane a warp.
    std::vector<Stamp> readAt;
    std::vector<uint32_t> weak, readBy; ///< lanes, instrId
    std::vector<StrongReads> strong;
    std::unordered_map<uint32_t, Extra> extras;
    size_t count = 0;
    unsigned bytes = 4; ///< of a cell
    size_t inPlane(unsigned warp, size_t cell) const { return warp * count + cell; }
    Reads readsOf(unsigned warp, uint32_t cell) const;
    void resize(size_t cells, unsigned planes);
    void clear(uint32_t cell) { written[cell] = read[cell] = 0, writes[cell] = {}; }
  };

  Past pastOf(const Grain &grain, uint32_t cell) const;
  bool isWritten(const Grain &grain, uint32_t cell) const;
  void split(uint32_t word);
  void forget(Grain &grain, uint32_t cell);

  /// These return whether the cell has been written at all.
  bool readCell(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                AccessRules &rules);
  bool readWord(uint32_t word, unsigned lane, uint64_t address, const Touch &touch, AccessRules &rules);
  /// Returns whether the last write is reported as a finding, and drops those of its companions that are.
  bool checkWriters(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                    CellValue fresh, CellValue before, AccessRules &rules);
  static void addBeside(std::vector<Beside> &writers, Past past, CellValue value, Replaced earlier);
  CellValue valueBefore(const Grain &grain, uint32_t cell, unsigned lane, uint64_t address,
                        const Touch &touch, AccessRules &rules) const;
  void checkReaders(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                    AccessRules &rules);
  void writeCell(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                 AccessRules &rules);
  void writeWord(uint32_t word, unsigned lane, uint64_t address, const Touch &touch, AccessRules &rules);
  void noteRead(Grain &grain, uint32_t cell, unsigned lane, const Touch &touch);

  void readWords(unsigned lane, const Touch &touch, AccessRules &rules);
  void readStrong(const Touch &touch, AccessRules &rules);
  void readBytes(const Touch &touch, AccessRules &rules);
  void writeBytes(const Touch &touch, AccessRules &rules);
  uint32_t readRow(uint32_t first, unsigned words, uint32_t lanes, const Touch &touch);

  struct Pending {
    std::shared_ptr<const ReadSet> set;
    Touch touch;
  };
  void notePending(Stamp knownToAll);
  uint32_t noteGroups(const Touch &touch, const vm::PlainAccess &access);

  unsigned warps = 0;
  uint32_t size = 0;
  Stamp base = 0;
  Stamp newestWrite = 0;        ///< no cell was written later; Special after what is not a plain write
  std::vector<Pending> pending; ///< reads of sets that are not noted yet, in their order
  Grain byWord, byByte{.bytes = 1};
};

} // namespace heddle::check
