// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs overlaid code at one point, all warps at once: variables, rows and barriers as a block has them.
#pragma once

#include "flow/Evaluate.h"
#include "partition/Constants.h"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace heddle::partition::test {

class Interpreter {
public:
  Interpreter(const flow::Program &program, const Overlaid &overlaid,
              const std::vector<std::vector<double>> &fields)
      : program(program), overlaid(overlaid), constants(constantsOf(overlaid)), fields(fields),
        rows(overlaid.rows, std::nan("")), results(program.resultCount(), std::nan("")),
        variables(overlaid.warps, std::vector<double>(overlaid.variableNames.size(), std::nan(""))) {
    if (overlaid.hasZeroRow)
      rows.back() = 0;
    paths.resize(overlaid.warps);
    for (const Fork &fork : overlaid.forks)
      for (const Region &way : fork.ways)
        for (unsigned warp = 0; warp < overlaid.warps; ++warp)
          if (way.warps >> warp & 1)
            paths[warp].insert(paths[warp].end(), way.instances.begin(), way.instances.end());
  }

  std::vector<double> run() {
    std::vector<size_t> next(overlaid.warps);
    std::vector<bool> waits(overlaid.warps);
    for (bool moves = true; moves;) {
      moves = false;
      for (unsigned warp = 0; warp < overlaid.warps; ++warp)
        while (!waits[warp] && next[warp] < paths[warp].size()) {
          step(warp, paths[warp][next[warp]++], waits);
          moves = true;
        }
    }
    for (unsigned warp = 0; warp < overlaid.warps; ++warp)
      if (next[warp] < paths[warp].size() || waits[warp])
        throw std::logic_error("warp " + std::to_string(warp) + " waits for ever");
    return results;
  }

private:
  const flow::Program &program;
  const Overlaid &overlaid;
  Constants constants;
  const std::vector<std::vector<double>> &fields;
  std::vector<double> rows, results;
  std::vector<std::vector<double>> variables;
  std::vector<std::vector<unsigned>> paths;
  std::map<unsigned, unsigned> arrived;

  template <class Number>
  Number constant(const ConstantArrays<Number> &arrays, unsigned instance, size_t k, unsigned warp) const {
    const auto &use = arrays.uses[instance][k];
    return use.slot ? arrays.ofWarp[warp][*use.slot] : use.value;
  }

  void sync(const Shape &shape, unsigned warp, std::vector<bool> &waits) {
    if (shape.kind == PieceKind::Wait)
      waits[warp] = true;
    arrived[shape.barrier] += 32;
    if (arrived[shape.barrier] < shape.threads)
      return;
    arrived[shape.barrier] = 0;
    for (unsigned other = 0; other < overlaid.warps; ++other)
      if (waits[other] && waitsAt[other] == shape.barrier)
        waits[other] = false;
    if (shape.kind == PieceKind::Wait)
      waits[warp] = false;
  }
  std::vector<unsigned> waitsAt = std::vector<unsigned>(32);

  void step(unsigned warp, unsigned number, std::vector<bool> &waits) {
    const Instance &instance = overlaid.instances[number];
    auto &mine = variables[warp];
    const auto row = [&]() -> double & { return rows.at(constant(constants.indices, number, 0, warp)); };
    const auto c = [&](size_t k) { return constant(constants.numbers, number, k, warp); };
    switch (instance.shape.kind) {
    case PieceKind::Compute: mine[instance.writes[0]] = compute(warp, number, instance); return;
    case PieceKind::Zero: mine[instance.writes[0]] = 0; return;
    case PieceKind::Accumulate:
      mine[instance.writes[0]] += instance.shape.isConstant[0] ? c(0) : c(0) * mine[instance.reads[1]];
      return;
    case PieceKind::Get: mine[instance.writes[0]] = row(); return;
    case PieceKind::Put: row() = mine[instance.reads[0]]; return;
    case PieceKind::AddRow: mine[instance.writes[0]] += row(); return;
    case PieceKind::Store:
      results.at(constant(constants.indices, number, 0, warp)) =
          program.resultScale * mine[instance.reads[0]];
      return;
    case PieceKind::Arrive:
    case PieceKind::Wait:
      waitsAt[warp] = instance.shape.barrier;
      sync(instance.shape, warp, waits);
      return;
    }
  }

  double compute(unsigned warp, unsigned number, const Instance &instance) const {
    std::vector<double> o;
    size_t read = 0, k = 0;
    for (bool isConstant : instance.shape.isConstant)
      o.push_back(isConstant ? constant(constants.numbers, number, k++, warp)
                             : variables[warp][instance.reads[read++]]);
    switch (instance.shape.op) {
    case flow::Op::Load: {
      const auto &field = fields[instance.shape.field];
      return field.at(program.fields[instance.shape.field].components == 1
                          ? 0
                          : constant(constants.indices, number, 0, warp));
    }
    case flow::Op::Total: break;
    case flow::Op::Add: return o[0] + o[1];
    case flow::Op::Subtract: return o[0] - o[1];
    case flow::Op::Multiply: return o[0] * o[1];
    case flow::Op::Fma: return std::fma(o[0], o[1], o[2]);
    case flow::Op::Reciprocal: return 1 / o[0];
    case flow::Op::Exp2: return std::exp2(o[0]);
    case flow::Op::Log2: return std::log2(o[0]);
    case flow::Op::Max: return std::max(o[0], o[1]);
    case flow::Op::Piecewise: {
      unsigned above = 0;
      for (unsigned i = 0; i < instance.shape.thresholds; ++i)
        above += o[0] > constant(constants.numbers, number, k + i, warp);
      return constant(constants.choices, number, above, warp);
    }
    case flow::Op::IfPositive: return o[0] > 0 ? o[1] : o[2];
    }
    throw std::logic_error("no such instruction");
  }
};

} // namespace heddle::partition::test
