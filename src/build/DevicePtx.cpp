// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/DevicePtx.h"

#include "build/HeaderStep.h"
#include "build/InlinedLocations.h"
#include "build/Unsupported.h"
#include "source/Toolkit.h"
#include "support/ClangProgram.h"
#include "support/CudaToolkit.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

void addWords(std::vector<std::string> &to, const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::string smNumber(const std::string &arch) { return arch.substr(arch.find('_') + 1); }

std::vector<std::string> nvccPtxCommand(const Request &request, const fs::path &nvcc,
                                        const fs::path &output) {
  std::vector<std::string> command = {nvcc.string(), "-ptx", "-lineinfo", "-Wno-deprecated-gpu-targets",
                                      "-arch=compute_" + smNumber(request.arch)};
  // Emitted code says #include <heddle/...>.
  if (fs::path ours = dataFolder("runtime"); !ours.empty())
    addWords(command, {"-isystem", ours.string()});
  addWords(command, errorsInNvccsWords(
                        withoutArchFlags(request.sources.flagsOf(request.sources.files[0], Compiler::Nvcc))));
  addWords(command, {request.sources.files[0].string(), "-o", output.string()});
  return command;
}

CompileStep clangStep(const Request &request, const fs::path &clang, const fs::path &plugin,
                      const fs::path &output) {
  const std::vector<std::string> flags = request.sources.flagsOf(request.sources.files[0], Compiler::Clang);
  source::CompileOptions options;
  options.arch = request.arch;
  options.userArguments = withoutArchFlags(flags);
  std::vector<std::string> command = {clang.string(), "-Wno-unused-command-line-argument"};
  if (request.colour)
    command.push_back("-fcolor-diagnostics");
  if (std::none_of(flags.begin(), flags.end(), [](const std::string &f) { return f.starts_with("-O"); }))
    command.push_back("-O2");
  addWords(command, source::clangArguments(options, std::nullopt, source::Side::Device));
  addWords(command, {"-S", "-gline-tables-only"});
  if (!plugin.empty())
    command.push_back("-fpass-plugin=" + plugin.string());
  const fs::path &file = request.sources.files[0];
  std::vector<std::string> rest = errorsInClangsWords(flags);
  addWords(rest, {file.string(), "-o", output.string()});
  return stepWithCachedHeaders(command, rest, file, output);
}

/// The plugin that keeps accesses (src/passes); empty where it is not installed.
fs::path keepAccesses() {
  std::error_code ignored;
  const fs::path plugin = libraryFolder() / "libheddle_keep_accesses.so";
  return fs::exists(plugin, ignored) ? plugin : fs::path();
}

DevicePtx compileWith(const Request &request, const CompileStep &step, bool isClang) {
  const fs::path &output = step.output;
  ProcessResult done = request.cache.run(step);
  DevicePtx result;
  result.ok = done.succeeded();
  if (result.ok && isClang)
    addInlinedLocations(output);
  result.messages = done.standardOutput + done.standardError;
  result.compiler = isClang ? "clang" : "nvcc";
  result.text = contentsOf(output);
  return result;
}

/// Keeps accesses where the plugin is one of this Clang's.
DevicePtx compileWithClang(const Request &request, const fs::path &clang, const fs::path &output,
                           Accesses accesses) {
  if (const fs::path plugin = accesses == Accesses::Kept ? keepAccesses() : fs::path(); !plugin.empty()) {
    DevicePtx result = compileWith(request, clangStep(request, clang, plugin, output), true);
    result.keepsAccesses = true;
    if (result.ok || result.messages.find(plugin.filename().string()) == std::string::npos)
      return result;
  }
  return compileWith(request, clangStep(request, clang, {}, output), true);
}

} // namespace

DevicePtx compileToPtx(const Request &request, Diagnostics &diagnostics, Accesses accesses) {
  std::error_code ignored;
  if (request.sources.files.empty() || !fs::exists(request.sources.files[0], ignored)) {
    diagnostics.error({}, request.sources.files.empty()
                              ? std::string("no source file was given")
                              : fmt::format("there is no file '{}'", request.sources.files[0].string()));
    return {};
  }
  std::optional<fs::path> nvcc, clang;
  if (request.compiler != Compiler::Clang)
    nvcc = findNvcc();
  if ((!nvcc || accesses == Accesses::Kept) && request.compiler != Compiler::Nvcc)
    clang = findClang();
  if (!nvcc && !clang) {
    diagnostics.error({}, "there is no compiler for CUDA on this machine").withHint("heddle doctor");
    return {};
  }
  TemporaryFolder folder;
  const fs::path output = folder.path() / "device.ptx";
  if (clang) {
    DevicePtx result = compileWithClang(request, *clang, output, accesses);
    if (!result.ok && !nvcc)
      explainToolkitHeader(result.messages, result.compiler, diagnostics);
    if (result.ok || !nvcc)
      return result;
  }
  return compileWith(request, {nvccPtxCommand(request, *nvcc, output), request.sources.files[0], output, {}},
                     false);
}

} // namespace heddle::build
