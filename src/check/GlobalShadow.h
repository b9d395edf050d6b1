// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/SharedShadow.h"
#include "vm/Observer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace heddle::check {

/// An access to global memory. `actor` numbers blocks over all launches, from 1; 0: none.
struct GlobalPast {
  uint32_t actor = 0;
  Stamp stamp = 0;
  uint32_t instrId = 0;
  uint16_t thread = 0;
  Strength strength = Strength::Weak;
  vm::Scope scope = vm::Scope::None;
  bool byCopy = false; ///< an asynchronous copy that this thread started
  bool returns = false, sameValue = false, sameInstruction = false; ///< see Past
  bool operator==(const GlobalPast &) const = default;
};

class GlobalAccessRules {
public:
  virtual ~GlobalAccessRules() = default;
  virtual bool knows(unsigned lane, const GlobalPast &past) = 0;
  /// True: that is a finding. See AccessRules.
  virtual bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) = 0;
  /// Memory is read through the read-only path in the launch that writes it, in whatever order.
  virtual void incoherent(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) = 0;
  virtual CellValue stored(unsigned lane, uint64_t address, unsigned bytes) = 0;
  virtual CellValue held(unsigned lane, uint64_t address, unsigned bytes) = 0;
  /// No kernel wrote there, nor the host since the shadow began to look. True: it holds something
  /// nevertheless.
  virtual bool unwritten(unsigned lane, uint64_t address, uint32_t bytes) = 0;
  /// Whether memory that the shadow sees for the first time holds something, byte by byte from `address` on.
  virtual void startsWritten(uint64_t address, uint64_t (&bits)[64]) = 0;
};

struct GlobalTouch {
  uint32_t mask = 0;
  uint32_t bytes = 4;
  const uint64_t *addresses = nullptr;
  GlobalPast self;           ///< thread: that of lane 0
  Stamp known = 0;           ///< of the own block, in each lane
  uint32_t orderedBelow = 0; ///< actors below this one ran before the launch began
  uint32_t firstActor = 1;   ///< of the launch
  bool nonCoherent = false;  ///< a read that need not see writes of its own launch
  bool knowsOthers = true;   ///< lanes may know what other blocks of the launch did
};

/// The shadow of global memory, a page at a time: for each word the last write with the writes that nothing
/// orders with it (atomics, stores of the same value), the last reads, and one more reader of another block.
/// Bytes get cells of their own once a thread accesses less than a word. Reads of rows of words by neighbouring lanes are remembered by
/// row, until something else happens there.
class GlobalShadow {
public:
  static constexpr uint64_t PageBytes = 4096;

  void read(const GlobalTouch &touch, GlobalAccessRules &rules, bool checkWritten);
  /// The same of weak reads of words by lanes in groups of neighbours (`touch` has no lanes), where no rule has to be asked. Lanes for which
  /// one has to be are returned: they are to be read in the other way.
  uint32_t readGroups(const GlobalTouch &touch, const vm::PlainAccess &access, GlobalAccessRules &rules);
  /// `reads`: an atomic, whose result depends on what was there.
  void write(const GlobalTouch &touch, GlobalAccessRules &rules, bool reads);
  /// The same of weak stores of lanes in groups to rows of words, each of its own, where no rule has to be asked. False: nothing was done.
  bool writeGroups(const GlobalTouch &touch, const vm::PlainAccess &access, GlobalAccessRules &rules);
  /// Whether nobody wrote these words in a launch that may not be over.
  bool isQuiet(const uint64_t *addresses, uint32_t mask, uint32_t bytes, uint32_t orderedBelow) const;

  /// Host code wrote there; or the memory was freed, and all that is known of it goes.
  void hostWrote(uint64_t address, uint64_t bytes);
  void forget(uint64_t address, uint64_t bytes);
  /// Calls f(past, isWrite) for what is remembered of a range.
  template <class F> void each(uint64_t address, uint64_t bytes, F f) const;

private:
  struct Readers {
    GlobalPast past; ///< thread: lane 0 of the warp
    uint32_t lanes = 0;
    bool operator==(const Readers &) const = default;
  };
  /// Of words of a row that one warp has read: the lanes of each are those of the first, shifted by one for each word, or for every second or
  /// fourth one.
  struct RowReaders {
    Readers first;
    uint8_t step = 0; ///< logarithm of the words of a lane
    Readers of(unsigned word) const { return {first.past, first.lanes << (word >> step)}; }
  };
  static constexpr unsigned RowBytes = 64, RowWords = RowBytes / 4;
  /// A line of the host's cache: what is accessed of a row that is only read.
  struct alignas(64) Row {
    [[no_unique_address]] RowReaders read, other;
    bool isAlike = true;       ///< `read` and `other` are those of its cells, whose own do not count
    uint32_t newestWriter = 0; ///< no cell was written by a greater actor
    uint32_t separatedIn = 0;  ///< the first actor of the launch that read its words in different ways
  };
  static_assert(sizeof(Row) == 64);
  /// A write of the block that the last one does not represent (see Replaced), and its thread.
  struct Earlier {
    Replaced write;
    uint16_t thread = 0;
    bool operator==(const Earlier &) const = default;
  };
  struct Cell {
    GlobalPast write;
    uint32_t more = 0; ///< 1 + index in extras
    Readers read, other;
    Earlier earlier;
    uint32_t nonCoherent = 0, ncInstrId = 0; ///< the actor and instrId of a read through the read-only path
    uint16_t ncThread = 0;
  };
  /// Lanes of a warp that wrote the same value with one instruction.
  struct Beside {
    GlobalPast past; ///< thread: lane 0 of the warp
    uint32_t lanes = 0;
    CellValue value;
    Earlier earlier;
  };
  struct Extra {
    std::vector<Readers> reads; ///< further warps of the block of `read`
    std::vector<Beside> writes; ///< those that nothing orders with the last
  };
  struct Page {
    std::vector<Cell> words, bytes; ///< empty until one is needed
    Row rows[PageBytes / RowBytes];
    uint64_t split[16] = {}; ///< words whose bytes have cells
    uint64_t written[64] = {};
    bool isSplit(unsigned word) const { return split[word / 64] >> word % 64 & 1; }
    bool isAnySplit(unsigned row) const { return split[row / 4] >> row % 4 * RowWords & 0xffff; }
    /// Whether a byte of each word is written.
    bool areWordsWritten(unsigned row) const {
      constexpr uint64_t firstBytes = 0x1111'1111'1111'1111;
      const uint64_t pairs = written[row] | written[row] >> 1;
      return ((pairs | pairs >> 2) & firstBytes) == firstBytes;
    }
    Readers readOf(unsigned word) const {
      const Row &row = rows[word / RowWords];
      return row.isAlike ? row.read.of(word % RowWords) : words[word].read;
    }
    Readers otherOf(unsigned word) const {
      const Row &row = rows[word / RowWords];
      return row.isAlike ? row.other.of(word % RowWords) : words[word].other;
    }
  };

  Page &pageOf(uint64_t address, GlobalAccessRules &rules);
  static Cell &cellOf(Page &page, unsigned word);
  void split(Page &page, unsigned word);
  Extra &extraOf(Cell &cell);
  static bool isWritten(const Page &page, unsigned at, unsigned bytes);
  static void markWritten(Page &page, unsigned at, unsigned bytes);

  bool ordered(const GlobalTouch &touch, unsigned lane, const GlobalPast &past, GlobalAccessRules &rules);
  bool ordered(const GlobalTouch &touch, unsigned lane, const Readers &readers, GlobalAccessRules &rules,
               GlobalPast &who);
  /// Returns whether the last write is reported as a finding, and drops those of its companions that are.
  bool checkWriters(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address, CellValue fresh,
                    CellValue before, GlobalAccessRules &rules);
  static void addBeside(std::vector<Beside> &writers, GlobalPast past, CellValue value, Earlier earlier);
  void checkReaders(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                    GlobalAccessRules &rules);
  static bool readQuietly(Page &page, unsigned at, uint32_t lanes, const GlobalTouch &touch);
  /// Lanes that access a row of words: those of the first word, and see RowReaders.
  struct RowAccess {
    unsigned row = 0;
    uint32_t lanes = 0;
    uint8_t step = 0;
  };
  static bool readAlike(Page &page, const RowAccess &access, const GlobalTouch &touch);
  static uint32_t readRow(Page &page, const RowAccess &access, const GlobalTouch &touch);
  static void joinRow(Page &page, const RowAccess &access);
  static bool canWriteRow(const Page &page, const RowAccess &access, const GlobalTouch &touch);
  static void writeRow(Page &page, const RowAccess &access, const GlobalTouch &touch);
  template <class F> bool eachRow(const vm::PlainAccess &access, GlobalAccessRules &rules, F f);
  void noteRead(Cell &cell, const GlobalTouch &touch, unsigned lane, GlobalAccessRules &rules);
  void readCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                GlobalAccessRules &rules);
  void writeCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address, unsigned bytes,
                 GlobalAccessRules &rules);
  template <class F> void eachCell(Page &page, unsigned at, unsigned bytes, F f);
  template <class F> void eachLaneOf(const GlobalTouch &touch, GlobalAccessRules &rules, F f);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  struct RecentPage {
    uint64_t number = ~uint64_t(0);
    Page *page = nullptr;
  };
  std::array<RecentPage, 256> recent; ///< by the last bits of their numbers
  std::vector<Extra> extras;
};

template <class F> void GlobalShadow::each(uint64_t address, uint64_t bytes, F f) const {
  auto visit = [&](const GlobalPast &write, const Readers &read, const Readers &other) {
    if (write.actor)
      f(write, true);
    for (const Readers *readers : {&read, &other})
      if (readers->past.actor && readers->lanes) {
        GlobalPast past = readers->past;
        past.thread = uint16_t(past.thread + __builtin_ctz(readers->lanes));
        f(past, false);
      }
  };
  for (uint64_t page = address / PageBytes; bytes && page <= (address + bytes - 1) / PageBytes; ++page) {
    auto found = pages.find(page);
    if (found == pages.end())
      continue;
    const Page &what = *found->second;
    for (unsigned word = 0; word < PageBytes / 4; ++word) {
      const uint64_t at = page * PageBytes + word * 4;
      if (at + 4 <= address || at >= address + bytes)
        continue;
      if (!what.isSplit(word))
        visit(what.words.empty() ? GlobalPast() : what.words[word].write, what.readOf(word),
              what.otherOf(word));
      else
        for (unsigned b = 0; b < 4; ++b) {
          const Cell &cell = what.bytes[word * 4 + b];
          visit(cell.write, cell.read, cell.other);
        }
    }
  }
}

} // namespace heddle::check
