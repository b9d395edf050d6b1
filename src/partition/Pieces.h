// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of one warp as what they become: single instructions on variables, so that warps can share the
// half of two operations that is alike. A variable is a web here: one place that writes a value and all
// places that read what it wrote. What two warps may do with the same instruction is its shape; constants
// and numbers of rows and components are left out of that.
#pragma once

#include "partition/WarpPrograms.h"

#include <compare>
#include <string>

namespace heddle::partition {

enum class PieceKind {
  Compute,    ///< an instruction of the program
  Zero,       ///< a partial begins
  Accumulate, ///< += constant * read, or += constant
  Get,        ///< from a row
  Put,        ///< to a row
  AddRow,     ///< += a row
  Store,      ///< a result
  Arrive,
  Wait,
};

/// What must be equal for two warps to share an instruction.
struct Shape {
  PieceKind kind = PieceKind::Compute;
  flow::Op op = flow::Op::Add;
  std::vector<bool> isConstant; ///< of the operands; Accumulate: of the term
  unsigned field = 0;           ///< Load
  unsigned thresholds = 0;      ///< Piecewise
  unsigned barrier = 0, threads = 0;

  auto operator<=>(const Shape &) const = default;
};

struct Piece {
  Shape shape;
  std::vector<unsigned> writes;  ///< a web, or none; a partial that grows is read and written
  std::vector<unsigned> reads;   ///< webs, in the order of the operands
  std::vector<double> constants; ///< operands in their order; thresholds; a coefficient
  std::vector<double> choices;   ///< Piecewise: values, of which data choose one
  std::vector<unsigned> indices; ///< a row, a component, a result
  unsigned operation = none;     ///< that it belongs to

  static constexpr unsigned none = ~0u;
};

/// Where a web lives in its warp: piece i reads at 2i and writes at 2i + 1.
struct Web {
  unsigned begin = 0, end = 0;
  std::string name;     ///< that the program gives what it holds
  unsigned value = ~0u; ///< of the program; none for partials
};

struct PieceList {
  std::vector<Piece> pieces;
  std::vector<Web> webs;
};

/// What the plan as a whole states about rows and values.
struct RowFacts {
  std::vector<bool> holdsOneValue; ///< rows that nothing is put into but one value: they hold it to the end
  std::vector<bool> isHot;         ///< values that all warps want again and again: worth a register in each
};
RowFacts rowFactsOf(const flow::Program &program, const Partitioned &partitioned);

/// What no operation of the warp needs is left out, and a row is read just before its value is needed; a value that
/// is needed again much later is read again, while its row is sure to hold it, rather than kept. So is one
/// that the warp has made itself and put into a row: code that finds its operands in rows is the same in all
/// warps.
PieceList piecesOf(const flow::Program &program, const Partitioned &partitioned, unsigned warp,
                   const RowFacts &facts);

/// How many machine instructions a piece becomes, about.
unsigned instructionsOf(const Shape &shape);

} // namespace heddle::partition
