// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrument/Assemble.h"

#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

namespace heddle::instrument {
namespace {

namespace fs = std::filesystem;

/// So many of a thread let each block have 1024 threads, whatever was inserted. Launch bounds of a kernel go first.
constexpr unsigned MostRegisters = 64;

/// "90a" of "sm_90a".
std::string numberOf(const std::string &arch) { return arch.substr(arch.find('_') + 1); }

} // namespace

std::optional<std::string> assemble(const std::string &ptx, const std::string &arch, const fs::path &nvcc,
                                    Diagnostics &diagnostics) {
  const TemporaryFolder folder;
  const fs::path text = folder.path() / "counted.ptx", cubin = folder.path() / "counted.cubin",
                 image = folder.path() / "counted.fatbin", tools = fs::canonical(nvcc).parent_path();
  writeFileOrThrow(text, ptx);
  const std::vector<std::string> assembles = {(tools / "ptxas").string(),
                                              "--gpu-name",
                                              arch,
                                              fmt::format("--maxrregcount={}", MostRegisters),
                                              text.string(),
                                              "-o",
                                              cubin.string()};
  const std::vector<std::string> packs = {
      (tools / "fatbinary").string(), "--create=" + image.string(), "-64",
      fmt::format("--image3=kind=elf,sm={},file={}", numberOf(arch), cubin.string())};
  for (const std::vector<std::string> &command : {assembles, packs})
    if (const ProcessResult done = runProcess(command); !done.succeeded()) {
      diagnostics
          .error({}, fmt::format("the instrumented kernels cannot be assembled: {} {}", command.front(),
                                 howEnded(done)))
          .withHint(done.standardError + done.standardOutput);
      return std::nullopt;
    }
  return contentsOf(image);
}

} // namespace heddle::instrument
