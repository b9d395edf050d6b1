// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is known of a kernel, computed once for all directives and reports.
//
// 1. The launch: grid and block of the launches in the file, as far as they agree, or the block that the user
//    gave.
// 2. Uniformity for a block of that shape, with the divergent branches of the kernel and of what it calls.
// 3. Barriers and the regions between them; what is wrong with them is kept as findings.
// 4. The symbolic walk: accesses, loops, conditions; then reuse between threads and the estimate of
//    registers.
// 5. The kernel tree, whose nodes refer to all of these, and the values that live across barriers.
// 6. Shared memory and, where an architecture is given, occupancy. Numbers of ptxas replace estimates where
//    the kernel was compiled.
//
// Dependences are computed when they are first asked for: they cost more than all the rest, and most
// directives do not need them. A block size that differs between launches is not known; facts that need it
// say so.
#include "analysis/KernelFacts.h"

#include "analysis/PointersApart.h"
#include "source/ReachingDefinitions.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace heddle::analysis {
namespace {

std::array<std::optional<int64_t>, 3> valuesOf(const source::LaunchShape &shape) {
  return {shape.xyz[0].value, shape.xyz[1].value, shape.xyz[2].value};
}

/// What differs between launches is not known.
void keepAgreed(std::array<std::optional<int64_t>, 3> &known, const source::LaunchShape &other) {
  for (size_t d = 0; d < 3; ++d)
    if (known[d] != other.xyz[d].value)
      known[d].reset();
}

void chooseBlock(KernelFacts &facts, const FactOptions &options) {
  if (!facts.launches.empty() && options.launches != LaunchesSeen::Some) {
    facts.launch.grid = valuesOf(facts.launches[0]->grid);
    facts.launch.block = valuesOf(facts.launches[0]->block);
    facts.blockOrigin = facts.launches[0]->block.isKnown() ? BlockOrigin::Launch : BlockOrigin::NotKnown;
    facts.launchesDisagree =
        std::any_of(facts.launches.begin(), facts.launches.end(),
                    [&](const auto *launch) { return valuesOf(launch->block) != facts.launch.block; });
    for (const source::Launch *launch : facts.launches)
      if (options.launches == LaunchesSeen::All) {
        keepAgreed(facts.launch.grid, launch->grid);
        keepAgreed(facts.launch.block, launch->block);
      }
  }
  if (options.block) {
    std::copy(options.block->begin(), options.block->end(), facts.launch.block.begin());
    facts.blockOrigin = BlockOrigin::Asked;
    facts.launchesDisagree = false;
  }
}

int64_t bytesOf(const Array &array) {
  int64_t bytes = array.elementBytes;
  for (int64_t extent : array.extents)
    bytes *= extent;
  return bytes;
}

void countSharedMemory(KernelFacts &facts) {
  bool dynamic = false;
  for (const auto &array : facts.accesses->arrays())
    if (array->space == Array::Space::Shared) {
      dynamic |= array->isDynamic;
      facts.staticSharedBytes += array->isDynamic ? 0 : bytesOf(*array);
    }
  if (facts.compiled)
    facts.staticSharedBytes = facts.compiled->staticSharedBytes;
  facts.dynamicSharedBytes = 0;
  for (const source::Launch *launch : facts.launches)
    facts.dynamicSharedBytes = launch->dynamicSharedBytes.value;
  if (facts.launches.empty() && dynamic)
    facts.dynamicSharedBytes.reset();
}

void computeOccupancy(KernelFacts &facts, const arch::Arch &arch) {
  std::optional<int64_t> threads = facts.threadsPerBlock();
  if (!threads || *threads <= 0)
    return;
  facts.occupancy = arch::occupancy(
      arch, facts.resources(unsigned(std::min<int64_t>(*threads, 1 << 20)), facts.registersPerThread()));
}

/// Calls in a body, without what unevaluated operands hold.
class Calls : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitCallExpr(clang::CallExpr *call) override {
    found.push_back(call);
    return true;
  }
  std::vector<const clang::CallExpr *> found;
};

/// A function called from two places with arguments of the same uniformity says the same thing twice: each of its branches is reported
/// once.
void collectBranches(const Uniformity &uniformity, const clang::FunctionDecl *function,
                     const std::string &name, std::set<const clang::Stmt *> &seen,
                     std::vector<KernelFacts::BranchInFunction> &into) {
  for (const DivergentBranch &branch : uniformity.divergentBranches())
    if (seen.insert(branch.statement).second)
      into.push_back({name, &branch});
  Calls calls;
  calls.TraverseStmt(function->getBody());
  for (const clang::CallExpr *call : calls.found)
    if (const Uniformity *callee = uniformity.callee(call)) {
      const clang::FunctionDecl *inside = callee->definitions().graph().function();
      collectBranches(*callee, inside, inside->getNameAsString(), seen, into);
    }
}

} // namespace

std::shared_ptr<const PointersApart> pointersApart(const source::Program &program,
                                                   const source::Kernel &kernel, const FactOptions &options) {
  auto pointers = std::make_shared<PointersApart>();
  if (options.launches == LaunchesSeen::All)
    pointers->byLaunches = source::disjointArguments(program, kernel, options.isWholeProgram);
  pointers->isAssumed = options.pointersDoNotOverlap;
  return pointers;
}

static std::optional<std::array<int64_t, 3>> ifKnown(const std::array<std::optional<int64_t>, 3> &shape) {
  if (!shape[0] || !shape[1] || !shape[2])
    return std::nullopt;
  return std::array<int64_t, 3>{*shape[0], *shape[1], *shape[2]};
}

std::optional<std::array<int64_t, 3>> KernelFacts::knownBlock() const {
  return launchesDisagree ? std::nullopt : ifKnown(launch.block);
}

std::optional<int64_t> KernelFacts::blocksOfGrid() const {
  const auto grid = ifKnown(launch.grid);
  return grid ? std::optional((*grid)[0] * (*grid)[1] * (*grid)[2]) : std::nullopt;
}

arch::KernelResources KernelFacts::resources(unsigned threads, unsigned registers) const {
  arch::KernelResources all;
  all.threadsPerBlock = threads;
  all.registersPerThread = registers;
  all.staticSharedBytes = size_t(staticSharedBytes);
  all.dynamicSharedBytes = size_t(dynamicSharedBytes.value_or(0));
  return all;
}

std::optional<int64_t> KernelFacts::threadsPerBlock() const {
  const auto &b = launch.block;
  return b[0] && b[1] && b[2] ? std::optional(*b[0] * *b[1] * *b[2]) : std::nullopt;
}

unsigned KernelFacts::registersPerThread() const {
  return compiled ? compiled->registers : registers.registers();
}

const Dependences &KernelFacts::dependences() const {
  if (!knownDependences)
    knownDependences = Dependences::of(*accesses);
  return *knownDependences;
}

bool KernelFacts::hasPartialBarriers() const {
  return std::ranges::any_of(regions->barriers(), [](const Barrier &barrier) {
    return barrier.scope == Barrier::Scope::Named || barrier.scope == Barrier::Scope::Async;
  });
}

Diagnostics KernelFacts::findings() const {
  Diagnostics all = barrierFindings;
  if (hasPartialBarriers())
    return all;
  for (const Diagnostic &race : raceReports(*accesses, dependences()))
    all.add(race.severity, race.location, race.text) = race;
  return all;
}

std::unique_ptr<KernelFacts> KernelFacts::of(const source::Program &program, const source::Kernel &kernel,
                                             const FactOptions &options) {
  auto facts = std::make_unique<KernelFacts>();
  facts->kernel = &kernel;
  facts->launches = program.launchesOf(kernel);
  facts->compiled = options.compiled;
  chooseBlock(*facts, options);
  facts->launch.pointers = pointersApart(program, kernel, options);

  facts->uniformity = Uniformity::of(kernel, BlockShape{facts->launch.block});
  std::set<const clang::Stmt *> seen;
  source::withDeepStack(
      [&] { collectBranches(*facts->uniformity, kernel.function, {}, seen, facts->divergentBranches); });
  facts->regions = BarrierRegions::of(*facts->uniformity, facts->barrierFindings);
  facts->accesses = Accesses::of(kernel, facts->launch);
  facts->tree = std::make_unique<KernelTree>(*facts->uniformity, *facts->regions, facts->accesses.get());
  facts->liveAcross = liveAcrossBarriers(*facts->uniformity, *facts->tree);
  facts->reuse = InterThreadReuse::of(*facts->accesses);
  facts->registers = estimateRegisters(kernel, *facts->accesses);
  facts->registers.fromPtx = options.likelyRegisters;
  countSharedMemory(*facts);
  if (options.arch)
    computeOccupancy(*facts, *options.arch);
  return facts;
}

} // namespace heddle::analysis
