// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/RuntimeHeaders.h"

#include "source/EmbeddedHeaders.h"
#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/Paths.h"
#include "transform/Lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

bool isOurs(const IncludeLine &include) { return !include.quoted && include.name.starts_with("heddle/"); }

/// Calls `change` with each line that includes a header of ours; what it returns takes the place of the line.
template <class Change> std::string withChangedIncludes(std::string_view text, const Change &change) {
  return withLines(text, [&](std::string_view line) {
    const IncludeLine include = includeIn(line);
    return isOurs(include) ? change(include.name) : std::string(line);
  });
}

std::string textOfRuntimeHeader(const std::string &name) {
  const auto text = readFile(dataFolder("runtime") / name);
  if (const auto *failure = std::get_if<FileFailure>(&text))
    throw FileError(*failure);
  return std::get<std::string>(text);
}

void addHeaders(std::string_view text, std::vector<std::string> &names) {
  withChangedIncludes(text, [&](const std::string &name) {
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
      addHeaders(textOfRuntimeHeader(name), names);
    }
    return std::string();
  });
}

std::string embedded(std::string_view text, std::vector<std::string> &known) {
  return withChangedIncludes(text, [&](const std::string &name) {
    if (std::ranges::find(known, name) != known.end())
      return fmt::format("// {} is above", name);
    known.push_back(name);
    std::string header = embedded(textOfRuntimeHeader(name), known);
    while (header.ends_with('\n'))
      header.pop_back();
    return source::beginOfEmbedded(name) + "\n" + header + "\n" + source::endOfEmbedded(name);
  });
}

} // namespace

std::vector<std::string> runtimeHeadersOf(std::string_view text) {
  std::vector<std::string> names;
  addHeaders(text, names);
  return names;
}

std::string withEmbeddedHeaders(std::string_view text) {
  std::vector<std::string> known;
  return embedded(text, known);
}

std::string withHeadersBeside(std::string_view text) {
  return withChangedIncludes(text,
                             [](const std::string &name) { return fmt::format("#include \"{}\"", name); });
}

std::string copiedHeader(const std::string &name) {
  const fs::path folder = fs::path(name).parent_path();
  return "#pragma GCC system_header\n" +
         withChangedIncludes(textOfRuntimeHeader(name), [&](const std::string &included) {
           return fmt::format("#include \"{}\"",
                              fs::path(included).lexically_relative(folder).generic_string());
         });
}

} // namespace heddle::transform
