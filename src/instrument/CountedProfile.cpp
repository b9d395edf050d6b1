// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrument/CountedProfile.h"

#include "divergence/KernelCode.h"
#include "instrument/LostLanes.h"
#include "ptx/Layout.h"
#include "vm/Source.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::instrument {
namespace {

using divergence::CodePart;
using divergence::LaunchProfile;

class Maker {
public:
  Maker(const CountedLaunch &given, const InstrumentedModule &instrumented)
      : launch(given), counted(instrumented.counted), module(instrumented.module),
        kernel(module.findFunction(given.kernel)), parts(divergence::partsOf(module, kernel)),
        scale(double(given.blocks()) / double(given.countedBlocks())), branchAt(parts.size()) {}

  LaunchProfile run(unsigned registers) {
    describe(registers);
    addBlocks();
    addBranches();
    addVectors();
    attributeLostLanes(profile, parts, branchAt);
    profile.inputs = divergence::inputsOf(module, module.functions[kernel]);
    profile.inputs.ofBlock.resize(profile.blocks.size());
    addValues();
    return std::move(profile);
  }

private:
  void describe(unsigned registers) {
    profile.kernel = launch.kernel;
    profile.number = launch.number;
    std::copy_n(launch.grid, 3, profile.grid);
    std::copy_n(launch.block, 3, profile.block);
    profile.registers = registers;
    profile.staticSharedBytes = ptx::layoutShared(module, kernel).staticBytes;
    profile.dynamicSharedBytes = launch.dynamicSharedBytes;
    profile.warps = estimated(launch.warps);
    profile.divergentWarps = estimated(launch.divergentWarps);
  }

  /// Of all thread blocks, from those that were counted.
  uint64_t estimated(uint64_t sum) const {
    return scale == 1 ? sum : uint64_t(std::llround(double(sum) * scale));
  }

  const CountedFunction &rowsOf(const CodePart &part) const {
    return counted.functions[size_t(part.function - module.functions.data())];
  }

  void addBlocks() {
    profile.blocks = divergence::codeBlocksOf(parts);
    for (const CodePart &part : parts)
      for (uint32_t b = 0; b < part.function->blocks.size(); ++b) {
        const uint32_t row = rowsOf(part).entryRow + b;
        profile.blocks[profile.absentLanes.size()].entries = estimated(launch.warpSums[row]);
        profile.absentLanes.push_back(estimated(launch.absentLanes[row]));
        columns.push_back(rowsOf(part).threadRow + b);
      }
  }

  void addBranches() {
    for (size_t p = 0; p < parts.size(); ++p)
      for (uint32_t i = 0; i < parts[p].function->instrs.size(); ++i)
        if (divergence::mayDiverge(parts[p].function->instrs[i])) {
          branchAt[p][i] = uint32_t(profile.branches.size());
          addBranch(parts[p], i);
        }
  }

  void addBranch(const CodePart &part, uint32_t index) {
    const ptx::Instr &instr = part.function->instrs[index];
    divergence::Branch &branch = profile.branches.emplace_back();
    branch.location = vm::sourceOf(*part.module, instr);
    const CountedFunction &rows = rowsOf(part);
    const auto found = std::find(rows.branches.begin(), rows.branches.end(), index);
    if (found == rows.branches.end())
      return; // a return to the caller, by which lanes diverge until the call is over
    const uint32_t row = rows.branchRow + 2 * uint32_t(found - rows.branches.begin());
    branch.divergent = estimated(launch.warpSums[row + 1]);
    // An exit by all lanes is the end of the warp, and by none it is nothing: no branch.
    branch.executions = instr.op == ptx::Op::Bra || instr.op == ptx::Op::BrxIdx
                            ? estimated(launch.warpSums[row])
                            : branch.divergent;
  }

  void addVectors() {
    profile.vectors = divergence::BlockVectors(uint32_t(columns.size()));
    std::vector<uint32_t> rowOf(launch.vectors.distinct()), vector(columns.size());
    for (uint32_t row = 0; row < rowOf.size(); ++row) {
      const std::span<const uint32_t> counts = launch.vectors.row(row);
      std::transform(columns.begin(), columns.end(), vector.begin(),
                     [&](uint32_t column) { return counts[column]; });
      rowOf[row] = profile.vectors.rowWith(vector);
    }
    const uint32_t threads = launch.threadsPerBlock();
    profile.vectors.setThreads(uint32_t(launch.blocks() * threads));
    std::vector<uint64_t> threadsOf(profile.vectors.distinct());
    for (uint64_t block = 0; block < launch.blocks(); ++block)
      for (uint32_t t = 0; t < threads; ++t) {
        const uint32_t row = rowOf[launch.vectors.rowOfThread(uint32_t(block / launch.every * threads + t))];
        profile.vectors.setRow(uint32_t(block * threads + t), row);
        threadsOf[row] += block % launch.every == 0;
      }
    for (uint32_t row = 0; row < threadsOf.size(); ++row)
      for (uint32_t b = 0; b < columns.size(); ++b)
        profile.blocks[b].lanes += threadsOf[row] * profile.vectors.row(row)[b];
    for (divergence::CodeBlock &block : profile.blocks)
      block.lanes = estimated(block.lanes);
  }

  /// Of each thread, as far as it has loaded one.
  void addValues() {
    const std::vector<RecordedLoad> &loads = counted.functions[kernel].loads;
    const uint32_t threads = launch.threadsPerBlock();
    for (size_t row = 0; row < loads.size(); ++row) {
      const divergence::Input &input = profile.inputs.inputs[loads[row].input];
      const ptx::Type type = module.functions[kernel].instrs[input.instr].type();
      std::vector<double> &values = profile.inputs.values[loads[row].input];
      values.assign(profile.vectors.threads(), std::numeric_limits<double>::quiet_NaN());
      for (uint32_t t = 0; t < values.size(); ++t) {
        const uint64_t block = t / threads / launch.every;
        const uint64_t &bits = launch.values[(block * loads.size() + row) * threads + t % threads];
        if (launch.vectors.thread(uint32_t(block * threads + t % threads))[loads[row].threadRow])
          values[t] = divergence::valueAt(reinterpret_cast<const uint8_t *>(&bits), type);
      }
    }
    divergence::addCombinations(profile.inputs, profile.vectors.threads());
  }

  const CountedLaunch &launch;
  const CountedPtx &counted;
  const ptx::Module &module;
  const uint32_t kernel;
  const std::vector<CodePart> parts;
  const double scale;                                 ///< all thread blocks for each that was counted
  std::vector<std::map<uint32_t, uint32_t>> branchAt; ///< by part and instruction
  std::vector<uint32_t> columns;                      ///< by basic block of the kernel: its row of threads
  LaunchProfile profile;
};

} // namespace

LaunchProfile profileOf(const CountedLaunch &launch, const InstrumentedModule &module, unsigned registers) {
  return Maker(launch, module).run(registers);
}

} // namespace heddle::instrument
