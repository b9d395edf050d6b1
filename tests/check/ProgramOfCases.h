// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many kernels of this folder as one program, whose argument names the one to run: a compiler takes much longer to read
// CUDA's headers than to compile a case.
#pragma once

#include "build/Program.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::check::test {

/// "mbarrier-phase.bad.cu" as an identifier.
inline std::string nameOfCase(const std::filesystem::path &file) {
  std::string name = file.stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

/// The lines `#include <...>` of all files, each once.
inline std::set<std::string> headersOfCases(const std::vector<std::filesystem::path> &files) {
  std::set<std::string> headers;
  for (const std::filesystem::path &file : files) {
    std::istringstream lines(contentsOf(file));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("#include <"))
        headers.insert(line);
  }
  return headers;
}

/// Each file in a namespace of its own, in which its `main` is a function like any other. Headers have been read before the
/// first of them, and macros end with their file.
inline std::string textOfCases(const std::vector<std::filesystem::path> &files) {
  std::string text = "#include <cstdlib>\n#include <cstring>\n";
  for (const std::string &header : headersOfCases(files))
    text += header + "\n";
  std::string choice;
  for (const std::filesystem::path &file : files) {
    if (choice.empty())
      text += fmt::format("#include \"{}\"\n", (file.parent_path() / "Case.h").string());
    const std::string name = nameOfCase(file);
    text += fmt::format("namespace {} {{\n#include \"{}\"\n}}\n", name, file.string());
    choice += fmt::format("  if (!std::strcmp(words[1], \"{0}\"))\n    return {0}::main();\n", name);
    std::istringstream lines(contentsOf(file));
    for (std::string line; std::getline(lines, line);)
      if (std::istringstream words(line); line.starts_with("#define "))
        if (std::string define, macro; words >> define >> macro)
          text += fmt::format("#undef {}\n", macro.substr(0, macro.find('(')));
  }
  return text + "int main(int, char **words) {\n" + choice + "  std::abort();\n}\n";
}

class ProgramOfCases {
public:
  ProgramOfCases(const std::vector<std::filesystem::path> &files, build::ProgramOptions options)
      : program(withText(std::move(options), textOfCases(files)), diagnostics) {}

  bool ok() const { return program.ok(); }
  const std::string &messages() const { return program.messages(); }

  void run(const std::filesystem::path &file, const std::vector<std::string> &environment) const {
    program.run({nameOfCase(file)}, environment, build::Output::Captured);
  }

private:
  build::ProgramOptions withText(build::ProgramOptions options, const std::string &text) const {
    const std::filesystem::path file = folder.path() / "cases.cu";
    std::ofstream(file) << text;
    options.sources.files = {file};
    return options;
  }

  TemporaryFolder folder;
  Diagnostics diagnostics;
  build::Program program;
};

} // namespace heddle::check::test
