// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/PinnedLaunch.h"

#include "source/Render.h"
#include "source/Unit.h"
#include "support/Demangle.h"
#include "tune/GridDependence.h"

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace heddle::tune {
namespace {

using Form = source::Launch::Form;

std::string shapeText(const std::array<uint32_t, 3> &shape) {
  return shape[1] == 1 && shape[2] == 1 ? std::to_string(shape[0])
                                        : fmt::format("dim3({}, {}, {})", shape[0], shape[1], shape[2]);
}

/// The expression for dynamic shared memory; null where the launch leaves it out.
const clang::Expr *sharedBytesOf(const source::Launch &launch) {
  const clang::Expr *given = nullptr;
  if (auto *call = llvm::dyn_cast<clang::CUDAKernelCallExpr>(launch.call)) {
    if (call->getConfig()->getNumArgs() > 2)
      given = call->getConfig()->getArg(2);
  } else if (launch.call->getNumArgs() > 4) {
    given = launch.call->getArg(4); // cudaLaunchKernel(function, grid, block, arguments, bytes, stream)
  }
  return given && !llvm::isa<clang::CXXDefaultArgExpr>(given) ? given : nullptr;
}

/// Forms whose launch is a shape and nothing else that the host does.
bool isPlain(Form form) {
  return form == Form::TripleChevron || form == Form::LaunchKernel || form == Form::LaunchCooperative;
}

std::array<uint32_t, 3> numbersOf(const source::LaunchShape &shape) {
  return {uint32_t(*shape.xyz[0].value), uint32_t(*shape.xyz[1].value), uint32_t(*shape.xyz[2].value)};
}

std::vector<const source::Launch *> launchesByName(const source::Program &program,
                                                   const std::string &kernel) {
  std::vector<const source::Launch *> launches;
  for (const source::Launch &launch : program.launches())
    if (launch.kernel && isSameFunction(launch.kernel->mangledName, kernel))
      launches.push_back(&launch);
  return launches;
}

/// The grid or the block of these launches; nothing where it is not known, or not the same.
std::optional<std::array<uint32_t, 3>> commonShape(const std::vector<const source::Launch *> &launches,
                                                   source::LaunchShape source::Launch::*shape) {
  std::optional<std::array<uint32_t, 3>> common;
  for (const source::Launch *launch : launches) {
    const source::LaunchShape &own = launch->*shape;
    if (!own.isKnown() || (common && *common != numbersOf(own)))
      return std::nullopt;
    common = numbersOf(own);
  }
  return common;
}

/// "scale.cu:20".
std::string placeText(const SourceLocation &location) {
  return fmt::format("{}:{}", std::filesystem::path(location.file).filename().string(), location.line);
}

/// `place`: of the launch in the program as it was given; empty where this is that program.
std::string formsReason(const source::Launch &launch, const std::string &place) {
  const std::string where = place.empty() ? placeText(launch.location) : place;
  switch (launch.form) {
  case Form::Delegated:
  case Form::Regrouped:
    return fmt::format("its launch at {} does more on the host than launch the kernel", where);
  case Form::LaunchKernelEx:
    return fmt::format("the launch at {} takes its shape from a cudaLaunchConfig_t", where);
  case Form::TripleChevron:
  case Form::LaunchKernel:
  case Form::LaunchCooperative: break;
  }
  return {};
}

} // namespace

std::variant<std::string, NotReplayed> withPinnedLaunch(const source::Program &program,
                                                        const ReplayLaunch &launch) {
  const source::Kernel *kernel = nullptr;
  for (const auto &each : program.kernels())
    if (isSameFunction(each->mangledName, launch.kernel))
      kernel = each.get();
  if (!kernel)
    return NotReplayed{"the captured kernel is not in this file", {}};
  source::Edits edits;
  std::set<unsigned> seen; // launches in a template are there once for each instantiation
  for (const source::Launch &each : program.launches()) {
    if (!each.kernel || each.kernel->plainName != kernel->plainName)
      continue;
    if (!isPlain(each.form))
      return NotReplayed{formsReason(each, ""), {}};
    if (!seen.insert(each.call->getBeginLoc().getRawEncoding()).second)
      continue;
    edits.replace(*each.unit, each.grid.expr->getSourceRange(), shapeText(launch.grid));
    edits.replace(*each.unit, each.block.expr->getSourceRange(), shapeText(launch.block));
    if (const clang::Expr *bytes = sharedBytesOf(each))
      edits.replace(*each.unit, bytes->getSourceRange(), std::to_string(launch.sharedBytes));
  }
  if (seen.empty())
    return NotReplayed{"nothing in this file launches the captured kernel", {}};
  auto changed = edits.apply();
  if (auto *refusal = std::get_if<Diagnostic>(&changed))
    return NotReplayed{refusal->text, {}};
  auto &files = std::get<std::map<std::filesystem::path, std::string>>(changed);
  if (files.size() != 1)
    return NotReplayed{"launches of the captured kernel are in several files", {}};
  if (files.begin()->first != program.file())
    return NotReplayed{"launches of the captured kernel are in an included file", files.begin()->first};
  return files.begin()->second;
}

std::variant<ReplayLaunch, NotReplayed> launchIn(const source::Program &program, const CapturedName &name,
                                                 const ReplayLaunch &captured) {
  std::map<std::string, ReplayLaunch> all, meant; // by mangled name
  for (const source::Launch &each : program.launches()) {
    if (!each.kernel || each.kernel->plainName != name.plain)
      continue;
    if (!isPlain(each.form))
      return NotReplayed{formsReason(each, name.launch), {}};
    if (!each.grid.isKnown() || !each.block.isKnown() || !each.dynamicSharedBytes.value)
      return NotReplayed{fmt::format("the shape of the launch at {} is not known before it is run",
                                     name.launch.empty() ? placeText(each.location) : name.launch),
                         {}};
    const std::string &mangled = each.kernel->mangledName;
    ReplayLaunch launch{mangled, numbersOf(each.grid), numbersOf(each.block),
                        uint64_t(*each.dynamicSharedBytes.value), each.form == Form::LaunchCooperative};
    if (isSameFunction(mangled, captured.kernel))
      return launch;
    if (each.kernel->name == name.whole)
      meant.emplace(mangled, launch);
    all.emplace(mangled, std::move(launch));
  }
  if (all.empty())
    return NotReplayed{"nothing in this file launches the captured kernel any more", {}};
  // A directive that adds a parameter changes mangled names; template arguments are still those that were captured.
  const std::map<std::string, ReplayLaunch> &possible = meant.empty() ? all : meant;
  if (possible.size() > 1)
    return NotReplayed{
        fmt::format("it is not known which of the kernels that are called '{}' now is the captured one",
                    name.whole),
        {}};
  return possible.begin()->second;
}

std::string nameInModule(const std::string &mangled, std::string_view ptx) {
  constexpr std::string_view keyword = ".entry ";
  for (size_t at = ptx.find(keyword); at != ptx.npos; at = ptx.find(keyword, at + 1)) {
    const std::string_view rest = ptx.substr(at + keyword.size());
    if (std::string name(rest.substr(0, rest.find_first_of("( \t\r\n"))); isSameFunction(name, mangled))
      return name;
  }
  return mangled;
}

std::string firstLaunchOf(const source::Program &program, const std::string &mangled) {
  const std::vector<const source::Launch *> launches = launchesByName(program, mangled);
  return launches.empty() ? "" : placeText(launches.front()->location);
}

std::variant<ReplayLaunch, NotReplayed> withBlockSizes(const source::Program &program, ReplayLaunch launch,
                                                       const std::string &sizes) {
  if (sizes.empty())
    return launch;
  const std::vector<const source::Launch *> launches = launchesByName(program, launch.kernel);
  std::array<uint32_t, 3> block = launch.block;
  std::set<std::string> constants;
  std::istringstream words(sizes);
  for (std::string word; words >> word;)
    if (const size_t axis = size_t(word[0] - 'x'); axis < block.size()) {
      std::from_chars(word.data() + 2, word.data() + word.size(), block[axis]);
      for (const source::Launch *each : launches)
        constants.insert(each->block.xyz[axis].text);
    }
  block = commonShape(launches, &source::Launch::block).value_or(block);
  std::set<Dependence> dependences;
  for (const source::Launch *each : launches)
    dependences.insert(gridDependence(*each, constants));
  if (dependences.contains(Dependence::Unknown) || dependences.size() > 1)
    return NotReplayed{fmt::format("whether the grid of the launch at {} follows from its block is not known",
                                   placeText(launches.front()->location)),
                       {}};
  const bool follows = !dependences.contains(Dependence::No);
  const auto grid = follows ? commonShape(launches, &source::Launch::grid) : launch.grid;
  for (size_t axis = 0; axis < block.size(); ++axis) {
    if (block[axis] == 0)
      continue;
    const uint64_t threads = uint64_t(launch.grid[axis]) * launch.block[axis];
    launch.grid[axis] = grid ? (*grid)[axis] : uint32_t((threads + block[axis] - 1) / block[axis]);
    launch.block[axis] = block[axis];
  }
  return launch;
}

std::variant<ReplayLaunch, NotReplayed> withDefinitions(const source::Program &program, ReplayLaunch launch,
                                                        const std::set<std::string> &names) {
  const std::vector<const source::Launch *> launches = launchesByName(program, launch.kernel);
  const auto dependsOnThem = [&](const source::Launch &each, const clang::Expr *expression) {
    source::Launch asked = each;
    asked.grid.expr = expression;
    return expression && gridDependence(asked, names) == Dependence::Yes;
  };
  bool block = false, grid = false, bytes = false;
  for (const source::Launch *each : launches) {
    block |= dependsOnThem(*each, each->block.expr);
    grid |= dependsOnThem(*each, each->grid.expr);
    bytes |= dependsOnThem(*each, sharedBytesOf(*each));
  }
  const auto newBlock = commonShape(launches, &source::Launch::block);
  const auto newGrid = commonShape(launches, &source::Launch::grid);
  const auto newBytes =
      launches.size() == 1 ? launches.front()->dynamicSharedBytes.value : std::optional<int64_t>();
  if ((block && !newBlock) || (grid && !newGrid) || (bytes && !newBytes))
    return NotReplayed{
        fmt::format("the launch at {} depends on a definition that is varied, and its shape is "
                    "not known before it is run",
                    placeText(launches.front()->location)),
        {}};
  if (block)
    launch.block = *newBlock;
  if (grid)
    launch.grid = *newGrid;
  if (bytes)
    launch.sharedBytes = uint64_t(*newBytes);
  return launch;
}

} // namespace heddle::tune
