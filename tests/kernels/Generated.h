// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles generated text and runs it: natively, or as a CUDA program on the simulator.
#pragma once

#include "build/Program.h"
#include "kernels/Emitted.h"
#include "support/CudaToolkit.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace heddle::kernels::test {

inline void write(const std::filesystem::path &folder, const SourceFile &file) {
  std::ofstream(folder / file.name) << file.text;
}

/// Compilers for the host that are there.
inline std::vector<std::string> hostCompilers() {
  std::vector<std::string> found;
  for (const char *name : {"clang++-22", "clang++", "g++"})
    if (findProgram(name) && !(name == std::string("clang++") && findProgram("clang++-22")))
      found.push_back(name);
  return found;
}

/// Compilers for the device that are there.
inline std::vector<build::Compiler> deviceCompilers() {
  if (findNvcc())
    return {build::Compiler::Clang, build::Compiler::Nvcc};
  return {build::Compiler::Clang};
}

inline std::string textOf(const std::filesystem::path &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

inline bool hasMain(const std::filesystem::path &file) {
  return textOf(file).find("\nint main(") != std::string::npos;
}

/// Files of a folder as one, since compilers take most of the time for the headers that each of them includes. Every file is in a
/// namespace of its own with everything that it includes, the one with main after the others. `first`: what CUDA needs.
inline std::string joined(const std::filesystem::path &folder, const std::vector<std::string> &files,
                          const std::string &first = "") {
  std::string system = first, guards, parts, last;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const bool isOfTarget =
          line.starts_with("#include <arm_") || (first.empty() && line.starts_with("#include <cuda"));
      if (line.starts_with("#include <") && !isOfTarget)
        system += line + "\n";
      if (line.starts_with("#ifndef HEDDLE_") && line.ends_with("_H"))
        guards += "#undef " + line.substr(8) + "\n";
    }
  }
  for (const std::string &file : files) {
    const std::string include = guards + "#include \"" + file + "\"\n";
    if (hasMain(folder / file))
      last += include;
    else
      parts += "namespace file" + std::to_string(parts.size()) + " {\n" + include + "}\n";
  }
  return system + parts + last;
}

enum class Sources { Joined, Apart };

/// False, and a test failure, where the program cannot be compiled. The file with main calls the functions that are tried, and takes longest to
/// optimize: Clang, whose warnings do not depend on that, compiles it without. The others are compiled as one (joined), or each by itself.
inline bool compileForHost(const std::string &compiler, const std::filesystem::path &folder,
                           const std::vector<std::string> &files, Sources how = Sources::Joined) {
  std::vector<std::string> common = {compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread"};
  if (compiler.starts_with("g++"))
    common.push_back("-Wno-psabi"); // vectors wider than the processor's as arguments: all is inlined
  const auto succeeds = [&](std::vector<std::string> further) {
    further.insert(further.begin(), common.begin(), common.end());
    ProcessResult compiled = runProcess(further);
    EXPECT_TRUE(compiled.succeeded()) << compiler << "\n" << compiled.standardError;
    return compiled.succeeded();
  };
  std::vector<std::string> linked = {"-O2", "-o", (folder / "program").string()}, others;
  for (const std::string &file : files) {
    if (files.size() > 1 && !hasMain(folder / file)) {
      others.push_back(file);
      continue;
    }
    linked.push_back((folder / file).string());
    if (!compiler.starts_with("clang++") || files.size() == 1)
      continue;
    linked.back() = (folder / "main.o").string();
    if (!succeeds({"-O0", "-c", "-o", linked.back(), (folder / file).string()}))
      return false;
  }
  if (how == Sources::Joined && others.size() > 1) {
    write(folder, {"joined.cpp", joined(folder, others)});
    others = {"joined.cpp"};
  }
  for (const std::string &file : others)
    linked.push_back((folder / file).string());
  return succeeds(linked);
}

/// What the program that compileForHost made printed; a test failure where it fails.
inline std::string runCompiled(const std::filesystem::path &folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), (folder / "program").string());
  ProcessResult run = runProcess(arguments, {}, 120);
  EXPECT_TRUE(run.succeeded()) << run.standardOutput << run.standardError;
  return run.standardOutput;
}

/// Both.
inline std::string runOnHost(const std::string &compiler, const std::filesystem::path &folder,
                             const std::vector<std::string> &files,
                             const std::vector<std::string> &arguments = {}, Sources how = Sources::Joined) {
  return compileForHost(compiler, folder, files, how) ? runCompiled(folder, arguments) : std::string();
}

inline std::string runOnSimulator(build::Compiler compiler, const std::filesystem::path &folder,
                                  const std::vector<std::string> &given,
                                  const std::vector<std::string> &arguments = {},
                                  const std::string &arch = "sm_90") {
  build::ProgramOptions options;
  std::vector<std::string> files = given;
  if (compiler == build::Compiler::Nvcc) {
    const auto others =
        std::ranges::stable_partition(files, [](const std::string &file) { return !file.ends_with(".cu"); });
    // Clang, which has CUDA's headers precompiled, is given each file by itself.
    write(folder,
          {"joined.cu", joined(folder, {others.begin(), others.end()}, "#include <cuda_runtime.h>\n")});
    files.erase(others.begin(), others.end());
    files.push_back("joined.cu");
  }
  for (const std::string &file : files)
    options.sources.files.push_back(folder / file);
  options.compiler = compiler;
  options.arch = arch;
  options.timeoutSeconds = 60;
  Diagnostics diagnostics;
  build::Program program(options, diagnostics);
  EXPECT_TRUE(program.ok()) << program.messages();
  if (!program.ok())
    return {};
  build::ProgramRun run = program.run(arguments, {}, build::Output::Captured);
  EXPECT_EQ(run.execution.exitCode, 0) << run.execution.standardOutput;
  return run.execution.standardOutput;
}

} // namespace heddle::kernels::test
