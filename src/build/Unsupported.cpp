// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Unsupported.h"

#include "source/Toolkit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <sstream>

namespace heddle::build {
namespace {

/// A library of the toolkit that the simulator does not have. Both expressions are regular ones.
struct Library {
  const char *name;
  const char *functions;
  const char *files; ///< its headers without ".h", and its names behind -l
};

// The driver's functions go on with a capital behind "cu", those of its libraries in lower case.
constexpr std::array kLibraries = {
    Library{"cuBLAS", "cublas[A-Z]\\w*", "cublas\\w*"},
    Library{"cuSPARSE", "cusparse[A-Z]\\w*", "cusparse\\w*"},
    Library{"cuFFT", "cufft[A-Z]\\w*", "cufft\\w*"},
    Library{"cuSOLVER", "cusolver[A-Z]\\w*", "cusolver\\w*"},
    Library{"cuDNN", "cudnn[A-Z]\\w*", "cudnn\\w*"},
    Library{"cuTENSOR", "cutensor[A-Z]\\w*", "cutensor\\w*"},
    Library{"NCCL", "p?nccl[A-Z]\\w*", "nccl\\w*"},
    Library{"NPP", "npp[a-z]*[A-Z]\\w*", "npp\\w*"},
    Library{"nvJPEG", "nvjpeg[A-Z]\\w*", "nvjpeg\\w*"},
    Library{"nvGRAPH", "nvgraph[A-Z]\\w*", "nvgraph\\w*"},
    Library{"CUPTI", "cupti[A-Z]\\w*", "cupti\\w*"},
    // The host's generators; the device API is in the toolkit's curand_kernel.h, which needs no library.
    Library{"cuRAND", "curand(Create|Destroy|Generate|Set|Get)[A-Z]\\w*", "curand\\w*"},
};

/// Each match of group 1 once, in order.
std::vector<std::string> matches(const std::string &text, const std::string &expression) {
  const std::regex wanted(expression);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it)
    if (std::string name = (*it)[1]; std::find(found.begin(), found.end(), name) == found.end())
      found.push_back(std::move(name));
  return found;
}

/// Names that the compiler or the linker does not find.
std::vector<std::string> missingNames(const std::string &messages, const std::string &names) {
  return matches(messages,
                 "(?:undefined (?:reference to|symbol:)|undeclared identifier|unknown type name|identifier) "
                 "?[`'\"]?(" +
                     names + ")\\b");
}
std::vector<std::string> missingHeaders(const std::string &messages, const std::string &names) {
  return matches(messages, "'?\\b(" + names + ")'?(?: file not found|: No such file)");
}

std::string listed(std::vector<std::string> names) {
  constexpr size_t Enough = 4;
  const bool more = names.size() > Enough;
  names.resize(std::min(names.size(), Enough));
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

bool explainLibrary(const Library &library, const std::string &messages, Diagnostics &diagnostics) {
  std::vector<std::string> names = missingNames(messages, library.functions);
  const bool calls = !names.empty();
  if (!calls)
    names = missingHeaders(messages, std::string(library.files) + "\\.h");
  if (names.empty())
    return false;
  diagnostics
      .error({}, fmt::format("the program {} {} ({}), a library that the simulator does not have",
                             calls ? "calls" : "includes", library.name, listed(std::move(names))))
      .withHint("libraries of machine code run on a GPU only: heddle run --device gpu");
  return true;
}

/// The messages without the lines in which the linker misses main(), where it misses nothing else.
std::string withoutMissingMain(const std::string &messages) {
  static const std::regex linkers(
      "crt1\\.o|undefined reference to `main'|ld returned 1 exit status|linker command failed");
  std::string kept;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);)
    if (!std::regex_search(line, linkers))
      kept += line + "\n";
  return kept.find("undefined reference") == std::string::npos ? kept : messages;
}

/// A file with kernels alone, such as a part of a library.
bool explainMissingMain(const Request &request, Result &result, Diagnostics &diagnostics) {
  if (missingNames(result.messages, "main").empty())
    return false;
  result.messages = withoutMissingMain(result.messages);
  const std::vector<std::filesystem::path> &files = request.sources.files;
  diagnostics
      .error({files.size() == 1 ? files.front().string() : "", 0, 0, 0, {}},
             "the program has no function main()")
      .withHint("give all files of the program; heddle check --static and heddle analyze need kernels only");
  return true;
}

/// What the simulator's runtime library replaces, or does not have.
bool isReplaced(const std::string &linkName) {
  static const std::regex ours("cuda|cudart\\w*|cudadevrt|nvrtc\\w*|nvptxcompiler\\w*");
  return std::regex_match(linkName, ours) ||
         std::any_of(kLibraries.begin(), kLibraries.end(), [&](const Library &library) {
           return std::regex_match(linkName, std::regex(library.files));
         });
}

} // namespace

std::vector<std::string> withoutToolkitLibraries(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i) {
    const bool valueFollows = flags[i] == "-l" && i + 1 < flags.size();
    if (flags[i].starts_with("-l") && isReplaced(valueFollows ? flags[i + 1] : flags[i].substr(2))) {
      i += valueFollows;
      continue;
    }
    kept.push_back(flags[i]);
  }
  return kept;
}

bool explainToolkitHeader(const std::string &messages, const std::string &compiler,
                          Diagnostics &diagnostics) {
  std::vector<std::string> names =
      missingHeaders(messages, "(?:cub|thrust|cuda/std|nv)/[\\w./]+|curand_kernel\\.h");
  if (names.empty() || compiler != "clang")
    return false;
  diagnostics
      .error({}, fmt::format("the program includes {}, which is part of the CUDA toolkit",
                             listed(std::move(names))))
      .withHint(source::findToolkit() ? "--compiler clang uses Heddle's own headers: use --compiler nvcc"
                                      : "with a CUDA toolkit installed, --compiler nvcc compiles it");
  return true;
}

namespace {

/// Functions and variables of another file, or of a library, that was not given.
void explainMissingFile(const std::string &messages, Diagnostics &diagnostics) {
  std::vector<std::string> names =
      matches(messages, "undefined (?:reference to|symbol:) ?[`'\"]?([^`'\"\\n]+)");
  if (!names.empty())
    diagnostics.error({}, fmt::format("no file of the program defines {}", listed(std::move(names))))
        .withHint("give all files of the program, and its libraries with -L and -l");
}

} // namespace

void explainFailure(const Request &request, Result &result, Diagnostics &diagnostics) {
  const std::string messages = result.messages;
  if (explainToolkitHeader(messages, result.compiler, diagnostics) ||
      explainMissingMain(request, result, diagnostics))
    return;
  for (const Library &library : kLibraries)
    if (explainLibrary(library, messages, diagnostics))
      return;
  if (std::vector<std::string> names = missingNames(messages, "cu[A-Z]\\w*|CU[a-z]\\w*"); !names.empty())
    diagnostics
        .error({}, fmt::format(
                       "the program uses parts of the CUDA driver API that the simulator does not have ({})",
                       listed(std::move(names))))
        .withHint("modules, launches, memory, streams and events are there; a program that needs more of the "
                  "driver "
                  "needs a GPU: heddle run --device gpu");
  else
    explainMissingFile(messages, diagnostics);
}

} // namespace heddle::build
