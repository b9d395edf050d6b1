// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four passes over one warp's steps: terms of sums are moved together (GatherSums.h), and three more. First,
// steps become pieces as they come, each read tied to the piece that wrote. Second, backwards, pieces are removed whose results are not
// read. Third, reads of rows move down to where their values are needed: an operation that
// wants a hundred values must not hold all of them before it begins.
#include "partition/Pieces.h"

#include "flow/Cost.h"
#include "model/Thresholds.h"
#include "partition/GatherSums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace heddle::partition {

using flow::Instruction;
using flow::Op;

namespace {

using model::threshold::partition::mostReads, model::threshold::partition::nearbyUses,
    model::threshold::partition::usesOfHot;

bool isSync(const Piece &piece) {
  return piece.shape.kind == PieceKind::Arrive || piece.shape.kind == PieceKind::Wait;
}

/// Writes into its web and is nothing else.
bool isPure(const Piece &piece) {
  return piece.shape.kind == PieceKind::Compute || piece.shape.kind == PieceKind::Get ||
         piece.shape.kind == PieceKind::Zero || piece.shape.kind == PieceKind::Accumulate ||
         piece.shape.kind == PieceKind::AddRow;
}

class Flattening {
public:
  Flattening(const flow::Program &program, const Partitioned &partitioned, unsigned warp,
             const RowFacts &facts)
      : program(program), partitioned(partitioned), warp(warp), facts(facts),
        webOfValue(program.definedBy.size()), webOfSum(program.sums.size()) {}

  PieceList run() {
    for (const Step &step : gatherSums(partitioned, warp, facts))
      add(step);
    return std::move(list);
  }

private:
  const flow::Program &program;
  const Partitioned &partitioned;
  unsigned warp;
  const RowFacts &facts;
  PieceList list;
  std::vector<std::optional<unsigned>> webOfValue, webOfSum;

  unsigned newWeb(const std::string &name, unsigned value = ~0u) {
    list.webs.push_back({0, 0, name, value});
    return unsigned(list.webs.size() - 1);
  }
  unsigned newValue(unsigned value) { return newWeb(program.valueNames[value], value); }

  Piece &append(PieceKind kind) {
    list.pieces.emplace_back().shape.kind = kind;
    return list.pieces.back();
  }

  unsigned valueOf(unsigned value) const {
    if (!webOfValue[value])
      throw std::logic_error("warp " + std::to_string(warp) + " reads " + program.valueNames[value] +
                             ", which it does not have");
    return *webOfValue[value];
  }

  /// The partial of a sum, which begins with zero.
  unsigned partialOf(unsigned sum) {
    if (!webOfSum[sum]) {
      webOfSum[sum] = newWeb(program.sums[sum].name);
      append(PieceKind::Zero).writes = {*webOfSum[sum]};
    }
    return *webOfSum[sum];
  }

  void add(const Step &step) {
    switch (step.kind) {
    case StepKind::Do:
      for (const Instruction &instruction : program.operations[step.operation].code)
        compute(instruction, step.operation);
      return;
    case StepKind::Put: row(PieceKind::Put, valueOf(step.value), step.row); return;
    case StepKind::Get: {
      const unsigned web = newValue(step.value);
      webOfValue[step.value] = web;
      Piece &piece = append(PieceKind::Get);
      piece.writes = {web};
      piece.indices = {step.row};
      return;
    }
    case StepKind::Accumulate: accumulate(step); return;
    case StepKind::PutPartial:
      row(PieceKind::Put, partialOf(step.sum), step.row);
      webOfSum[step.sum].reset(); // another round may begin
      return;
    case StepKind::AddPartial: {
      const unsigned partial = partialOf(step.sum);
      row(PieceKind::AddRow, partial, step.row);
      list.pieces.back().writes = {partial};
      return;
    }
    case StepKind::Close: close(step.sum); return;
    case StepKind::Arrive:
    case StepKind::Wait: {
      const SyncPoint &point = partitioned.points[step.point];
      Piece &piece = append(step.kind == StepKind::Arrive ? PieceKind::Arrive : PieceKind::Wait);
      piece.shape.barrier = point.barrier;
      piece.shape.threads = point.threads();
      return;
    }
    }
  }

  void compute(const Instruction &instruction, unsigned operation) {
    if (instruction.op == Op::Total) {
      webOfValue[instruction.result] = partialOf(instruction.index);
      return;
    }
    Piece piece;
    piece.operation = operation;
    piece.shape.op = instruction.op;
    for (const flow::Operand &operand : instruction.operands) {
      piece.shape.isConstant.push_back(operand.isConstant());
      if (operand.value)
        piece.reads.push_back(valueOf(*operand.value));
      else
        piece.constants.push_back(operand.constant);
    }
    if (instruction.op == Op::Load) {
      piece.shape.field = instruction.field;
      if (program.fields[instruction.field].components > 1)
        piece.indices = {instruction.index};
    }
    piece.shape.thresholds = unsigned(instruction.steps.thresholds.size());
    piece.constants.insert(piece.constants.end(), instruction.steps.thresholds.begin(),
                           instruction.steps.thresholds.end());
    piece.choices = instruction.steps.values;
    piece.writes = {newValue(instruction.result)};
    webOfValue[instruction.result] = piece.writes[0];
    list.pieces.push_back(std::move(piece));
  }

  void accumulate(const Step &step) {
    const unsigned partial = partialOf(step.sum);
    Piece &piece = append(PieceKind::Accumulate);
    piece.shape.isConstant = {step.term.isConstant()};
    piece.reads = {partial};
    if (step.term.value)
      piece.reads.push_back(valueOf(*step.term.value));
    piece.writes = {partial};
    piece.constants = {step.term.value ? step.coefficient : step.coefficient * step.term.constant};
  }

  void row(PieceKind kind, unsigned web, unsigned number) {
    Piece &piece = append(kind);
    piece.reads = {web};
    piece.indices = {number};
  }

  void close(unsigned sum) {
    const unsigned partial = partialOf(sum);
    if (!program.sums[sum].isResult)
      return;
    Piece &piece = append(PieceKind::Store);
    piece.reads = {partial};
    piece.indices = {sum};
  }
};

void dropUnwanted(PieceList &list) {
  std::vector<bool> wanted(list.webs.size());
  std::vector<Piece> kept;
  for (size_t i = list.pieces.size(); i-- > 0;) {
    Piece &piece = list.pieces[i];
    if (isPure(piece) && !wanted[piece.writes[0]])
      continue;
    for (unsigned read : piece.reads)
      wanted[read] = true;
    kept.push_back(std::move(piece));
  }
  std::ranges::reverse(kept);
  list.pieces = std::move(kept);
}

/// Reads of rows moved to where they are needed, and added where a value would have to be kept long.
class RowReads {
public:
  RowReads(PieceList &list, const RowFacts &facts)
      : list(list), facts(facts), before(list.pieces.size()), isMoved(list.pieces.size()),
        uses(list.webs.size()) {}

  void run() {
    for (size_t i = 0; i < list.pieces.size(); ++i)
      for (unsigned read : list.pieces[i].reads)
        if (uses[read].empty() || uses[read].back() != i)
          uses[read].push_back(i);
    for (size_t i = 0; i < list.pieces.size(); ++i)
      if (list.pieces[i].shape.kind == PieceKind::Get)
        placeGet(i);
      else if (list.pieces[i].shape.kind == PieceKind::Put)
        useRowAfter(i);
    std::vector<Piece> result;
    for (size_t i = 0; i < list.pieces.size(); ++i) {
      inOrderOfOperands(before[i], list.pieces[i].reads);
      std::ranges::move(before[i], std::back_inserter(result));
      if (!isMoved[i])
        result.push_back(std::move(list.pieces[i]));
    }
    list.pieces = std::move(result);
  }

private:
  PieceList &list;
  const RowFacts &facts;
  std::vector<std::vector<Piece>> before; ///< reads that go before each piece
  std::vector<bool> isMoved;
  std::vector<std::vector<size_t>> uses; ///< of each web

  /// Operands that are in rows are read in the same order by all warps.
  static void inOrderOfOperands(std::vector<Piece> &gets, const std::vector<unsigned> &reads) {
    std::ranges::stable_sort(
        gets, {}, [&](const Piece &get) { return std::ranges::find(reads, get.writes[0]) - reads.begin(); });
  }

  bool isHot(unsigned web) const {
    const unsigned value = list.webs[web].value;
    return value == ~0u || facts.isHot[value];
  }

  /// The first piece from which on the row may hold something else.
  size_t validUntil(size_t from) const {
    const std::vector<unsigned> &row = list.pieces[from].indices;
    for (size_t i = from + 1; i < list.pieces.size(); ++i)
      if (isSync(list.pieces[i]) ||
          (list.pieces[i].shape.kind == PieceKind::Put && list.pieces[i].indices == row))
        return i;
    return list.pieces.size();
  }

  /// Uses near each other in one operation share a read of the row; an operation that wants the value again
  /// and again reads it once. But each operand of an instruction has its own: a product of two values and a
  /// square are the same to all warps then.
  void readWhereWanted(unsigned web, unsigned row, const std::vector<size_t> &all, size_t after) {
    std::vector<size_t> ofOperation;
    const auto finish = [&] {
      const std::vector<size_t> groups = groupsOf(ofOperation);
      const bool isKept = groups.size() > mostReads;
      for (size_t group = 0; group < groups.size() && !ofOperation.empty(); ++group)
        if (group == 0 || !isKept)
          readAgain(web, row, ofOperation, groups[group],
                    group + 1 < groups.size() && !isKept ? groups[group + 1] : ofOperation.size());
      ofOperation.clear();
    };
    for (size_t use : all) {
      if (use < after)
        continue;
      if (!ofOperation.empty() && list.pieces[use].operation != list.pieces[ofOperation.back()].operation)
        finish();
      ofOperation.push_back(use);
    }
    finish();
  }

  /// Uses from `from` to `to` of a web get a read of the row of their own, before the first of them.
  void readAgain(unsigned web, unsigned row, const std::vector<size_t> &all, size_t from, size_t to) {
    Piece get;
    get.shape.kind = PieceKind::Get;
    get.indices = {row};
    get.writes = {unsigned(list.webs.size())};
    list.webs.push_back(list.webs[web]);
    for (size_t i = from; i < to; ++i) {
      std::vector<unsigned> &reads = list.pieces[all[i]].reads;
      *std::ranges::find(reads, web) = get.writes[0];
      if (std::ranges::find(reads, web) != reads.end())
        readAgain(web, row, all, i, i + 1);
    }
    before[all[from]].push_back(std::move(get));
  }

  /// Where groups of uses begin that lie near each other.
  static std::vector<size_t> groupsOf(const std::vector<size_t> &all) {
    std::vector<size_t> groups = {0};
    for (size_t i = 1; i < all.size(); ++i)
      if (all[i] - all[i - 1] > nearbyUses)
        groups.push_back(i);
    return groups;
  }

  void placeGet(size_t get) {
    const unsigned web = list.pieces[get].writes[0], row = list.pieces[get].indices[0];
    const std::vector<size_t> all = uses[web];
    isMoved[get] = true;
    if (facts.holdsOneValue[row] && !isHot(web)) {
      readWhereWanted(web, row, all, get);
      return;
    }
    const size_t end = validUntil(get);
    std::vector<size_t> groups = groupsOf(all);
    if (all.back() > end || groups.size() > mostReads)
      groups = {0};
    before[std::min(all[0], end)].push_back(list.pieces[get]);
    for (size_t group = 1; group < groups.size(); ++group)
      readAgain(web, row, all, groups[group], group + 1 < groups.size() ? groups[group + 1] : all.size());
  }

  /// What the warp has put into a row to stay, it reads from there itself.
  void useRowAfter(size_t put) {
    const unsigned web = list.pieces[put].reads[0], row = list.pieces[put].indices[0];
    if (!facts.holdsOneValue[row] || isHot(web))
      return;
    readWhereWanted(web, row, uses[web], put + 1);
  }
};

void findLives(PieceList &list) {
  std::vector<bool> seen(list.webs.size());
  const auto at = [&](unsigned web, unsigned place) {
    if (!seen[web])
      list.webs[web].begin = place;
    seen[web] = true;
    list.webs[web].end = place;
  };
  for (unsigned i = 0; i < list.pieces.size(); ++i) {
    for (unsigned read : list.pieces[i].reads)
      at(read, 2 * i);
    for (unsigned written : list.pieces[i].writes)
      at(written, 2 * i + 1);
  }
}

} // namespace

RowFacts rowFactsOf(const flow::Program &program, const Partitioned &partitioned) {
  std::vector<unsigned> puts(partitioned.rows);
  std::vector<std::vector<unsigned>> uses(program.definedBy.size(),
                                          std::vector<unsigned>(partitioned.warps.size()));
  for (size_t warp = 0; warp < partitioned.warps.size(); ++warp)
    for (const Step &step : partitioned.warps[warp]) {
      if (step.kind == StepKind::Put || step.kind == StepKind::PutPartial)
        puts[step.row] += step.kind == StepKind::Put ? 1 : 2;
      else if (step.kind == StepKind::Do)
        for (unsigned value : program.inputs(step.operation))
          ++uses[value][warp];
    }
  RowFacts facts;
  for (unsigned count : puts)
    facts.holdsOneValue.push_back(count == 1);
  for (const std::vector<unsigned> &ofValue : uses)
    facts.isHot.push_back(std::ranges::all_of(ofValue, [](unsigned count) { return count >= usesOfHot; }));
  return facts;
}

PieceList piecesOf(const flow::Program &program, const Partitioned &partitioned, unsigned warp,
                   const RowFacts &facts) {
  PieceList list = Flattening(program, partitioned, warp, facts).run();
  dropUnwanted(list);
  RowReads(list, facts).run();
  findLives(list);
  return list;
}

unsigned instructionsOf(const Shape &shape) {
  if (shape.kind != PieceKind::Compute)
    return 1;
  Instruction instruction;
  instruction.op = shape.op;
  instruction.steps.thresholds.resize(shape.thresholds);
  return flow::instructionsOf(instruction);
}

} // namespace heddle::partition
