// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Problem.h"

#include "support/Files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

/// Results kept by a Heddle that made other candidates of the same configuration are not ours to use.
constexpr const char *formatVersion = "heddle.tune/1";

/// Folders that -I names.
std::vector<fs::path> includeFolders(const std::vector<std::string> &flags) {
  std::vector<fs::path> folders;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == "-I" && i + 1 < flags.size())
      folders.emplace_back(flags[++i]);
    else if (flags[i].starts_with("-I"))
      folders.emplace_back(flags[i].substr(2));
  return folders;
}

/// The user's own files that a text includes, as far as #include "..." shows; files of the toolkit are the
/// compiler's business.
class Included {
public:
  explicit Included(const std::vector<std::string> &flags) : folders(includeFolders(flags)) {}

  void follow(const fs::path &file, const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (std::string name = quotedName(line); !name.empty())
        add(file.parent_path(), name);
  }

  std::vector<std::string> texts; ///< in the order they are met

private:
  static std::string quotedName(const std::string &line) {
    size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#' || line.find("include", at) == std::string::npos)
      return {};
    size_t begin = line.find('"', at), end = line.find('"', begin + 1);
    return begin == std::string::npos || end == std::string::npos ? std::string()
                                                                  : line.substr(begin + 1, end - begin - 1);
  }

  void add(const fs::path &beside, const std::string &name) {
    std::vector<fs::path> places = {beside};
    places.insert(places.end(), folders.begin(), folders.end());
    std::error_code ignored;
    for (const fs::path &place : places) {
      const fs::path file = place / name;
      if (!fs::is_regular_file(file, ignored))
        continue;
      if (seen.insert(fs::weakly_canonical(file, ignored).string()).second) {
        texts.push_back(contentsOf(file));
        follow(file, texts.back());
      }
      return;
    }
  }

  std::vector<fs::path> folders;
  std::set<std::string> seen;
};

} // namespace

const std::string &Problem::digest() const {
  if (!known.empty())
    return known;
  std::vector<std::string> all = {formatVersion, text, arch, kernel};
  for (const std::vector<std::string> &words : {flags, arguments}) {
    all.push_back(fmt::format("{} words", words.size()));
    all.insert(all.end(), words.begin(), words.end());
  }
  if (!tolerance.isExact()) // what is wrong without one may be right with it
    all.push_back(verify::textOf(tolerance));
  for (const std::string &assumption : assumptions) // what is refused without one may be done with it
    all.push_back("--assume " + assumption);
  std::vector<std::string> searched;
  for (const auto &[each, own] : ownFlags) {
    all.push_back("flags of " + each.filename().string());
    all.insert(all.end(), own.begin(), own.end());
    searched.insert(searched.end(), own.begin(), own.end());
  }
  searched.insert(searched.end(), flags.begin(), flags.end());
  Included included(searched);
  included.follow(file, text);
  for (const fs::path &each : further) {
    all.push_back(contentsOf(each));
    included.follow(each, all.back());
  }
  all.insert(all.end(), included.texts.begin(), included.texts.end());
  return known = digestOf(all);
}

std::vector<std::string> Problem::tunedFlags(build::Compiler which) const {
  return build::Sources{{}, flags, ownFlags}.flagsOf(file, which);
}

fs::path Problem::fileWithOtherFlags() const {
  const build::Sources sources{further, flags, ownFlags};
  const auto differs = [&](const fs::path &each) {
    return sources.flagsOf(each, build::Compiler::Nvcc) != sources.flagsOf(file, build::Compiler::Nvcc);
  };
  const auto found = std::ranges::find_if(further, differs);
  return found == further.end() ? fs::path() : *found;
}

std::string Problem::idOf(const Configuration &configuration) const {
  return digestOf({digest(), configuration.str()});
}

std::string whyOneCommandIsWrong(const Problem &problem, const fs::path &other) {
  return fmt::format(
      "one command compiles all files for the GPU, and compile_commands.json has other flags for '{}' "
      "than for '{}'",
      other.string(), problem.file.string());
}

} // namespace heddle::tune
