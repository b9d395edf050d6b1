// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Warps.h"

#include "flow/Stages.h"
#include "kernels/ChemistryVariants.h"
#include "kernels/Template.h"
#include "kernels/TransportProgram.h"
#include "kernels/TransportVariants.h"
#include "kernels/WarpsKernel.h"
#include "partition/Partition.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::kernels {
namespace {

/// What is taken where nothing is asked for.
struct Default {
  Kernel kernel;
  size_t species; ///< at most; of a kernel's rows the first that fits counts
  unsigned warps; ///< at most, where species are distributed to them evenly
  unsigned ctas;
  partition::Placement placement;
  partition::SumExchange sums;
  bool replicate;
};

constexpr size_t anyNumber = ~size_t(0);
/// The best of those that were measured on an H200; what divides the species evenly and does not spill wins.
constexpr Default defaults[] = {
    {Kernel::Viscosity, 40, 8, 2, partition::Placement::Store, partition::SumExchange::Choose, false},
    {Kernel::Viscosity, anyNumber, 16, 2, partition::Placement::Store, partition::SumExchange::Choose, false},
    {Kernel::Conductivity, anyNumber, 8, 4, partition::Placement::Store, partition::SumExchange::Choose,
     true},
    {Kernel::Diffusion, 60, 8, 2, partition::Placement::Store, partition::SumExchange::Values, false},
    {Kernel::Diffusion, anyNumber, 16, 1, partition::Placement::Store, partition::SumExchange::Values, false},
    {Kernel::Chemistry, 45, 8, 2, partition::Placement::Store, partition::SumExchange::Values, true},
    {Kernel::Chemistry, 60, 16, 1, partition::Placement::Store, partition::SumExchange::Values, true},
    {Kernel::Chemistry, 80, 8, 2, partition::Placement::Store, partition::SumExchange::Values, true},
    {Kernel::Chemistry, anyNumber, 16, 1, partition::Placement::Store, partition::SumExchange::Values, true},
};

/// So many warps, down to half of `most`, that few of them have a species less than others; more rather than
/// fewer.
unsigned evenWarps(unsigned most, size_t species) {
  unsigned best = most;
  const auto idle = [&](unsigned warps) { return (species + warps - 1) / warps * warps - species; };
  for (unsigned warps = most; warps > most / 2; --warps)
    if (idle(warps) < idle(best))
      best = warps;
  return best;
}

const Default &defaultOf(Kernel kernel, size_t species) {
  return *std::ranges::find_if(
      defaults, [&](const Default &each) { return each.kernel == kernel && species <= each.species; });
}

/// A rate constant of as many instructions is kept for the stage that needs it again.
constexpr unsigned keepFrom = model::threshold::chemistry::keepFrom;

/// A row that warps read which have nothing to add (partition/Overlay.h).
constexpr unsigned zeroRowBytes = 256;

struct Task {
  const flow::Program &program;
  const std::string title;
  Function function;
  Precision precision;
};

/// What the warps distribute, in words for a comment.
std::string figuresText(const WarpsFigures &figures, const WarpsLayout &layout) {
  return fmt::format(
      "// {} warps cooperate on 32 points. They execute about {} instructions in all; {} are emitted, "
      "because warps "
      "share\n"
      "// instructions that differ only in constants and indices. One warp executes at most {}.\n"
      "// {} rows and {} bytes of shared memory for a block, {} blocks per SM.\n",
      figures.warps, figures.instructionsOfAllWarps, figures.instructions, figures.longestWarp, figures.rows,
      figures.sharedBytes, layout.ctas);
}

/// Operations that wait for sums and are waited for, the solution for quasi-steady species first of all, go
/// to warps that have less of the other work.
void reserveForSolving(const flow::Program &program, unsigned warps, partition::PartitionOptions &options) {
  const std::vector<unsigned> stages = flow::stagesOf(program);
  const unsigned last = *std::ranges::max_element(stages);
  for (unsigned stage : stages)
    options.groups.push_back(stage > 0 && stage < last ? 1 : 0);
  options.groupWarps = {warps};
}

std::optional<Emitted> emit(const Task &task, const WarpsLayout &layout, Diagnostics &diagnostics) {
  partition::PartitionOptions options;
  options.warps = layout.warps;
  options.ctas = layout.ctas;
  options.weights = layout.weights;
  options.placement = *layout.placement;
  options.sums = *layout.sums;
  options.replicate = *layout.replicate;
  if (layout.qssaWarps > 0)
    reserveForSolving(task.program, layout.qssaWarps, options);
  options.otherSharedBytes = zeroRowBytes;
  const std::optional<partition::Partitioned> partitioned =
      partition::partitionWarps(task.program, options, diagnostics);
  if (!partitioned)
    return std::nullopt;
  WarpsKernel kernel = {task.program,     *partitioned, task.function.name, "", layout.ctas,
                        layout.constants, {},           task.precision};
  const WarpsFile file = warpsFile(kernel);
  Emitted emitted;
  emitted.files = {{task.function.name + ".cu", task.title + figuresText(file.figures, layout) + file.text}};
  emitted.functions = {task.function};
  emitted.functions.front().sharedBytes = file.figures.sharedBytes;
  return emitted;
}

} // namespace

WarpsLayout chosenLayout(const WarpsLayout &asked, Kernel kernel, size_t species) {
  const Default &usual = defaultOf(kernel, species);
  WarpsLayout layout = asked;
  if (layout.warps == 0)
    layout.warps = kernel == Kernel::Chemistry ? usual.warps : evenWarps(usual.warps, species);
  layout.ctas = asked.ctas ? asked.ctas : usual.ctas;
  layout.placement = asked.placement.value_or(usual.placement);
  layout.sums = asked.sums.value_or(usual.sums);
  layout.replicate = asked.replicate.value_or(usual.replicate);
  return layout;
}

std::optional<Emitted> emitWarpsChemistry(const chem::Mechanism &mechanism, const Options &options,
                                          const WarpsLayout &layout, const ChemistryTreatment &treatment,
                                          Diagnostics &diagnostics) {
  const bool isPlain = treatment.isNone();
  const flow::Program program = isPlain ? chemistryProgramOf(mechanism, options, true)
                                        : qssaProgramOf(mechanism, treatment, options, keepFrom);
  Function function = qssaFunction(options, treatment, Variant::Warps);
  const std::string title =
      fmt::format("// {}: net production rates.\n// {} species and {} of mechanism '{}'; warp-specialized.\n"
                  "{}// Generated by Heddle.\n//\n",
                  function.name, mechanism.species.size(), counted(mechanism.reactions.size(), "reaction"),
                  inComment(mechanism.name),
                  isPlain ? ""
                          : fmt::format("// Quasi-steady: {}.\n// Stiff: {}.\n",
                                        namesOf(mechanism, treatment.quasiSteady.species),
                                        namesOf(mechanism, treatment.stiff)));
  return emit({program, title, std::move(function), options.precision},
              chosenLayout(layout, Kernel::Chemistry, mechanism.species.size()), diagnostics);
}

std::optional<Emitted> emitWarpsTransport(const TransportModel &model, Kernel kernel, const Options &options,
                                          const WarpsLayout &asked, Diagnostics &diagnostics) {
  const size_t species = model.mechanism.species.size();
  const WarpsLayout layout = chosenLayout(asked, kernel, species);
  const unsigned atOnce = unsigned((species + layout.warps - 1) / layout.warps);
  const TransportTask task = {
      model, kernel, Variant::Warps, options,
      fmt::format("{}_{}_{}", options.prefix, nameOf(kernel), nameOf(Variant::Warps))};
  if (std::string reason = reasonAgainst(task); !reason.empty()) {
    diagnostics.add(Severity::Refusal, {}, reason);
    return std::nullopt;
  }
  const flow::Program program = transportProgram(model, kernel, options.units, atOnce);
  return emit({program,
               titleText(task) + "//\n",
               {task.name, kernel, Variant::Warps, aboutText(task)},
               options.precision},
              layout, diagnostics);
}

} // namespace heddle::kernels
