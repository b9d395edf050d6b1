// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

namespace heddle::tune {

bool Configuration::isBaseline() const {
  return directives.empty() && block.empty() && defines.empty() && flags.empty() && options.empty();
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
  if (!block.empty())
    parts.push_back("block " + block);
  for (const transform::Directive &directive : directives)
    parts.push_back(directive.str());
  if (std::vector<std::string> words = compilerFlags(); !words.empty())
    parts.push_back(fmt::format("{}", fmt::join(words, " ")));
  if (!options.empty())
    parts.push_back(fmt::format("{}", fmt::join(options, " ")));
  return fmt::format("{}", fmt::join(parts, "; "));
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
