// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Toolchain.h"

#include "support/CudaToolkit.h"
#include "verify/Fusion.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::runner {
namespace {

constexpr const char *kNoNvcc =
    "nvcc is neither in the PATH nor in /usr/local/cuda/bin; name a compiler by --compile";

void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Where the toolkit keeps libcudart.so: nvcc finds it when it links, the loader would not.
fs::path librariesOf(const fs::path &nvcc) {
  std::error_code ignored;
  return fs::canonical(nvcc, ignored).parent_path().parent_path() / "lib64";
}

std::vector<std::string> flagsOf(const Manifest &manifest, const Candidate &candidate) {
  std::vector<std::string> flags = manifest.flags;
  append(flags, candidate.flags);
  return flags;
}

std::vector<std::string> sourcesIn(const fs::path &folder) {
  std::vector<std::string> sources;
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".cpp")
      sources.push_back(entry.path().string());
  std::sort(sources.begin(), sources.end());
  return sources;
}

std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

std::vector<std::string> filled(const std::string &command, const Manifest &manifest,
                                const Candidate &candidate, const fs::path &out) {
  std::vector<std::string> words;
  for (const std::string &word : wordsOf(command))
    if (word == "{files}")
      append(words, candidate.files);
    else if (word == "{flags}")
      append(words, flagsOf(manifest, candidate));
    else if (word == "{out}")
      words.push_back(out.string());
    else if (word == "{arch}")
      words.push_back(manifest.arch);
    else
      words.push_back(word);
  return words;
}

} // namespace

std::vector<std::string> compileWords(const Toolchain &toolchain, const Manifest &manifest,
                                      const Candidate &candidate, const fs::path &out, std::string &error) {
  if (!toolchain.compileCommand.empty())
    return filled(toolchain.compileCommand, manifest, candidate, out);
  std::optional<fs::path> nvcc = findNvcc();
  if (!nvcc) {
    error = kNoNvcc;
    return {};
  }
  // A shared runtime is what makes calls visible to a preloaded library.
  std::vector<std::string> words = {
      nvcc->string(), "-arch=" + manifest.arch, "-cudart", "shared", "-Xptxas", "-v"};
  append(words, flagsOf(manifest, candidate));
  append(words, candidate.files);
  append(words, {"-Xlinker", "-rpath", "-Xlinker", librariesOf(*nvcc).string(), "-o", out.string()});
  return words;
}

std::vector<std::string> unfusedFlagsOf(const Toolchain &toolchain) {
  if (!toolchain.unfusedFlag.empty())
    return {toolchain.unfusedFlag};
  const bool isNvcc = toolchain.compileCommand.empty();
  return isNvcc ? verify::unfusedFlags("nvcc") : std::vector<std::string>();
}

std::vector<std::string> timingWords(const fs::path &folder, const fs::path &out, std::string &error) {
  std::optional<fs::path> nvcc = findNvcc();
  if (!nvcc) {
    error = kNoNvcc;
    return {};
  }
  const fs::path timing = folder / "timing";
  const std::vector<std::string> recorder = sourcesIn(timing),
                                 hooks = sourcesIn(timing / "trace" / "preload");
  if (recorder.empty() || hooks.empty()) {
    error = timing.string() + ": holds no sources of the timing library";
    return {};
  }
  std::vector<std::string> words = {nvcc->string(), "-std=c++17", "-O2",
                                    "-shared",      "-cudart",    "none",
                                    "-Xcompiler",   "-fPIC",      "-I" + timing.string()};
  append(words, recorder);
  append(words, hooks);
  append(words, {"-ldl", "-o", out.string()});
  return words;
}

std::map<std::string, uint64_t> spillsIn(const std::string &compilerOutput) {
  std::map<std::string, uint64_t> spills;
  std::istringstream lines(compilerOutput);
  std::string kernel;
  constexpr const char *kBegin = "Function properties for ";
  for (std::string line; std::getline(lines, line);) {
    unsigned long long frame = 0, stores = 0, loads = 0;
    if (size_t at = line.find(kBegin); at != std::string::npos)
      kernel = line.substr(at + std::string(kBegin).size());
    else if (std::sscanf(line.c_str(),
                         " %llu bytes stack frame, %llu bytes spill stores, %llu bytes spill loads", &frame,
                         &stores, &loads) == 3)
      spills[kernel] = stores + loads;
  }
  return spills;
}

std::string firstErrorIn(const std::string &compilerOutput) {
  std::istringstream lines(compilerOutput);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos)
      return line;
    if (first.empty())
      first = line;
  }
  return first.empty() ? "the compiler failed without a message" : first;
}

} // namespace heddle::runner
