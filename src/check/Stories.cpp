// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in words.
#include "check/Parts.h"
#include "check/Updates.h"
#include "ptx/Module.h"
#include "vm/Code.h"

#include <algorithm>
#include <cstring>

namespace heddle::check {
namespace {

const char *verbOf(const Side &side) {
  return side.copy     ? (side.write ? "written by a copy" : "read by a copy")
         : side.atomic ? "updated atomically"
         : side.write  ? "written"
                       : "read";
}

std::string whoOf(const Side &side) {
  if (!side.launch)
    return "an earlier kernel";
  const unsigned threads = unsigned(side.launch->block.count());
  return side.thread / 32 >= (threads + 31) / 32 ? std::string("the copy engine")
                                                 : threadName(side.launch->block, side.thread);
}

std::string whereOf(const Side &side) {
  return side.launch ? blockName(side.launch->grid, side.block) : std::string("an earlier launch");
}

/// The same two accesses are the same story, whichever came first in this schedule.
bool comesFirst(const Side &a, const Side &b, const Places &places) {
  if (a.write != b.write)
    return a.write;
  const Place x = places.of(a.place), y = places.of(b.place);
  return std::tuple(x.file, x.line, x.column, a.block, a.thread) <
         std::tuple(y.file, y.line, y.column, b.block, b.thread);
}

} // namespace

/// Two lines in either order.
std::string Checker::Parts::keyOf(Rule rule, uint32_t a, uint32_t b) const {
  const std::string x = a ? lineOf(places.of(a)) : std::string(),
                    y = b ? lineOf(places.of(b)) : std::string();
  return fmt::format("{}|{}|{}", idOf(rule), std::min(x, y), std::max(x, y));
}

/// Whether these locations have not been reported yet under this rule; if they have, it is counted. Of many
/// findings only some are reported: the rest would say the same, and cost time and memory.
bool Checker::Parts::isNew(Rule rule, uint32_t a, uint32_t b) {
  constexpr size_t Enough = 20000;
  std::lock_guard lock(toldGuard);
  const std::tuple which(rule, std::min(a, b), std::max(a, b));
  if (auto at = told.find(which); at != told.end()) {
    findings.again(at->second);
    return false;
  }
  if (told.size() >= Enough)
    return false;
  told[which] = keyOf(rule, a, b);
  return true;
}

bool Checker::Parts::wasTold(Rule rule, uint32_t a, uint32_t b) {
  std::lock_guard lock(toldGuard);
  auto at = told.find({rule, std::min(a, b), std::max(a, b)});
  if (at == told.end())
    return false;
  findings.again(at->second);
  return true;
}

/// Updates of one place by several threads lose some: no barrier helps, an atomic does.
std::string Checker::Parts::raceHint(const Side &a, const Side &b, std::string hint) const {
  for (const Side *side : {&a, &b}) {
    if (!side->write || side->atomic || side->copy)
      continue;
    const Side &other = side == &a ? b : a;
    const Places::InFunction where = places.inFunction(side->place), who = places.inFunction(other.place);
    const std::optional<Update> update =
        where.function ? updateOf(*where.function, where.instr) : std::nullopt;
    // A loop that is unrolled has several copies of one statement; which of them meet is chance.
    if (update && who.function == where.function &&
        isHalfOfUpdate(*who.function, who.instr, update->atomic) &&
        (who.instr == where.instr || who.instr == update->load ||
         lineOf(places.of(side->place)) == lineOf(places.of(other.place))))
      return fmt::format("several threads load, change and store here, and updates get lost: use {}()",
                         update->atomic);
  }
  return hint;
}

void Checker::Parts::deferPlainRead(Rule rule, const Side &reader, const Side &updater, uint64_t address,
                                    const std::string &what, std::string hint) {
  constexpr size_t EnoughReaders = 4096;
  std::lock_guard lock(plainGuard);
  if (guardedReads.count(reader.place))
    return;
  auto [at, fresh] = plainReads.try_emplace(reader.place);
  if (fresh)
    at->second = {rule, reader, updater, what, std::move(hint), {}};
  if (at->second.readers.size() < EnoughReaders)
    at->second.readers.insert({reader.launch->number, reader.block, reader.thread, address});
  hasPlainReads = true;
}

void Checker::Parts::swapped(const Scene &scene, const vm::AccessEvent &event) {
  const ptx::Instr *instruction = places.instruction(scene.place);
  if (!instruction || (instruction->op != ptx::Op::AtomCas && instruction->mods.atom != ptx::AtomOp::Cas))
    return;
  std::lock_guard lock(plainGuard);
  for (auto at = plainReads.begin(); at != plainReads.end();) {
    bool guarded = false;
    for (unsigned lane = 0; lane < 32; ++lane)
      guarded |= event.mask >> lane & 1 &&
                 at->second.readers.count({scene.launch.number, scene.block.index,
                                           scene.warp.index * 32 + lane, event.addresses[lane]});
    if (guarded)
      guardedReads.insert(at->first);
    at = guarded ? plainReads.erase(at) : std::next(at);
  }
  hasPlainReads = !plainReads.empty();
}

void Checker::Parts::tellPlainReads() {
  std::map<uint32_t, PlainRead> left;
  {
    std::lock_guard lock(plainGuard);
    left.swap(plainReads);
    hasPlainReads = false;
  }
  for (auto &[place, read] : left)
    tellRace(read.rule, read.reader, read.updater, read.what, read.hint);
}

void Checker::Parts::noteUnwritten(UnwrittenReads &reads, uint64_t address, uint32_t place,
                                   std::string text) {
  constexpr size_t Most = 1 << 16;
  if (reads.size() < Most)
    reads.try_emplace(address, UnwrittenRead{place, std::move(text)});
}

void Checker::Parts::forgetUnwritten(UnwrittenReads &reads, uint64_t address) {
  // Reads are remembered by their first byte, and none has more than 16.
  for (auto at = reads.lower_bound(address < 15 ? 0 : address - 15);
       at != reads.end() && at->first < address + 16;)
    at = reads.erase(at);
}

void Checker::Parts::tellUnwritten(const LaunchState &launch, UnwrittenReads &reads, Rule rule) {
  if (rule == Rule::UninitializedShared && launch.inClusters)
    reads.clear();
  for (auto &[address, read] : reads)
    // Code without a line is the compiler's own, such as copies of structs with the holes between their
    // members.
    if (places.of(read.place).line && isNew(rule, read.place, 0))
      tell(rule, launch, read.place, std::move(read.text), 0, {},
           rule == Rule::UninitializedShared
               ? "shared memory holds nothing in particular when a block starts"
               : "cudaMalloc leaves memory as it is: copy or cudaMemset something there first");
  reads.clear();
}

void Checker::Parts::tell(Rule rule, const LaunchState &launch, uint32_t place, std::string text,
                          uint32_t otherPlace, std::string otherText, std::string hint) {
  Finding finding;
  finding.rule = rule;
  finding.kernel = launch.name;
  finding.place = places.of(place);
  finding.text = std::move(text);
  finding.hint = std::move(hint);
  if (!otherText.empty())
    finding.notes.push_back({places.of(otherPlace), std::move(otherText)});
  findings.add(std::move(finding), keyOf(rule, place, otherPlace));
}

void Checker::Parts::tellRace(Rule rule, const Side &x, const Side &y, const std::string &what,
                              std::string hint, std::string detail) {
  if (!isNew(rule, x.place, y.place))
    return;
  const bool xFirst = comesFirst(x, y, places);
  const Side &a = xFirst ? x : y, &b = xFirst ? y : x;
  const bool sameBlock = a.launch == b.launch && a.block == b.block, sameLaunch = a.launch == b.launch;
  std::string text = sameBlock ? fmt::format("{} is {} here by {} and {} by {} of {}", what, verbOf(a),
                                             whoOf(a), verbOf(b), whoOf(b), whereOf(a))
                               : fmt::format("{} is {} here by {} of {} and {} by {} of {}", what, verbOf(a),
                                             whoOf(a), whereOf(a), verbOf(b), whoOf(b), whereOf(b));
  if (!sameLaunch)
    text += fmt::format(", launch {} of {} and launch {} of {}", a.launch ? a.launch->number : 0,
                        a.launch ? a.launch->name : "?", b.launch ? b.launch->number : 0,
                        b.launch ? b.launch->name : "?");
  text += detail.empty() ? "; nothing orders the two" : ": " + detail;
  tell(rule, *x.launch, a.place, std::move(text), b.place, fmt::format("{} here by {}", verbOf(b), whoOf(b)),
       detail.empty() ? raceHint(a, b, std::move(hint)) : std::move(hint));
}

std::string Checker::Parts::globalName(const LaunchState &launch, uint64_t address,
                                       uint32_t elementBytes) const {
  std::optional<vm::Allocation> piece = options.memory ? options.memory->find(address) : std::nullopt;
  if (!piece)
    return fmt::format("global memory at {:#x}", address);
  const uint64_t inside = address - piece->address;
  const std::string element = elementBytes && inside % elementBytes == 0
                                  ? fmt::format("[{}]", inside / elementBytes)
                                  : fmt::format(" at byte {}", inside);
  if (!piece->name.empty())
    return readableVariable(piece->name) + (piece->bytes <= elementBytes ? "" : element);
  std::string text;
  if (elementBytes && inside % elementBytes == 0)
    text = fmt::format("element {} of allocation {} ({} bytes, {})", inside / elementBytes, piece->id,
                       piece->bytes, madeBy(*piece));
  else
    text = fmt::format("byte {} of allocation {} ({} bytes, {})", inside, piece->id, piece->bytes,
                       madeBy(*piece));
  for (size_t p = 0; p < launch.info->parameters.size(); ++p) {
    const auto &parameter = launch.info->parameters[p];
    for (size_t at = parameter.offset;
         at + 8 <= parameter.offset + parameter.bytes && at + 8 <= launch.parameters.size(); at += 8) {
      uint64_t word;
      std::memcpy(&word, launch.parameters.data() + at, 8);
      if (word >= piece->address && word < piece->end())
        return text + fmt::format(", parameter {} of {}", p, launch.name);
    }
  }
  return text;
}

/// "cudaMalloc #2": allocations of the same kind count.
std::string Checker::Parts::madeBy(const vm::Allocation &piece) const {
  std::string maker;
  switch (piece.kind) {
  case vm::AllocationKind::Device: maker = options.allocator; break;
  case vm::AllocationKind::Managed: maker = "cudaMallocManaged"; break;
  case vm::AllocationKind::Pinned: maker = "cudaMallocHost"; break;
  case vm::AllocationKind::Registered: maker = "cudaHostRegister"; break;
  case vm::AllocationKind::DeviceHeap: maker = "malloc in a kernel"; break;
  default: maker = vm::nameOf(piece.kind); break;
  }
  std::lock_guard lock(toldGuard);
  if (auto known = makers.find(piece.id); known != makers.end())
    return maker + known->second;
  return maker;
}

void Checker::Parts::noteAllocation(const vm::Allocation &piece) {
  std::lock_guard lock(toldGuard);
  makers[piece.id] = fmt::format(" #{}", ++made[piece.kind]);
}

} // namespace heddle::check
