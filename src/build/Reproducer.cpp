// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files keep their places relative to each other, below the folder that all of them are in: `#include "../common/x.h"`
// finds the same file there. Folders of -I become folders of the copy. Headers of Heddle's own, which emitted code
// includes, go to source/runtime.
#include "build/Reproducer.h"

#include "support/Demangle.h"
#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/KernelText.h"
#include "support/Paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

constexpr const char *kFolderFlags[] = {"-I", "-isystem", "-iquote"};

fs::path whole(const fs::path &path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

bool isInside(const fs::path &file, const fs::path &folder) {
  return !folder.empty() && !file.lexically_relative(folder).empty() &&
         *file.lexically_relative(folder).begin() != "..";
}

/// Calls `use(flag, folder)` for flags that name a folder of headers, and `other(word)` for all other words.
template <class Use, class Other>
void forEachFlag(const std::vector<std::string> &flags, const Use &use, const Other &other) {
  for (size_t i = 0; i < flags.size(); ++i) {
    bool isFolder = false;
    for (const std::string flag : kFolderFlags) {
      if (isFolder || !flags[i].starts_with(flag))
        continue;
      isFolder = true;
      if (flags[i] == flag && i + 1 < flags.size())
        use(flag, flags[++i]);
      else
        use(flag, flags[i].substr(flag.size()));
    }
    if (!isFolder)
      other(flags[i]);
  }
}

fs::path runtimeFolder() { return whole(dataFolder("runtime")); }

/// Where headers are looked for, without the toolkit's folder.
std::vector<fs::path> headerFolders(const std::vector<std::string> &flags) {
  std::vector<fs::path> folders;
  forEachFlag(
      flags,
      [&](const std::string &, const std::string &folder) {
        if (!fs::exists(fs::path(folder) / "cuda_runtime.h"))
          folders.push_back(whole(folder));
      },
      [](const std::string &) {});
  folders.push_back(runtimeFolder());
  return folders;
}

void follow(const fs::path &file, const std::vector<fs::path> &folders, std::set<fs::path> &found) {
  if (!found.insert(file).second)
    return;
  std::istringstream lines(contentsOf(file));
  for (std::string line; std::getline(lines, line);) {
    const IncludeLine include = includeIn(line);
    if (include.name.empty())
      continue;
    std::vector<fs::path> places = folders;
    if (include.quoted)
      places.insert(places.begin(), file.parent_path());
    std::error_code ignored;
    for (const fs::path &place : places)
      if (const fs::path header = whole(place / include.name); fs::is_regular_file(header, ignored)) {
        follow(header, folders, found);
        break;
      }
  }
}

bool definesKernel(const fs::path &file, const std::string &name) {
  const std::string text = withoutComments(contentsOf(file));
  return text.find("__global__") != std::string::npos &&
         std::regex_search(text, std::regex("\\b" + name + "\\s*\\("));
}

bool isCudaFile(const fs::path &file) { return file.extension() == ".cu"; }

/// The file to compile for the kernel: the one that defines it, or includes the one that does.
fs::path fileOfKernel(const ReproducerRequest &request) {
  const std::string name = plainName(functionName(request.kernel));
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  fs::path first;
  for (const fs::path &file : request.sources.files) {
    if (!isCudaFile(file))
      continue;
    if (first.empty())
      first = file;
    if (!std::regex_match(name, word))
      continue;
    for (const fs::path &part : userFilesOf(file, request.sources.flagsOf(file, Compiler::Nvcc)))
      if (definesKernel(part, name))
        return file;
  }
  return first;
}

fs::path commonFolder(const std::set<fs::path> &files) {
  fs::path common;
  for (const fs::path &file : files) {
    if (isInside(file, runtimeFolder()))
      continue;
    if (common.empty())
      common = file.parent_path();
    while (!isInside(file, common) && common.has_relative_path())
      common = common.parent_path();
  }
  return common;
}

/// Where a file or folder of the user's is in the copy, relative to the capture.
fs::path placeOf(const fs::path &path, const fs::path &common) {
  return isInside(path, runtimeFolder()) || path == runtimeFolder()
             ? fs::path("source/runtime") / path.lexically_relative(runtimeFolder())
             : fs::path("source") / path.lexically_relative(common);
}

std::vector<std::string> flagsInCopy(const std::vector<std::string> &flags, const fs::path &common) {
  std::vector<std::string> words;
  forEachFlag(
      flags,
      [&](const std::string &flag, const std::string &folder) {
        const fs::path place = placeOf(whole(folder), common).lexically_normal();
        if (*place.begin() == "source") // others have no file that is included
          words.push_back(flag + place.string());
      },
      [&](const std::string &word) { words.push_back(word); });
  return words;
}

/// A word of a recipe: for make and for the shell.
std::string quotedForMake(const std::string &word) {
  std::string text;
  for (char letter : word)
    text += letter == '\'' ? "'\\''" : letter == '$' ? "$$" : std::string(1, letter);
  const bool isPlain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:") ==
      std::string::npos;
  return isPlain && !word.empty() ? text : "'" + text + "'";
}

std::string makefileText(const std::string &source, const std::vector<std::string> &flags,
                         const std::string &arch) {
  std::vector<std::string> words;
  for (const std::string &flag : flags)
    words.push_back(quotedForMake(flag));
  return fmt::format(R"(# A captured launch of a kernel, written by `heddle capture`.
#
#   make run      compiles the kernel, replays the launch on this machine's GPU, shows its time and compares its results
#
# Needs nvcc, a C++17 compiler and a GPU. NVCC, CXX, CXXFLAGS, ARCH and FLAGS may be given: make run ARCH=sm_100
NVCC ?= nvcc
ARCH ?= {}
FLAGS ?= {}
CXXFLAGS ?= -O2
# Memory is stored compressed where zlib was there.
ZLIB := $(shell echo '\#include <zlib.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo -DHEDDLE_HAS_ZLIB)

run: heddle-replay kernel.cubin
	./heddle-replay . --cubin kernel.cubin

kernel.cubin: $(shell find source -type f | sed 's/ /\\ /g')
	$(NVCC) -cubin -arch=$(ARCH) $(FLAGS) {} -o $@

heddle-replay: $(wildcard replay/*/*)
	$(CXX) -std=c++17 $(CXXFLAGS) -pthread -Ireplay $(ZLIB) $(wildcard replay/*/*.cpp) -o $@ -ldl $(if $(ZLIB),-lz)

clean:
	rm -f heddle-replay kernel.cubin

.PHONY: run clean
)",
                     arch, fmt::join(words, " "), quotedForMake(source));
}

std::string copyFile(const fs::path &from, const fs::path &to) {
  std::error_code failure;
  fs::create_directories(to.parent_path(), failure);
  if (!failure)
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
  return failure ? fmt::format("'{}' cannot be copied: {}", from.string(), failure.message()) : "";
}

/// The sources of a program that replays: src/replay with its main file, and src/capture.
std::string copyReplay(const fs::path &folder) {
  for (const auto &[from, to] : {std::pair<const char *, const char *>{"src/replay", "replay/replay"},
                                 {"src/replay/program", "replay/replay"},
                                 {"src/capture", "replay/capture"}}) {
    const fs::path source = dataFolder(from);
    if (source.empty())
      return fmt::format("Heddle's own '{}' is not found", from);
    for (const fs::directory_entry &entry : fs::directory_iterator(source)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp" && ending != ".def")
        continue;
      if (std::string error = copyFile(entry.path(), folder / to / entry.path().filename()); !error.empty())
        return error;
    }
  }
  return "";
}

} // namespace

std::set<fs::path> userFilesOf(const fs::path &source, const std::vector<std::string> &flags) {
  std::set<fs::path> found;
  follow(whole(source), headerFolders(flags), found);
  return found;
}

std::string writeReproducer(const ReproducerRequest &request) {
  const fs::path source = fileOfKernel(request);
  if (source.empty())
    return "no .cu file defines the kernel";
  const std::vector<std::string> flags =
      errorsInNvccsWords(withoutArchFlags(request.sources.flagsOf(source, Compiler::Nvcc)));
  const std::set<fs::path> files = userFilesOf(source, flags);
  const fs::path common = commonFolder(files);
  bool usesRuntime = false;
  for (const fs::path &file : files) {
    usesRuntime |= isInside(file, runtimeFolder());
    if (std::string error = copyFile(file, request.folder / placeOf(file, common)); !error.empty())
      return error;
  }
  std::vector<std::string> words = flagsInCopy(flags, common);
  if (usesRuntime)
    words.push_back("-Isource/runtime");
  if (std::string error = copyReplay(request.folder); !error.empty())
    return error;
  writeFileOrThrow(request.folder / "Makefile",
                   makefileText(placeOf(whole(source), common).string(), words, request.arch));
  return "";
}

} // namespace heddle::build
