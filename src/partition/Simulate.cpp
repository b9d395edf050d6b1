// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each warp has its own values and its own place in its list of steps. A random warp that does not wait does up to
// eight steps, then another one; a warp that waits goes on when its barrier has counted all that its point names.
// Rows that nothing has written hold NaN, which then shows in the results, so a missing synchronization is found
// as soon as one schedule lets a warp read too early. Two points at one barrier at the same time are a fault.
#include "partition/Simulate.h"

#include "flow/Evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace heddle::partition {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN(); ///< what is read before it is written

struct Warp {
  size_t step = 0;
  unsigned iteration = 0;
  std::optional<unsigned> waitsAt; ///< a barrier
  std::vector<double> values, partials, totals;
};

struct Barrier {
  std::optional<unsigned> point; ///< that it counts for
  unsigned come = 0;
};

class Simulation {
public:
  Simulation(const flow::Program &program, const Partitioned &partitioned,
             const std::vector<std::vector<double>> &fields, unsigned iterations)
      : program(program), partitioned(partitioned), fields(fields), iterations(iterations),
        warps(partitioned.warps.size()), barriers(16), rows(partitioned.rows, nothing) {
    for (Warp &warp : warps)
      reset(warp);
    out.results.assign(program.resultCount(), nothing);
  }

  Simulated run(unsigned seed) {
    std::mt19937 random(seed);
    while (out.fault.empty()) {
      std::vector<unsigned> ready;
      for (unsigned w = 0; w < warps.size(); ++w)
        if (!warps[w].waitsAt && warps[w].iteration < iterations)
          ready.push_back(w);
      if (ready.empty())
        break;
      const unsigned w = ready[random() % ready.size()];
      for (unsigned burst = random() % 8; burst != ~0u && !warps[w].waitsAt && out.fault.empty(); --burst)
        if (warps[w].iteration < iterations)
          step(w);
    }
    for (unsigned w = 0; w < warps.size() && out.fault.empty(); ++w)
      if (warps[w].waitsAt)
        out.fault = fmt::format("warp {} waits forever at its step {}", w, warps[w].step - 1);
    return std::move(out);
  }

private:
  const flow::Program &program;
  const Partitioned &partitioned;
  const std::vector<std::vector<double>> &fields;
  const unsigned iterations;
  std::vector<Warp> warps;
  std::vector<Barrier> barriers;
  std::vector<double> rows;
  Simulated out;

  void reset(Warp &warp) const {
    warp.values.assign(program.definedBy.size(), nothing);
    warp.partials.assign(program.sums.size(), 0);
    warp.totals.assign(program.sums.size(), nothing);
  }

  void step(unsigned w) {
    Warp &warp = warps[w];
    const std::vector<Step> &steps = partitioned.warps[w];
    if (warp.step < steps.size())
      perform(w, steps[warp.step++]);
    if (warp.step < steps.size())
      return;
    warp.step = 0;
    ++warp.iteration;
    reset(warp);
  }

  double get(const Warp &warp, const flow::Operand &operand) const {
    return operand.value ? warp.values[*operand.value] : operand.constant;
  }

  double run(const Warp &warp, const flow::Instruction &instruction) const {
    if (instruction.op == flow::Op::Load)
      return fields[instruction.field][instruction.index];
    if (instruction.op == flow::Op::Total)
      return warp.totals[instruction.index];
    std::vector<double> operands;
    for (const flow::Operand &operand : instruction.operands)
      operands.push_back(get(warp, operand));
    return flow::evaluate(instruction, operands);
  }

  void perform(unsigned w, const Step &step) {
    Warp &warp = warps[w];
    switch (step.kind) {
    case StepKind::Do:
      for (const flow::Instruction &instruction : program.operations[step.operation].code)
        warp.values[instruction.result] = run(warp, instruction);
      break;
    case StepKind::Put: rows[step.row] = warp.values[step.value]; break;
    case StepKind::Get: warp.values[step.value] = rows[step.row]; break;
    case StepKind::Accumulate: warp.partials[step.sum] += step.coefficient * get(warp, step.term); break;
    case StepKind::PutPartial: rows[step.row] = warp.partials[step.sum]; break;
    case StepKind::AddPartial: warp.partials[step.sum] += rows[step.row]; break;
    case StepKind::Close:
      warp.totals[step.sum] = warp.partials[step.sum];
      if (program.sums[step.sum].isResult)
        out.results[step.sum] = warp.partials[step.sum] * program.resultScale;
      break;
    case StepKind::Arrive:
    case StepKind::Wait: attend(w, step); break;
    }
  }

  void attend(unsigned w, const Step &step) {
    const SyncPoint &point = partitioned.points[step.point];
    Barrier &barrier = barriers[point.barrier];
    if (barrier.point && *barrier.point != step.point) {
      out.fault = fmt::format("warp {} comes to point {} while barrier {} counts for point {}", w, step.point,
                              point.barrier, *barrier.point);
      return;
    }
    barrier.point = step.point;
    if (step.kind == StepKind::Wait)
      warps[w].waitsAt = point.barrier;
    if (32 * ++barrier.come < point.threads())
      return;
    barrier = {};
    for (Warp &warp : warps)
      if (warp.waitsAt == point.barrier)
        warp.waitsAt.reset();
  }
};

} // namespace

Simulated simulate(const flow::Program &program, const Partitioned &partitioned,
                   const std::vector<std::vector<double>> &fields, unsigned seed, unsigned iterations) {
  return Simulation(program, partitioned, fields, iterations).run(seed);
}

} // namespace heddle::partition
