// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in words. The same two accesses are the same finding, whichever came first in this schedule: sides
// are sorted, and the key of a finding is its rule with its two lines in either order.
#include "check/Reporter.h"

#include "check/Updates.h"
#include "ptx/Module.h"
#include "vm/Code.h"

#include <algorithm>
#include <utility>

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

/// "thread 3 of block 0", with its launch if the two sides are of different ones.
std::string sideText(const Side &side, bool namesLaunch) {
  if (!side.launch)
    return whoOf(side);
  return fmt::format("{} of {}", whoOf(side), blockName(side.launch->grid, side.block)) +
         (namesLaunch ? fmt::format(" in launch {} of '{}'", side.launch->ofKernel, side.launch->name) : "");
}

bool comesFirst(const Side &a, const Side &b, const InstructionTable &instructions) {
  if (a.write != b.write)
    return a.write;
  const SourceLocation x = instructions.of(a.instrId), y = instructions.of(b.instrId);
  return std::tuple(x.file, x.line, x.column, a.block, a.thread) <
         std::tuple(y.file, y.line, y.column, b.block, b.thread);
}

std::string raceText(const Side &a, const Side &b, const std::string &what, const std::string &detail) {
  const bool sameLaunch = a.launch == b.launch, sameBlock = sameLaunch && a.block == b.block;
  const std::string first = sameBlock ? whoOf(a) : sideText(a, !sameLaunch);
  return fmt::format("{} is {} here by {} and {} by {}{}", what, verbOf(a), first, verbOf(b),
                     sideText(b, !sameLaunch), detail.empty() ? "; nothing orders the two" : ": " + detail);
}

/// Whether a thread may execute it more than once: in a loop, or in a function that is called.
bool mayRepeat(const ptx::Function &function, uint32_t instr) {
  if (!function.isEntry)
    return true;
  const uint32_t start = function.blockOf[instr];
  std::vector<char> seen(function.blocks.size());
  std::vector<uint32_t> next = function.blocks[start].succs;
  while (!next.empty()) {
    const uint32_t block = next.back();
    next.pop_back();
    if (block == start)
      return true;
    if (std::exchange(seen[block], 1))
      continue;
    next.insert(next.end(), function.blocks[block].succs.begin(), function.blocks[block].succs.end());
  }
  return false;
}

/// Whether the function has an atomic that takes locks.
bool mayLock(const ptx::Function &function) {
  return std::ranges::any_of(function.instrs, [](const ptx::Instr &instr) {
    return instr.op == ptx::Op::AtomCas || instr.mods.atom == ptx::AtomOp::Cas ||
           instr.mods.atom == ptx::AtomOp::Exch;
  });
}

} // namespace

std::string Reporter::keyOf(Rule rule, uint32_t a, uint32_t b) const {
  const std::string x = a ? lineOf(instructions.of(a)) : std::string(),
                    y = b ? lineOf(instructions.of(b)) : std::string();
  return fmt::format("{}|{}|{}", idOf(rule), std::min(x, y), std::max(x, y));
}

/// Of many findings only some are reported: the rest would say the same, and cost time and memory.
bool Reporter::isNew(Rule rule, uint32_t a, uint32_t b) {
  constexpr size_t Enough = 20000;
  std::lock_guard lock(guard);
  const std::tuple which(rule, std::min(a, b), std::max(a, b));
  if (auto at = reported.find(which); at != reported.end()) {
    findings.again(at->second);
    return false;
  }
  if (reported.size() >= Enough)
    return false;
  reported[which] = keyOf(rule, a, b);
  return true;
}

bool Reporter::wasReported(Rule rule, uint32_t a, uint32_t b) {
  std::lock_guard lock(guard);
  auto at = reported.find({rule, std::min(a, b), std::max(a, b)});
  if (at == reported.end())
    return false;
  findings.again(at->second);
  return true;
}

/// Updates of one address by several threads lose some: no barrier helps, an atomic does. Nor is there anything
/// between two threads that execute the same store once.
std::string Reporter::raceHint(const Side &a, const Side &b, std::string hint) const {
  for (const Side *side : {&a, &b}) {
    if (!side->write || side->atomic || side->copy)
      continue;
    const Side &other = side == &a ? b : a;
    const InstructionTable::InFunction where = instructions.inFunction(side->instrId),
                                       who = instructions.inFunction(other.instrId);
    const std::optional<Update> update =
        where.function ? updateOf(*where.function, where.instr) : std::nullopt;
    // A loop that is unrolled has several copies of one statement; which of them meet is chance.
    if (update && who.function == where.function &&
        isHalfOfUpdate(*who.function, who.instr, update->atomic) &&
        (who.instr == where.instr || who.instr == update->load ||
         lineOf(instructions.of(side->instrId)) == lineOf(instructions.of(other.instrId))))
      return fmt::format(
          "several threads load, change and store here, and updates get lost: use {}(){}", update->atomic,
          mayLock(*where.function) ? ", or, if a lock is held here, a __threadfence() after it "
                                     "is taken and one before it is released"
                                   : "");
  }
  if (a.instrId != b.instrId || !a.write || !b.write || a.atomic || b.atomic || a.copy || b.copy ||
      a.launch != b.launch)
    return hint;
  const bool sameBlock = a.block == b.block;
  hint =
      fmt::format("one statement writes the same element from several {0}s: give each {0} its own element, "
                  "or use an atomic",
                  sameBlock ? "thread" : "block");
  const InstructionTable::InFunction where = instructions.inFunction(a.instrId);
  if (sameBlock && (!where.function || mayRepeat(*where.function, where.instr)))
    hint += fmt::format(
        "; if they do so in different iterations of a loop, a {} between the iterations orders them",
        a.thread / 32 == b.thread / 32 ? "__syncwarp()" : "__syncthreads()");
  return hint;
}

void Reporter::report(Rule rule, const LaunchFacts &launch, uint32_t instrId, std::string text,
                      uint32_t otherInstrId, std::string otherText, std::string hint) {
  Finding finding;
  finding.rule = rule;
  finding.kernel = launch.name;
  finding.location = instructions.of(instrId);
  finding.text = std::move(text);
  finding.hint = std::move(hint);
  if (!otherText.empty())
    finding.notes.push_back({instructions.of(otherInstrId), std::move(otherText)});
  findings.add(std::move(finding), keyOf(rule, instrId, otherInstrId));
}

void Reporter::reportRace(Rule rule, const Side &x, const Side &y, const std::string &what, std::string hint,
                          std::string detail) {
  if (!isNew(rule, x.instrId, y.instrId))
    return;
  const bool xFirst = comesFirst(x, y, instructions);
  const Side &a = xFirst ? x : y, &b = xFirst ? y : x;
  report(rule, *x.launch, a.instrId, raceText(a, b, what, detail), b.instrId,
         fmt::format("{} here by {}", verbOf(b), whoOf(b)),
         detail.empty() ? raceHint(a, b, std::move(hint)) : std::move(hint));
}

void Reporter::withdraw(Rule rule, uint32_t instrId) {
  std::lock_guard lock(guard);
  const auto at = reported.find({rule, 0u, instrId});
  if (at == reported.end())
    return;
  const std::string key = at->second;
  reported.erase(at);
  // Another instruction of this line may have been reported too.
  if (std::ranges::none_of(reported, [&](const auto &other) { return other.second == key; }))
    findings.withdraw(key);
}

void Reporter::add(Finding finding) {
  const std::string key = fmt::format("{}||{}", idOf(finding.rule), lineOf(finding.location));
  findings.add(std::move(finding), key);
}

} // namespace heddle::check
