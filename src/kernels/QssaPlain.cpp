// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates on a GPU, one thread per point, with quasi-steady or stiff species or, where the code
// would be too long for an instruction cache otherwise, without them.
//
// The three stages of chem/QssaProgram.h follow each other at a few points of a thread; what goes from one
// to the next is kept for each of them in local memory. Two stages need the rate constants. Most
// are a power of two with an exponent linear in log2 T and 1/T, some twenty instructions, which is less than
// writing 8 bytes to global memory and reading them again takes (2 ps at 11 T instructions/s, 2.7 ps at 6
// TB/s of an H200's L2 cache, 4 ps at 4 TB/s): they are computed again. What costs more, falloff for the most
// part, is kept.
//
// Written out, that would be twice the code of chemistry without QSSA, which already fills an
// instruction cache. So these powers are taken in loops over a table of exponents, some dozens at a time into
// shared memory, ahead of the code that reads them. A thread reads what it wrote itself: there is nothing to
// wait for.
//
// The steps of an exponential wait for each other, so a loop takes several at once, which needs some forty registers. ptxas
// takes them one after the other instead if values that are read after the loop leave no such registers: these loops were
// 2.3 times slower for heptane_lu68 on an H200. Such values are in shared memory during the loops (SharedSpills.h).
#include "flow/Cost.h"
#include "kernels/ChemistryVariants.h"
#include "kernels/Signature.h"
#include "kernels/Statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle::kernels {

namespace {

/// Threads of a block.
constexpr unsigned threadsWithStages = model::threshold::chemistry::threadsWithStages,
                   threadsWithLoops = model::threshold::chemistry::threadsWithLoops;
constexpr unsigned instructionsInPart = model::threshold::chemistry::longestPart;

std::string rowsOf(const StepTable &table) {
  std::string text;
  for (const auto *half : {&table.below, &table.above})
    for (const std::array<double, 2> &row : *half)
      text += fmt::format("    {{{}, {}}},\n", literal(row[0]), literal(row[1]));
  return text.empty() ? "    {0.0, 0.0}, {0.0, 0.0},\n" : text;
}

/// Shared memory of an SM: of each block, the system takes 1 KiB.
constexpr unsigned sharedPerSmOfHopper = 228 * 1024, sharedPerSmOfAmpere = 164 * 1024, sharedOfSystem = 1024;
/// The L1 cache has the rest: of what stages leave for each other, it holds a part.
constexpr unsigned sharedPerSmWithStages = 1024 * model::threshold::chemistry::sharedWithStages;
/// With all registers that a thread can have.
constexpr unsigned threadsPerSm = 256;

/// What tables and powers take of a block's.
unsigned sharedBytes(const Statements &statements, unsigned powers, unsigned threads) {
  const auto atLeastOne = [](size_t rows) { return unsigned(std::max<size_t>(1, rows)); };
  return 32 * atLeastOne(statements.table.below.size()) +
         24 * atLeastOne(statements.powers.shortRows.size()) +
         128 * atLeastOne(statements.powers.longRows.size()) + 8 * powers * threads;
}

/// Rows of a double for each thread that are left, with as many blocks per SM as registers allow.
unsigned rowsThatFit(unsigned sharedPerSm, unsigned besides, unsigned threads) {
  const unsigned ofBlock = sharedPerSm / std::max(1U, threadsPerSm / threads) - sharedOfSystem;
  return ofBlock > besides ? (ofBlock - besides) / (8 * threads) : 0;
}

/// Machine instructions of all code, as estimated: nvcc makes 1.7 of each estimated one that no loop has taken (an exponential is
/// some 20 of those, with the polynomial of a species 45), and 92 and 71 of a loop.
double machineInstructions(const flow::Program &program, const std::vector<flow::Segment> &segments,
                           const Statements &statements) {
  double estimated = 0, ofLoops = 0;
  for (const flow::Segment &segment : segments)
    for (const auto *part : {&segment.pure, &segment.operations})
      for (unsigned operation : *part)
        estimated += flow::instructionsOf(program.operations[operation]);
  const PowerLoops &loops = statements.powers;
  estimated -= 20.0 * double(loops.shortRows.size()) + 45.0 * double(loops.longRows.size());
  for (const std::string &text : statements.segments)
    for (const auto &[name, size] : {std::pair{"shortPowers<", 92}, std::pair{"longPowers<", 71}})
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
        ofLoops += size;
  return 1.7 * std::max(0.0, estimated) + ofLoops;
}

/// Statements for a number of powers that loops take at a time.
struct PlannedLoops {
  unsigned powers = 0;
  Statements statements;
  unsigned sharedBesides = 0; ///< what tables and powers take of a block's shared memory
};

/// What loops cost a warp, in cycles of a scheduler: fewer and longer loops are less code, but more values cross them.
double cyclesOfLoops(const Statements &statements, double machineInstructions) {
  using namespace model::threshold::chemistry;
  const double overflow = std::max(0.0, machineInstructions - double(instructionCache));
  return double(cyclesOfLoop) * statements.loopCount +
         double(cyclesOfCrowding) * double(statements.crowding) + double(cyclesOfMiss) * overflow;
}

/// The search: fewer are loops of a few iterations; with more, their rows displace values that wait, and L1.
constexpr unsigned fewestPowers = 24, mostPowers = 72;

/// The cheapest plan.
template <class Plan, class Cost> PlannedLoops cheapest(Plan planOf, Cost costOf) {
  PlannedLoops best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned powers = fewestPowers; powers <= mostPowers; powers += 8) {
    PlannedLoops plan = planOf(powers);
    if (const double cost = costOf(plan); cost < least) {
      least = cost;
      best = std::move(plan);
    }
  }
  return best;
}

/// Of code that does not fit into an instruction cache. Exponentials and logarithms that no loop takes, for falloff for
/// the most part, are calls.
Target compactTarget(const Real &real) {
  Target target = deviceTarget(real);
  target.exp2 = "exp2Of";
  target.log2 = "log2Of";
  return target;
}

/// Tables as text, at least a row each.
struct ExponentTables {
  std::string constants, slopes, species;

  explicit ExponentTables(const PowerLoops &loops) {
    for (const Exponent &row : loops.shortRows) {
      constants += pair(row.below[0], row.below[Exponent::logarithm]);
      slopes += fmt::format("    {},\n", literal(row.below[Exponent::reciprocal]));
    }
    for (const Exponent &row : loops.longRows)
      for (const auto *half : {&row.below, &row.above}) {
        const auto &c = *half;
        species += pair(c[0], c[1]) + pair(c[2], c[3]) + pair(c[4], c[Exponent::logarithm]) +
                   pair(c[Exponent::reciprocal], row.threshold.value_or(0));
      }
    if (loops.shortRows.empty())
      constants = pair(0, 0), slopes = "    0.0,\n";
    if (loops.longRows.empty())
      for (int i = 0; i < 8; ++i)
        species += pair(0, 0);
  }

private:
  static std::string pair(double a, double b) {
    return fmt::format("    {{{}, {}}},\n", literal(a), literal(b));
  }
};

} // namespace

Emitted emitQssaPlain(const chem::Mechanism &mechanism, const ChemistryTreatment &treatment,
                      const Options &options, const ChemistryLayout &layout) {
  const flow::Program program = qssaProgramOf(mechanism, treatment, options, layout.keepFrom);
  const unsigned threads =
      layout.threadsForLoops.value_or(treatment.isNone() ? threadsWithLoops : threadsWithStages);
  const Real &real = realOf(options.precision);
  std::string zeros;
  for (unsigned sum : emptySums(program))
    zeros += fmt::format("  result[{} * stride + point] = 0.0;\n", sum);
  const std::vector<flow::Segment> segments = partsOf(program, instructionsInPart, instructionsInPart);
  const unsigned sharedPerSm = treatment.isNone() ? sharedPerSmOfHopper : sharedPerSmWithStages;
  const auto planned = [&](const Target &target, unsigned powers) {
    PlannedLoops plan = {powers, statementsOf(program, segments, target, {powers, 0, true}), 0};
    plan.sharedBesides = sharedBytes(plan.statements, powers, threads);
    if (const unsigned rows = rowsThatFit(sharedPerSm, plan.sharedBesides, threads); rows > 0)
      plan.statements = statementsOf(program, segments, target, {powers, rows, true});
    return plan;
  };
  const auto sizeOf = [&](const PlannedLoops &plan) {
    return machineInstructions(program, segments, plan.statements);
  };
  // Stages go over several points before the next one's code is fetched.
  const auto costOf = [&](const PlannedLoops &plan) {
    return cyclesOfLoops(plan.statements, treatment.isNone() ? sizeOf(plan) : 0);
  };
  const auto chosen = [&](const Target &target) {
    return layout.powersAtATime ? planned(target, *layout.powersAtATime)
                                : cheapest([&](unsigned powers) { return planned(target, powers); }, costOf);
  };
  Target target = deviceTarget(real);
  PlannedLoops plan = chosen(target);
  const bool isCompact =
      treatment.isNone() && sizeOf(plan) > double(model::threshold::chemistry::instructionCache);
  if (isCompact) {
    target = compactTarget(real);
    plan = chosen(target);
  }
  const Statements &statements = plan.statements;
  const unsigned powers = plan.powers;
  const unsigned elsewhere =
      std::min(statements.spilledRows, rowsThatFit(sharedPerSmOfAmpere, plan.sharedBesides, threads));
  std::vector<Values> parts, kept;
  for (size_t i = 0; i < segments.size(); ++i)
    parts.push_back({{"number", i + 1}, {"body", (i == 0 ? zeros : "") + statements.segments[i]}});
  for (const std::string &name : statements.kept)
    kept.push_back({{"member", name}});
  const ExponentTables exponents(statements.powers);
  Function function = qssaFunction(options, treatment, Variant::Plain);
  const unsigned pointsPerStage = segments.size() > 1 ? layout.pointsPerStage : 1;
  function.localBytes = statements.kept.size() * pointsPerStage * sizeof(double);
  function.sharedBytes = plan.sharedBesides + elsewhere * threads * sizeof(double);
  const Values own = {{"name", function.name},
                      {"hasStages", !treatment.isNone()},
                      {"isCompact", isCompact},
                      {"quasiSteady", namesOf(mechanism, treatment.quasiSteady.species)},
                      {"stiff", namesOf(mechanism, treatment.stiff)},
                      {"parts", std::move(parts)},
                      {"kept", std::move(kept)},
                      {"parameters", parametersOf(program, real, "", "__restrict__ ")},
                      {"plainParameters", parametersOf(program, real, "", "")},
                      {"anyNull", anyNullOf(program)},
                      {"arguments", argumentsOf(program)},
                      {"threads", threads},
                      {"pointsPerStage", pointsPerStage},
                      {"atATime", powers},
                      {"spilledRows", statements.spilledRows},
                      {"spilledElsewhere", elsewhere},
                      {"inStep", PowerLoops::inStep(true)},
                      {"inStepLong", PowerLoops::inStep(false)},
                      {"rows", std::max<size_t>(1, statements.table.below.size())},
                      {"table", rowsOf(statements.table)},
                      {"shortRows", std::max<size_t>(1, statements.powers.shortRows.size())},
                      {"longRows", std::max<size_t>(1, statements.powers.longRows.size())},
                      {"shortData", exponents.constants},
                      {"slopeData", exponents.slopes},
                      {"longData", exponents.species}};
  return {{{function.name + ".cu",
            fillTemplate("chemistry_loops.cu.in", joined(commonOf(mechanism, options), own))}},
          {function}};
}

} // namespace heddle::kernels
