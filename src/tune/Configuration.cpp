// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace heddle::tune {

namespace {

/// As a file of directives has it (docs/nvcc.md).
std::string ofKernel(const std::string &kernel) { return kernel.empty() ? "" : kernel + ": "; }

/// "-maxrregcount=64" and "-maxrregcount=32" say the same thing about the same option.
std::string optionOf(const std::string &word) { return word.substr(0, word.find('=')); }

void addWhatIsNew(std::vector<std::string> &words, const std::vector<std::string> &more) {
  const std::vector<std::string> before = words;
  for (const std::string &word : more)
    if (std::ranges::find(before, optionOf(word), optionOf) == before.end())
      words.push_back(word);
}

} // namespace

bool Configuration::isBaseline() const {
  return directives.empty() && blocks.empty() && defines.empty() && flags.empty() && options.empty();
}

std::vector<std::string> Configuration::compilerFlags() const {
  std::vector<std::string> all;
  for (const std::string &define : defines)
    all.push_back("-D" + define);
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

std::string Configuration::str() const {
  if (isBaseline())
    return "baseline";
  std::vector<std::string> parts;
  for (const BlockSizes &block : blocks)
    parts.push_back(ofKernel(block.kernel) + "block " + block.sizes);
  for (const transform::Directive &directive : directives)
    parts.push_back(ofKernel(directive.kernel) + directive.str());
  if (std::vector<std::string> words = compilerFlags(); !words.empty())
    parts.push_back(fmt::format("{}", fmt::join(words, " ")));
  if (!options.empty())
    parts.push_back(fmt::format("{}", fmt::join(options, " ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Configuration together(Configuration first, const Configuration &second) {
  first.blocks.insert(first.blocks.end(), second.blocks.begin(), second.blocks.end());
  first.directives.insert(first.directives.end(), second.directives.begin(), second.directives.end());
  addWhatIsNew(first.defines, second.defines);
  addWhatIsNew(first.flags, second.flags);
  addWhatIsNew(first.options, second.options);
  return first;
}

std::string digestOf(const std::vector<std::string> &texts) {
  // FNV-1a: results of one machine are read on another, so nothing that a library may change will do. Lengths
  // keep {"ab", "c"} and {"a", "bc"} apart.
  uint64_t hash = 0xcbf29ce484222325u;
  auto add = [&](std::string_view bytes) {
    for (char byte : bytes)
      hash = (hash ^ uint8_t(byte)) * 0x100000001b3u;
  };
  for (const std::string &text : texts) {
    add(fmt::format("{}:", text.size()));
    add(text);
  }
  return fmt::format("{:016x}", hash);
}

} // namespace heddle::tune
