// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant is found by its name in the launch and its definition in the text. That is less than a compiler
// would know, and enough: a candidate is run and compared before it may win, so a guess can only cost a run.
#include "tune/BlockSize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace heddle::tune {
namespace {

bool isName(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Where the number of a definition is in the text.
struct Literal {
  size_t at = 0, length = 0;
  int64_t value = 0;
  bool isVariable = false; ///< it may be assigned another value
};

/// `#define NAME 256`, `constexpr int NAME = 256;`, `static const unsigned NAME{256};` The number is the
/// first group.
std::vector<std::regex> definitionsOf(const std::string &name) {
  return {std::regex(
              fmt::format(R"(#[ \t]*define[ \t]+{}[ \t]+\(?[ \t]*([0-9]+)u?\)?[ \t]*(?:$|\n|/[/*]))", name)),
          std::regex(fmt::format(
              R"(\b(?:const|constexpr)\b[\w \t:]*\b{}[ \t]*(?:=|\{{)[ \t]*([0-9]+)[uU]?[ \t]*\}}?[ \t]*[;,])",
              name))};
}

/// `int NAME = 256;`, `unsigned NAME(256), ...`
std::regex variableOf(const std::string &name) {
  return std::regex(fmt::format(
      R"(\b(?:int|unsigned|auto|long|short|size_t|u?int(?:16|32|64)_t)[ \t]+{}[ \t]*(?:=|\{{|\()[ \t]*([0-9]+)[uU]?[ \t]*[\}})]?[ \t]*[;,])",
      name));
}

std::vector<Literal> matchesOf(const std::string &text, const std::regex &form, bool isVariable) {
  std::vector<Literal> found;
  for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match)
    found.push_back(
        {size_t(match->position(1)), size_t(match->length(1)), std::stoll((*match)[1]), isVariable});
  return found;
}

/// The definition of a name; nothing where there is none, or several that may each hold. Variables count where there is no constant.
std::optional<Literal> literalOf(const std::string &text, const std::string &name) {
  std::vector<Literal> found;
  for (const std::regex &form : definitionsOf(name))
    std::ranges::copy(matchesOf(text, form, false), std::back_inserter(found));
  if (found.empty())
    found = matchesOf(text, variableOf(name), true);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::vector<const source::Launch *> launchesOf(const source::Program &program, const std::string &kernel) {
  std::vector<const source::Launch *> launches;
  for (const source::Launch &launch : program.launches())
    if (kernel.empty() ||
        (launch.kernel && (launch.kernel->plainName == kernel || launch.kernel->name == kernel)))
      launches.push_back(&launch);
  return launches;
}

std::string nameOf(const source::Launch *launch) {
  return launch->kernel ? launch->kernel->plainName : launch->kernelName;
}

/// Whether the text has a definition of the name at all, whatever its value.
bool hasDefinition(const std::string &text, const std::string &name) {
  return std::regex_search(
      text, std::regex(fmt::format(R"(#[ \t]*define[ \t]+{0}\b|\w[ \t]+{0}[ \t]*[=({{;,)])", name)));
}

const char *const axisNames[] = {"x", "y", "z"};

} // namespace

std::variant<BlockConstant, NoBlock> blockConstant(const source::Program &program, const std::string &text,
                                                   const std::string &kernel, size_t axis) {
  BlockConstant constant;
  std::vector<const source::Launch *> launches = launchesOf(program, kernel);
  if (launches.empty())
    return NoBlock{"block: nothing in this file launches it"};
  const bool isOneKernel = std::ranges::all_of(
      launches, [&](const source::Launch *launch) { return nameOf(launch) == nameOf(launches.front()); });
  for (const source::Launch *launch : launches) {
    const source::LaunchNumber &number = launch->block.xyz[axis];
    if (!isName(number.text))
      return NoBlock{
          fmt::format("block needs a named constant (#define or constexpr) for the block size; the launch in "
                      "line {} has '{}' in {}",
                      launch->location.line, number.text, axisNames[axis])};
    if (!constant.name.empty() && constant.name != number.text)
      return NoBlock{fmt::format("block: launches{} take their {} from '{}' and from '{}'{}",
                                 isOneKernel ? fmt::format(" of '{}'", nameOf(launches.front())) : "",
                                 axisNames[axis], constant.name, number.text,
                                 isOneKernel ? ", and only one constant can be varied"
                                             : "; -k states which kernel is meant")};
    constant.name = number.text;
  }
  std::optional<Literal> literal = literalOf(text, constant.name);
  for (const source::Launch *launch : launches) {
    const source::LaunchNumber &number = launch->block.xyz[axis];
    // Of a variable that is assigned elsewhere, too, another initial value may change nothing: it must be what the launch gets.
    const bool isWhatIsLaunched = literal && (!literal->isVariable || number.value == literal->value);
    if (!literal && !hasDefinition(text, constant.name))
      return NoBlock{fmt::format(
          "block: '{}', which sizes the block of the launch in line {}, is not defined in {}; only "
          "constants of that file can be changed, not those of headers or -D",
          constant.name, launch->location.line,
          std::filesystem::path(launch->location.file).filename().string())};
    if (!isWhatIsLaunched)
      return NoBlock{fmt::format("block: '{}', which sizes the block of the launch in line {}, is not "
                                 "defined once in this file as a plain number{}; "
                                 "a constant (#define or constexpr) in its place can be changed",
                                 constant.name, launch->location.line,
                                 number.whyUnknown.empty() ? "" : fmt::format(" ({})", number.whyUnknown))};
  }
  constant.value = literal->value;
  return constant;
}

int64_t threadsWith(const source::Program &program, const std::string &kernel, const std::string &constant,
                    int64_t value) {
  int64_t most = 0;
  for (const source::Launch *launch : launchesOf(program, kernel)) {
    int64_t threads = 1;
    for (const source::LaunchNumber &number : launch->block.xyz)
      threads *= number.text == constant ? value : number.value.value_or(1);
    most = std::max(most, threads);
  }
  return most;
}

std::variant<std::string, NoBlock> withBlocks(const source::Program &program, const std::string &text,
                                              const std::string &kernel,
                                              const std::vector<BlockSizes> &blocks) {
  std::string changed = text;
  std::set<std::string> done; // constants; one may size the blocks of several kernels
  for (const BlockSizes &block : blocks) {
    std::istringstream settings(block.sizes);
    for (std::string setting; settings >> setting;) {
      const size_t axis = size_t(setting[0] - 'x');
      auto constant = blockConstant(program, text, block.kernel.empty() ? kernel : block.kernel, axis);
      if (auto *none = std::get_if<NoBlock>(&constant))
        return *none;
      const std::string &name = std::get<BlockConstant>(constant).name;
      if (!done.insert(name).second)
        continue;
      std::optional<Literal> literal = literalOf(changed, name);
      changed.replace(literal->at, literal->length, setting.substr(setting.find('=') + 1));
    }
  }
  return changed;
}

} // namespace heddle::tune
