// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/SourceTree.h"

#include "build/Build.h"
#include "support/Files.h"
#include "support/IncludeLine.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

/// So many ".." lead out of a root before they lead out of its tree.
constexpr const char *kAbove = "up/up/up/up";

/// Flags whose value is a folder of headers.
constexpr const char *kFolderFlags[] = {"-I", "-isystem", "-iquote"};

fs::path whole(const fs::path &path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

} // namespace

SourceTree::SourceTree(const Problem &problem, fs::path where) : problem(problem), folder(std::move(where)) {
  const Root &own = rootOf(whole(problem.file).parent_path());
  const std::string ownFolder = own.to;
  // The compiler that is called there gets its architecture from the manifest.
  const std::vector<std::string> flags =
      build::errorsInNvccsWords(build::withoutArchFlags(problem.tunedFlags(build::Compiler::Nvcc)));
  for (size_t i = 0; i < flags.size(); ++i) {
    bool isFolder = false;
    for (const std::string flag : kFolderFlags)
      if (flags[i] == flag && i + 1 < flags.size() && !isFolder) {
        isFolder = true;
        newFlags.push_back(flag);
        newFlags.push_back(rootOf(flags[++i]).to);
      } else if (flags[i].starts_with(flag) && flags[i] != flag && !isFolder) {
        isFolder = true;
        newFlags.push_back(flag + rootOf(flags[i].substr(flag.size())).to);
      }
    if (!isFolder)
      newFlags.push_back(flags[i]);
  }
  newFlags.push_back("-I" + ownFolder);
}

const SourceTree::Root &SourceTree::rootOf(const fs::path &userFolder) {
  const fs::path from = whole(userFolder / "").parent_path();
  for (const Root &root : roots)
    if (root.from == from)
      return root;
  roots.push_back({from, fmt::format("tree{}/{}", roots.size(), kAbove)});
  return roots.back();
}

bool SourceTree::copy(const fs::path &file, const Root &root, std::string &target) {
  const fs::path relative =
      (fs::path(root.to) / whole(file).lexically_relative(root.from)).lexically_normal();
  target = relative.string();
  if (*relative.begin() != *fs::path(root.to).begin()) {
    problemWithFiles = fmt::format("'{}' lies too far above the program's own folder", file.string());
    return false;
  }
  std::error_code failure;
  fs::create_directories((folder / relative).parent_path(), failure);
  fs::copy_file(file, folder / relative, fs::copy_options::overwrite_existing, failure);
  if (failure)
    problemWithFiles = fmt::format("'{}' cannot be copied: {}", file.string(), failure.message());
  return !failure;
}

bool SourceTree::find(const std::string &name, bool quoted, const Root &root, const fs::path &beside) {
  std::vector<std::pair<fs::path, Root>> places;
  if (quoted)
    places.emplace_back(beside, root);
  for (size_t i = 1; i < roots.size(); ++i)
    places.emplace_back(roots[i].from, roots[i]);
  if (quoted)
    places.emplace_back(roots[0].from, roots[0]);
  std::error_code ignored;
  for (const auto &[place, whose] : places) {
    const fs::path file = place / name;
    if (!fs::is_regular_file(file, ignored))
      continue;
    std::string target;
    if (!seen.insert(whose.to + ":" + whole(file).string()).second)
      return true;
    return copy(file, whose, target) && follow(contentsOf(file), whose, whole(file).parent_path());
  }
  return true; // the toolkit's, or Heddle's: the compiler's business
}

bool SourceTree::follow(const std::string &text, const Root &root, const fs::path &beside) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (IncludeLine include = includeIn(line); !include.name.empty())
      if (!find(include.name, include.quoted, root, beside))
        return false;
  return true;
}

bool SourceTree::addIncludesOf(const std::string &text) {
  const Root own = roots.front();
  return follow(text, own, own.from);
}

bool SourceTree::addFurther() {
  const Root own = roots.front();
  for (const fs::path &file : problem.further) {
    std::string target;
    if (!copy(file, own, target) || !follow(contentsOf(file), own, whole(file).parent_path()))
      return false;
    newFurther.push_back(target);
  }
  return true;
}

} // namespace heddle::tune
