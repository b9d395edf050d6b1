// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC: CUDA C++ that is compiled while the program runs, by the Clang that compiles programs without a toolkit and
// with the same flags (runtime/cuda/flags.txt).
//
// A name expression ("scale<float>", "&counter") must be instantiated and its mangled name found. Both follow from a
// variable that is added to the source and initialized with the address: the PTX has the name in the initializer.
//
// A "cubin" is PTX here: programs hand it to cuModuleLoadData and do not look into it.
#include "nvrtc.h"

#include "cudart/NvrtcOptions.h"
#include "cudart/Runtime.h"
#include "support/ClangProgram.h"
#include "support/CudaFlags.h"
#include "support/Files.h"
#include "support/HeaderCache.h"
#include "support/LateMacros.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::cudart;

struct _nvrtcProgram {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers; ///< name, text
  std::vector<std::string> expressions;
  std::map<std::string, std::string> loweredNames;
  std::string ptx, log;
  bool isCompiled = false;
};

namespace {

constexpr const char *kNameVariable = "__heddle_lowered_name_";

/// What `heddle run` found, which knows where Heddle is installed; a program that is started directly looks itself.
std::optional<fs::path> clang() {
  if (const char *given = std::getenv("HEDDLE_CLANG"); given && *given)
    return given;
  return findClang();
}

std::string programSource(const _nvrtcProgram &program, const NvrtcOptions &options) {
  std::string text;
  if (options.defaultsToDevice)
    text += "#pragma clang force_cuda_host_device begin\n";
  text += fmt::format("#line 1 \"{}\"\n", program.name) + program.source + "\n";
  if (options.defaultsToDevice)
    text += "#pragma clang force_cuda_host_device end\n";
  for (size_t i = 0; i < program.expressions.size(); ++i)
    text += fmt::format(
        "extern \"C\" {{ __device__ __attribute__((used)) const void *{}{} = (const void *)({}); }}\n",
        kNameVariable, i, program.expressions[i]);
  return text;
}

std::vector<std::string> commandOf(const fs::path &compiler, const NvrtcOptions &options,
                                   const std::string &arch) {
  std::vector<std::string> command = {compiler.string(), "-Wno-unused-command-line-argument", "-O3",
                                      "-D__CUDACC_RTC__=1", "-gline-tables-only"};
  for (const char *section : {"all", "device"})
    for (std::string &flag : ownCudaFlags(section, arch))
      command.push_back(std::move(flag));
  // Names such as `N` are parameters of templates in headers, which NVRTC would not include.
  const std::vector<std::string> flags = withLateMacros(options.flags);
  command.insert(command.end(), flags.begin(), flags.end());
  // Precompiled headers are kept for each set of flags. Folders and macros that headers ask for differ from program to program.
  std::vector<std::string> others;
  lateMacroLines(options.flags, others);
  const bool isUsual = std::all_of(others.begin(), others.end(),
                                   [](const std::string &flag) { return flag.starts_with("-std="); });
  return isUsual ? withCachedHeaders(std::move(command)) : command;
}

/// Takes the added variables out of the PTX again, with the names in them.
void readNames(_nvrtcProgram &program) {
  static const std::regex line(R"(\n[^\n]*\b__heddle_lowered_name_(\d+)(?:\[1\])?\s*=\s*([^;]*);[^\n]*)");
  static const std::regex symbol(R"([A-Za-z_$][\w$]*)");
  std::string kept;
  auto at = program.ptx.cbegin();
  for (std::sregex_iterator it(program.ptx.begin(), program.ptx.end(), line), end; it != end; ++it) {
    const size_t index = std::stoul((*it)[1]);
    std::string initializer = (*it)[2];
    if (const size_t generic = initializer.find("generic("); generic != std::string::npos)
      initializer = initializer.substr(generic + std::strlen("generic("));
    std::smatch name;
    if (index < program.expressions.size() && std::regex_search(initializer, name, symbol))
      program.loweredNames[program.expressions[index]] = name.str();
    kept.append(at, (*it)[0].first);
    at = (*it)[0].second;
  }
  kept.append(at, program.ptx.cend());
  program.ptx = std::move(kept);
}

nvrtcResult compile(_nvrtcProgram &program, const NvrtcOptions &options) {
  const std::optional<fs::path> compiler = clang();
  if (!compiler) {
    program.log =
        "nvrtc on the simulator needs Clang 22, and there is none on this machine (heddle doctor)\n";
    reportFailure(program.log);
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  }
  const std::string arch = options.arch.empty() ? Runtime::instance().arch.name : options.arch;
  TemporaryFolder folder;
  const fs::path file = folder.path() / "program.cu", ptx = folder.path() / "program.ptx";
  writeFileOrThrow(file, programSource(program, options));
  for (const auto &[name, text] : program.headers) {
    std::error_code ignored;
    fs::create_directories((folder.path() / name).parent_path(), ignored);
    writeFileOrThrow(folder.path() / name, text);
  }
  std::vector<std::string> command = commandOf(*compiler, options, arch);
  for (std::string word : {"-I" + folder.path().string(), file.string(), std::string("-o"), ptx.string()})
    command.push_back(std::move(word));
  const ProcessResult done = runProcess(command);
  program.log = done.standardError;
  if (!done.succeeded())
    return NVRTC_ERROR_COMPILATION;
  program.ptx = contentsOf(ptx);
  readNames(program);
  program.isCompiled = true;
  return NVRTC_SUCCESS;
}

nvrtcResult copyText(const std::string &text, char *to) {
  if (!to)
    return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult sizeOf(const std::string &text, size_t *bytes) {
  if (!bytes)
    return NVRTC_ERROR_INVALID_INPUT;
  *bytes = text.size() + 1;
  return NVRTC_SUCCESS;
}

/// What the simulator can be, in NVRTC's numbers.
constexpr int kArchs[] = {75, 80, 86, 87, 89, 90, 100, 120};

} // namespace

extern "C" {

const char *nvrtcGetErrorString(nvrtcResult result) {
  constexpr const char *kNames[] = {"NVRTC_SUCCESS",
                                    "NVRTC_ERROR_OUT_OF_MEMORY",
                                    "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                    "NVRTC_ERROR_INVALID_INPUT",
                                    "NVRTC_ERROR_INVALID_PROGRAM",
                                    "NVRTC_ERROR_INVALID_OPTION",
                                    "NVRTC_ERROR_COMPILATION",
                                    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                    "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                    "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                    "NVRTC_ERROR_INTERNAL_ERROR",
                                    "NVRTC_ERROR_TIME_FILE_WRITE_FAILED"};
  return unsigned(result) < std::size(kNames) ? kNames[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = 13, *minor = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  *count = int(std::size(kArchs));
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  std::copy(std::begin(kArchs), std::end(kArchs), archs);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames) {
  if (!program || !source || numHeaders < 0 || (numHeaders > 0 && (!headers || !includeNames)))
    return NVRTC_ERROR_INVALID_INPUT;
  *program = new _nvrtcProgram;
  (*program)->source = source;
  (*program)->name = name && *name ? name : "default_program";
  for (int i = 0; i < numHeaders; ++i)
    (*program)->headers.emplace_back(includeNames[i], headers[i]);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (!program || !*program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int numOptions, const char *const *options) {
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (numOptions < 0 || (numOptions > 0 && !options))
    return NVRTC_ERROR_INVALID_INPUT;
  program->log.clear();
  std::optional<NvrtcOptions> read =
      readNvrtcOptions(std::vector<std::string>(options, options + numOptions), program->log);
  return read ? compile(*program, *read) : NVRTC_ERROR_INVALID_OPTION;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) {
  return program && program->isCompiled ? sizeOf(program->ptx, bytes) : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx) {
  return program && program->isCompiled ? copyText(program->ptx, ptx) : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) { return nvrtcGetPTXSize(program, bytes); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) { return nvrtcGetPTX(program, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
  return program ? sizeOf(program->log, bytes) : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  return program ? copyText(program->log, log) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
  if (!program || !expression)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->isCompiled)
    return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name) {
  if (!program || !expression || !name)
    return NVRTC_ERROR_INVALID_INPUT;
  if (!program->isCompiled)
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  auto found = program->loweredNames.find(expression);
  if (found == program->loweredNames.end())
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}
}
