// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Placement.h"

#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace heddle::tune {
namespace {

using transform::Subject;

/// A loop that a directive means without naming its line may be any of these many.
constexpr size_t mostTries = 12;

/// Lines of a text, from 1, and what is put before them.
struct Insertions {
  std::map<unsigned, std::vector<std::string>> before;

  std::string into(const std::string &text) const {
    std::string made;
    unsigned line = 1;
    for (size_t begin = 0; begin < text.size(); ++line) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      if (auto found = before.find(line); found != before.end())
        for (const std::string &pragma : found->second)
          made += indentOf(text.substr(begin, end - begin)) + pragma + "\n";
      made += text.substr(begin, end - begin);
      begin = end;
    }
    return made;
  }

private:
  static std::string indentOf(const std::string &line) {
    return line.substr(0, line.find_first_not_of(" \t"));
  }
};

std::string withoutLineSetting(transform::Directive directive) {
  std::erase_if(directive.settings, [](const transform::Setting &setting) { return setting.key == "line"; });
  return directive.str();
}

/// Lines inside kernels on which a loop or a branch may begin.
std::vector<unsigned> statementLines(const std::string &text, const std::set<KernelLines> &kernels) {
  std::vector<unsigned> found;
  unsigned line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string words = text.substr(begin, end - begin);
    const size_t at = words.find_first_not_of(" \t");
    const bool begins =
        at != std::string::npos && (words.starts_with("for") || words.substr(at).starts_with("for") ||
                                    words.substr(at).starts_with("while") ||
                                    words.substr(at).starts_with("do") || words.substr(at).starts_with("if"));
    for (const KernelLines &kernel : kernels)
      if (begins && line > kernel.first && line <= kernel.last)
        found.push_back(line);
    begin = end + 1;
  }
  return found;
}

std::set<KernelLines> kernelsNamed(const std::string &name, std::set<KernelLines> kernels) {
  std::erase_if(kernels, [&](const KernelLines &kernel) { return !name.empty() && kernel.name != name; });
  return kernels;
}

/// Every way to place the pragmas that is worth a try.
std::vector<Insertions> ways(const std::string &text, const Configuration &configuration,
                             const std::set<KernelLines> &kernels) {
  std::map<std::string, std::vector<std::string>> forKernels; // by kernel; empty: for all
  std::vector<Insertions> all(1);
  for (const transform::Directive &directive : configuration.directives) {
    if (directive.subject == Subject::Kernel) {
      forKernels[directive.kernel].push_back(directive.str());
      continue;
    }
    const unsigned line = unsigned(directive.number("line"));
    const std::vector<unsigned> lines =
        line ? std::vector{line} : statementLines(text, kernelsNamed(directive.kernel, kernels));
    std::vector<Insertions> further;
    for (const Insertions &way : all)
      for (unsigned at : lines)
        if (further.size() < mostTries) {
          further.push_back(way);
          further.back().before[at].push_back("#pragma heddle " + withoutLineSetting(directive));
        }
    all = further;
  }
  for (const auto &[name, directives] : forKernels)
    for (Insertions &way : all)
      for (const KernelLines &kernel : kernels)
        if (name.empty() || kernel.name == name)
          way.before[kernel.first].push_back(fmt::format("#pragma heddle {}", fmt::join(directives, "; ")));
  return all;
}

} // namespace

std::set<KernelLines> kernelsMeant(const source::Program &program, const std::string &wanted) {
  std::set<KernelLines> lines;
  for (const auto &kernel : program.kernels()) {
    const clang::SourceManager &sources = kernel->unit->sources();
    const clang::SourceLocation start = sources.getExpansionLoc(kernel->function->getOuterLocStart());
    const bool isMeant = wanted.empty() || kernel->plainName == wanted || kernel->name == wanted;
    if (isMeant && sources.isWrittenInMainFile(start))
      lines.insert({sources.getExpansionLineNumber(start),
                    sources.getExpansionLineNumber(kernel->function->getEndLoc()), kernel->plainName});
  }
  return lines;
}

bool speaksOfKernelsOnly(const Configuration &configuration) {
  return std::ranges::all_of(configuration.directives, [](const transform::Directive &directive) {
    return directive.subject == Subject::Kernel;
  });
}

std::vector<std::string> placements(const std::string &text, const Configuration &configuration,
                                    const std::set<KernelLines> &kernels) {
  std::vector<std::string> texts;
  for (const Insertions &way : ways(text, configuration, kernels))
    texts.push_back(way.into(text));
  return texts;
}

} // namespace heddle::tune
