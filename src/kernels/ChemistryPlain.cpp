// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates on a GPU, one thread per point.
#include "kernels/ChemistryVariants.h"
#include "kernels/Statements.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::kernels {

namespace {

std::string tableText(const StepTable &table, const Real &real) {
  std::string text;
  for (const auto *half : {&table.below, &table.above})
    for (const std::array<double, 2> &row : *half)
      text += fmt::format("    {{{}, {}}},\n", real.literal(row[0]), real.literal(row[1]));
  return text.empty() ? "    {0, 0}, {0, 0},\n" : text;
}

} // namespace

Emitted emitPlainChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                           const Options &options, const ChemistryLayout &layout) {
  const Real &real = realOf(options.precision);
  std::string zeros;
  for (unsigned sum : emptySums(program))
    zeros += fmt::format("  result[{} * stride + point] = {};\n", sum, real.literal(0));
  const std::vector<flow::Segment> segments =
      partsOf(program, layout.instructionsInWhole, layout.instructionsInPart);
  const Statements statements = statementsOf(program, segments, deviceTarget(real));
  std::vector<Values> parts;
  for (size_t i = 0; i < segments.size(); ++i)
    parts.push_back(
        {{"number", i + 1}, {"isLater", i > 0}, {"body", (i == 0 ? zeros : "") + statements.segments[i]}});

  const bool isCut = segments.size() > 1;
  const std::string name = options.prefix + "_chemistry_plain";
  const Values own = {{"name", name},
                      {"real", real.type},
                      {"isCut", isCut},
                      {"partCount", segments.size()},
                      {"parts", std::move(parts)},
                      {"threads", isCut ? layout.threadsForParts : layout.threadsForWhole},
                      {"tiles", isCut ? layout.tilesPerPass : 1},
                      {"rows", std::max<size_t>(1, statements.table.below.size())},
                      {"table", tableText(statements.table, real)}};
  return {{{name + ".cu", fillTemplate("chemistry_plain.cu.in", joined(commonOf(mechanism, options), own))}},
          {{name, Kernel::Chemistry, Variant::Plain,
            fmt::format("Net production rates in {}, one thread per point.", rateUnit(options.units))}}};
}

} // namespace heddle::kernels
