// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramLayout.h"

#include "transform/MovedIncludes.h"

namespace heddle::cli {

namespace fs = std::filesystem;

ProgramLayout::ProgramLayout(const transform::ProgramOutcome &outcome, fs::path folder)
    : outcome(outcome), folder(std::move(folder)) {
  std::vector<fs::path> files;
  for (const transform::ProgramOutcome::File &file : outcome.files) {
    files.push_back(file.file);
    written.insert(source::canonicalPath(file.file));
  }
  base = transform::commonFolder(files);
}

fs::path ProgramLayout::pathOf(const fs::path &original) const {
  return folder / source::canonicalPath(original).lexically_relative(base);
}

std::string ProgramLayout::placed(const transform::ProgramOutcome::File &file, Others others) const {
  const fs::path original = source::canonicalPath(file.file);
  const fs::path to = source::canonicalPath(pathOf(file.file)).parent_path();
  const auto found = outcome.inclusions.find(original);
  const auto ofChanged = [&](std::string_view line) -> std::optional<std::string> {
    const std::string name = source::includedIn(line);
    if (name.empty() || found == outcome.inclusions.end() || !found->second.contains(name))
      return std::nullopt;
    const fs::path &included = found->second.at(name);
    if (!written.contains(included))
      return std::nullopt;
    const std::string seen = source::canonicalPath(pathOf(included)).lexically_relative(to).generic_string();
    const size_t at = line.find(name);
    return std::string(line.substr(0, at)) + '"' + seen + '"' + std::string(line.substr(at + name.size()));
  };
  std::string result;
  for (std::string_view rest = file.text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1; // with its line end
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (std::optional<std::string> changed = ofChanged(line))
      result += *changed;
    else
      result += others == Others::Rewritten ? transform::withMovedIncludes(line, original.parent_path(), to)
                                            : std::string(line);
  }
  return result;
}

} // namespace heddle::cli
