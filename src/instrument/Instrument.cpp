// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a real GPU does at branches is not visible from outside a kernel, and since lanes of a warp are scheduled
// independently, it does not follow from the control flow either. The kernel therefore counts by itself. Counters are
// inserted into the text of the PTX, so that everything else (debug sections, instructions that only ptxas knows)
// stays as the compiler wrote it:
//
//     $L__BB0_2:                                            $L__BB0_2:
//         add.s32 %r4, %r4, 1;                                  <block 2 was entered>
//         ...                                        =>         add.s32 %r4, %r4, 1;
//         @%p1 bra $L__BB0_2;                                   ...
//                                                               <branch 0 is executed, with %p1>
//                                                               @%p1 bra $L__BB0_2;
//
//  1. Rows. A thread block has a piece of memory of its own, with a row for each basic block (a number for each thread)
//     and rows for warps (a number for each warp). Neighbouring threads have neighbouring numbers, so an increment by a
//     warp is one access to 128 bytes. A function that kernels call has the same rows in all of them: those at the
//     beginning. A kernel's own rows follow, so kernels of a module share the numbers of their rows.
//  2. Prologue. Each function computes where its thread's and its warp's numbers are, from a header that the host
//     writes before each launch. Where the header is empty, or the thread block is none of those that are sampled,
//     one predicate turns all counters off.
//  3. Entry of a basic block. Each thread increments its own number, without waiting for the result (red). The first
//     active lane increments the number of its warp: how often warps, or parts of them, went through the block.
//  4. Branches under a condition. The active lanes vote. The first of them counts the execution, and whether the votes
//     differ. Lanes of an indirect branch compare their targets instead.
//  5. Loads that decide which way a thread goes (divergence/Inputs.h). What a thread loads first is kept, by which its
//     vector may be predicted.
//
// Nothing that is inserted branches: basic blocks and the places where lanes reconverge remain those of the program.
// A guard on another instruction than a branch does not change what is counted: the lane goes through the block.
//
// Numbers have 32 bits: a thread that enters one block 2^32 times runs for minutes.
//
// Not handled: PTX for GPUs before sm_70, where a vote has no mask, and 32-bit addresses. Cost: about eight instructions
// at a block, ten at a branch, and eight registers; kernels with short blocks become several times slower.
#include "instrument/Instrument.h"

#include "divergence/KernelCode.h"
#include "instrument/Header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace heddle::instrument {
namespace {

using ptx::Op;

constexpr unsigned OldestSm = 70;
/// Columns above are not known (ptx::Instr::column).
constexpr unsigned LastColumn = 0xffff;

constexpr const char *Registers = R"(
	.reg .pred %hdl_on, %hdl_first, %hdl_q;
	.reg .b32 %hdl_threads, %hdl_warps, %hdl_below, %hdl_a, %hdl_b, %hdl_c, %hdl_d, %hdl_m;
	.reg .b64 %hdl_thread, %hdl_warp, %hdl_value, %hdl_x, %hdl_y;
)";

/// %hdl_thread, %hdl_warp: the number of this thread, of this warp, in the first row. %hdl_threads, %hdl_warps: bytes
/// from one row to the next. %hdl_below: the lanes below this one. The placeholder is the header's name.
constexpr const char *Prologue = R"(
	ld.global.u64 %hdl_x, [{0}];
	ld.global.u64 %hdl_y, [{0}+8];
	ld.global.u64 %hdl_warp, [{0}+16];
	ld.global.u64 %hdl_value, [{0}+24];
	ld.global.u32 %hdl_d, [{0}+32];
	setp.ne.u64 %hdl_on, %hdl_x, 0;
	max.u32 %hdl_d, %hdl_d, 1;
	mov.u32 %hdl_a, %ctaid.z;
	mov.u32 %hdl_b, %nctaid.y;
	mov.u32 %hdl_c, %ctaid.y;
	mad.lo.u32 %hdl_a, %hdl_a, %hdl_b, %hdl_c;
	mov.u32 %hdl_b, %nctaid.x;
	mov.u32 %hdl_c, %ctaid.x;
	mad.lo.u32 %hdl_a, %hdl_a, %hdl_b, %hdl_c;
	div.u32 %hdl_b, %hdl_a, %hdl_d;
	mul.lo.u32 %hdl_c, %hdl_b, %hdl_d;
	setp.eq.and.u32 %hdl_on, %hdl_c, %hdl_a, %hdl_on;
	cvt.u64.u32 %hdl_thread, %hdl_b;
	mad.lo.u64 %hdl_x, %hdl_thread, %hdl_y, %hdl_x;
	mov.u32 %hdl_a, %tid.z;
	mov.u32 %hdl_b, %ntid.y;
	mov.u32 %hdl_c, %tid.y;
	mad.lo.u32 %hdl_a, %hdl_a, %hdl_b, %hdl_c;
	mov.u32 %hdl_c, %ntid.x;
	mul.lo.u32 %hdl_d, %hdl_b, %hdl_c;
	mov.u32 %hdl_b, %tid.x;
	mad.lo.u32 %hdl_a, %hdl_a, %hdl_c, %hdl_b;
	mov.u32 %hdl_b, %ntid.z;
	mul.lo.u32 %hdl_d, %hdl_d, %hdl_b;
	add.u32 %hdl_d, %hdl_d, 31;
	shr.u32 %hdl_d, %hdl_d, 5;
	shl.b32 %hdl_threads, %hdl_d, 7;
	shl.b32 %hdl_warps, %hdl_d, 2;
	mad.wide.u32 %hdl_thread, %hdl_a, 4, %hdl_x;
	mov.u32 %hdl_b, %hdl_a;
	shr.u32 %hdl_a, %hdl_a, 5;
	add.u64 %hdl_value, %hdl_value, %hdl_x;
	mad.wide.u32 %hdl_value, %hdl_b, 8, %hdl_value;
	add.u64 %hdl_x, %hdl_x, %hdl_warp;
	mad.wide.u32 %hdl_warp, %hdl_a, 4, %hdl_x;
	mov.u32 %hdl_below, %lanemask_lt;
)";

/// Rows of threads and of warps.
constexpr const char *Entry = R"(
	mad.wide.u32 %hdl_x, %hdl_threads, {}, %hdl_thread;
	@%hdl_on red.global.add.u32 [%hdl_x], 1;
	activemask.b32 %hdl_m;
	and.b32 %hdl_a, %hdl_m, %hdl_below;
	setp.eq.and.u32 %hdl_first, %hdl_a, 0, %hdl_on;
	mad.wide.u32 %hdl_x, %hdl_warps, {}, %hdl_warp;
	@%hdl_first red.global.add.u32 [%hdl_x], 1;
)";

/// %hdl_first: this lane counts for the active ones, whose mask is %hdl_m.
constexpr const char *ActiveLanes = R"(
	activemask.b32 %hdl_m;
	and.b32 %hdl_a, %hdl_m, %hdl_below;
	setp.eq.and.u32 %hdl_first, %hdl_a, 0, %hdl_on;
)";

/// Of a branch by its condition: some lanes, but not all, for which it holds.
constexpr const char *Votes = R"(
	vote.sync.ballot.b32 %hdl_b, {}, %hdl_m;
	setp.ne.u32 %hdl_q, %hdl_b, 0;
	setp.ne.and.u32 %hdl_q, %hdl_b, %hdl_m, %hdl_q;
)";

/// Of an indirect branch: not all lanes have the same target, which %hdl_c identifies.
constexpr const char *Targets = R"(
	match.all.sync.b32 %hdl_b|%hdl_q, %hdl_c, %hdl_m;
	not.pred %hdl_q, %hdl_q;
)";

/// %hdl_q: lanes diverge here.
constexpr const char *CountBranch = R"(
	mad.wide.u32 %hdl_x, %hdl_warps, {}, %hdl_warp;
	@%hdl_first red.global.add.u32 [%hdl_x], 1;
	mad.wide.u32 %hdl_x, %hdl_warps, {}, %hdl_warp;
	and.pred %hdl_q, %hdl_q, %hdl_first;
	@%hdl_q red.global.add.u32 [%hdl_x], 1;
)";

/// After a load. Its row of threads and its condition; a row of values, its bits and the register: kept is what a thread
/// loads first.
constexpr const char *KeepValue = R"(
	mad.wide.u32 %hdl_x, %hdl_threads, {0}, %hdl_thread;
	mov.u32 %hdl_a, 1;
	@%hdl_on ld.global.u32 %hdl_a, [%hdl_x];
	setp.ne.u32 %hdl_q, %hdl_a, %hdl_a;
	{1}setp.eq.u32 %hdl_q, %hdl_a, 0;
	@%hdl_q st.global.u32 [%hdl_x], 1;
	shl.b32 %hdl_a, %hdl_threads, 1;
	mad.wide.u32 %hdl_x, %hdl_a, {2}, %hdl_value;
	@%hdl_q st.global.b{3} [%hdl_x], {4};
)";

bool isCounted(const ptx::Function &function, const ptx::Instr &instr) {
  return instr.op == Op::BrxIdx || (instr.guard && (instr.op == Op::Bra || instr.op == Op::Exit ||
                                                    (instr.op == Op::Ret && function.isEntry)));
}

/// Positions in the text by what the parser knows of them.
class Text {
public:
  explicit Text(const std::string &given) : text(given) {
    lineStarts = {0, 0}; // lines count from 1
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        lineStarts.push_back(i + 1);
  }

  size_t startOf(const ptx::Instr &instr) const { return lineStarts[instr.line] + instr.column - 1; }

  /// Behind the semicolon.
  size_t endOf(const ptx::Instr &instr) const {
    return std::min(text.size(), skipTo(startOf(instr), ';') + 1);
  }

  /// The braces of a function's body.
  std::pair<size_t, size_t> bodyOf(const ptx::Function &function) const {
    size_t open = skipTo(lineStarts[function.line], '{');
    unsigned depth = 0;
    for (size_t at = open; at < text.size(); at = nextSign(at + 1)) {
      depth += text[at] == '{';
      depth -= text[at] == '}';
      if (depth == 0)
        return {open, at};
    }
    return {open, text.size()};
  }

  /// After the directives that a module begins with: where its first variable may be.
  size_t afterHead() const {
    size_t head = 0;
    for (const char *directive : {".version", ".target", ".address_size"})
      for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        if (text.compare(at, std::string_view(directive).size(), directive) == 0)
          head = std::max(head, std::min(text.size(), text.find('\n', at) + 1));
        if (text.find('\n', at) == std::string::npos)
          break;
      }
    return head;
  }

  /// The condition of a guarded instruction as it is written, without the '@'.
  std::string conditionAt(size_t at) const {
    size_t from = text.find_first_not_of(" \t\r\n", at + 1);
    const std::string negation = text[from] == '!' ? "!" : "";
    if (!negation.empty())
      from = text.find_first_not_of(" \t\r\n", from + 1);
    return negation + wordAt(from);
  }

  /// The first operand of an instruction that may have a guard; of a vector, an element.
  std::string firstOperandAt(size_t at, uint32_t element = 0) const {
    if (text[at] == '@')
      at = text.find_first_of(" \t", at + conditionAt(at).size());
    at = text.find_first_not_of(" \t\r\n", at);
    at = text.find_first_of(" \t\r\n", at); // behind the mnemonic
    at = text.find_first_not_of(" \t\r\n", at);
    for (; element > 0; --element)
      at = text.find(',', at) + 1;
    at = text.find_first_not_of("{ \t\r\n", at);
    return wordAt(at);
  }

private:
  std::string wordAt(size_t from) const {
    size_t end = from;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' ||
                                 text[end] == '$' || text[end] == '%'))
      ++end;
    return text.substr(from, end - from);
  }

  /// The next character that is in no comment and in no string.
  size_t nextSign(size_t at) const {
    while (at < text.size()) {
      if (text.compare(at, 2, "//") == 0)
        at = std::min(text.size(), text.find('\n', at));
      else if (text.compare(at, 2, "/*") == 0)
        at = std::min(text.size(), text.find("*/", at + 2) + 2);
      else if (text[at] == '"')
        at = std::min(text.size(), text.find('"', at + 1) + 1);
      else
        return at;
    }
    return at;
  }

  size_t skipTo(size_t at, char wanted) const {
    for (at = nextSign(at); at < text.size() && text[at] != wanted;)
      at = nextSign(at + 1);
    return at;
  }

  const std::string &text;
  std::vector<size_t> lineStarts;
};

class Inserter {
public:
  Inserter(const std::string &given, const ptx::Module &parsed)
      : text(given), module(parsed), places(given) {}

  CountedPtx run() {
    assignRows();
    insert(places.afterHead(),
           fmt::format(".visible .global .align 16 .b8 {}[{}];\n", HeaderName, sizeof(Header)));
    for (uint32_t f = 0; f < module.functions.size(); ++f)
      if (isInstrumented(module.functions[f]))
        countIn(module.functions[f], made.functions[f]);
    made.text = withInsertions();
    return std::move(made);
  }

private:
  static bool isInstrumented(const ptx::Function &function) {
    return function.isDefined && function.aliasOf == ptx::kNone && !function.blocks.empty();
  }

  /// Functions that kernels call first, since their rows are the same for all kernels.
  void assignRows() {
    KernelRows shared;
    made.functions.resize(module.functions.size());
    for (uint32_t f = 0; f < module.functions.size(); ++f) {
      const ptx::Function &function = module.functions[f];
      for (uint32_t i = 0; isInstrumented(function) && i < function.instrs.size(); ++i)
        if (isCounted(function, function.instrs[i]))
          made.functions[f].branches.push_back(i);
      if (!function.isEntry && isInstrumented(function))
        assignRows(f, shared);
    }
    for (uint32_t f = 0; f < module.functions.size(); ++f)
      if (module.functions[f].isEntry && isInstrumented(module.functions[f])) {
        KernelRows rows = shared;
        assignRows(f, rows);
        assignValues(f, rows);
        made.kernels[module.functions[f].name] = rows;
      }
  }

  void assignRows(uint32_t index, KernelRows &rows) {
    CountedFunction &function = made.functions[index];
    const auto blocks = uint32_t(module.functions[index].blocks.size());
    function.threadRow = rows.ofThreads;
    function.entryRow = rows.ofWarps;
    function.branchRow = rows.ofWarps + blocks;
    rows.ofThreads += blocks;
    rows.ofWarps = function.branchRow + 2 * uint32_t(function.branches.size());
    for (uint32_t row = function.branchRow + 1; row < rows.ofWarps; row += 2)
      rows.divergences.push_back(row);
  }

  void assignValues(uint32_t index, KernelRows &rows) {
    const ptx::Function &function = module.functions[index];
    const divergence::Inputs inputs = divergence::inputsOf(module, function);
    for (uint32_t input : divergence::decidingElements(inputs)) {
      const ptx::Instr &instr = function.instrs[inputs.inputs[input].instr];
      if (instr.text != ptx::kNone || bytesOf(instr.type()) > sizeof(uint64_t))
        continue;
      made.functions[index].loads.push_back({input, rows.ofThreads++});
      keepValue(function, inputs.inputs[input], made.functions[index].loads.back().threadRow,
                rows.ofValues++);
    }
  }

  void keepValue(const ptx::Function &function, const divergence::Input &input, uint32_t threadRow,
                 uint32_t valueRow) {
    const ptx::Instr &load = function.instrs[input.instr];
    const size_t at = places.startOf(load);
    const std::string guard = load.guard ? fmt::format("@{} ", places.conditionAt(at)) : "";
    insert(places.endOf(load),
           fmt::format(fmt::runtime(KeepValue), threadRow, guard, valueRow, 8 * bytesOf(load.type()),
                       places.firstOperandAt(at, input.element)));
  }

  void countIn(const ptx::Function &function, const CountedFunction &rows) {
    const auto [open, close] = places.bodyOf(function);
    const auto startOf = [&, end = close](uint32_t instr) {
      // A return that the text leaves to its reader has no column.
      const ptx::Instr &at = function.instrs[instr];
      return at.column ? places.startOf(at) : end;
    };
    insert(open + 1, Registers);
    insert(startOf(0), fmt::format(fmt::runtime(Prologue), HeaderName));
    for (uint32_t b = 0; b < function.blocks.size(); ++b)
      insert(startOf(function.blocks[b].first),
             fmt::format(fmt::runtime(Entry), rows.threadRow + b, rows.entryRow + b));
    for (uint32_t i = 0; i < rows.branches.size(); ++i) {
      const uint32_t row = rows.branchRow + 2 * i;
      insert(startOf(rows.branches[i]), ActiveLanes + divergenceAt(function, rows.branches[i]) +
                                            fmt::format(fmt::runtime(CountBranch), row, row + 1));
    }
  }

  /// Whether the active lanes diverge at a branch, into %hdl_q.
  std::string divergenceAt(const ptx::Function &function, uint32_t index) const {
    const ptx::Instr &instr = function.instrs[index];
    const size_t at = places.startOf(instr);
    if (instr.op != Op::BrxIdx)
      return fmt::format(fmt::runtime(Votes), places.conditionAt(at));
    std::string code = fmt::format("\tmov.u32 %hdl_c, {};\n", places.firstOperandAt(at));
    // Indices that lead to the same place are made the same.
    const std::vector<uint32_t> &targets = function.targetLists[function.operandsOf(instr)[1].index];
    for (size_t i = 0; i < targets.size(); ++i) {
      const size_t first = size_t(std::find(targets.begin(), targets.end(), targets[i]) - targets.begin());
      if (first != i)
        code += fmt::format("\tsetp.eq.u32 %hdl_q, %hdl_c, {};\n\t@%hdl_q mov.u32 %hdl_c, {};\n", i, first);
    }
    if (instr.guard)
      code += fmt::format("\tmov.u32 %hdl_d, %hdl_c;\n\tmov.u32 %hdl_c, -1;\n\t@{} mov.u32 %hdl_c, %hdl_d;\n",
                          places.conditionAt(at));
    return code + Targets;
  }

  void insert(size_t at, std::string code) { insertions.push_back({at, std::move(code)}); }

  std::string withInsertions() {
    std::stable_sort(insertions.begin(), insertions.end(),
                     [](const Insertion &a, const Insertion &b) { return a.at < b.at; });
    std::string all;
    size_t done = 0;
    for (const Insertion &each : insertions) {
      all.append(text, done, each.at - done);
      all += each.code;
      done = each.at;
    }
    return all.append(text, done);
  }

  struct Insertion {
    size_t at = 0;
    std::string code;
  };

  const std::string &text;
  const ptx::Module &module;
  const Text places;
  CountedPtx made;
  std::vector<Insertion> insertions;
};

/// Empty where counters can be inserted.
std::string reasonToRefuse(const ptx::Module &module) {
  if (module.smVersion < OldestSm)
    return fmt::format("it is for {}, and counting needs sm_{} or newer", module.target, OldestSm);
  if (module.addressBits != 64)
    return "its addresses have 32 bits";
  if (std::tie(module.versionMajor, module.versionMinor) < std::tuple(6u, 2u))
    return fmt::format("its PTX version {}.{} has no activemask; 6.2 has it", module.versionMajor,
                       module.versionMinor);
  for (const ptx::Function &function : module.functions)
    for (const ptx::Instr &instr : function.instrs)
      if (instr.column == LastColumn)
        return fmt::format("line {} is too long", instr.line);
  return "";
}

} // namespace

std::optional<CountedPtx> addCounters(const std::string &text, const ptx::Module &module,
                                      Diagnostics &diagnostics) {
  if (const std::string why = reasonToRefuse(module); !why.empty()) {
    diagnostics.error({}, fmt::format("'{}' cannot be instrumented: {}", module.path, why));
    return std::nullopt;
  }
  return Inserter(text, module).run();
}

} // namespace heddle::instrument
