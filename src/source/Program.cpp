// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Program.h"

#include "source/Unit.h"
#include "support/KernelPattern.h"

#include <llvm/Support/thread.h>

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::source {
namespace {

// A generated kernel may hold a sum of 20,000 terms or as many `else if`s; Clang and our searches recurse
// over them. The stack is reserved, not used: a small file touches a few pages of it.
constexpr std::optional<unsigned> parseStackBytes = 256u << 20;

ParseFailure notReadable(const fs::path &file, std::string why) {
  ParseFailure failure;
  failure.kind = ParseFailure::Kind::NotReadable;
  failure.diagnostics.error({file.string()}, std::move(why));
  return failure;
}

/// What Clang would stumble over with a message of its own that does not help.
std::optional<ParseFailure> reasonNotToRead(const fs::path &file) {
  std::error_code error;
  if (!fs::exists(file, error))
    return notReadable(file, "no such file");
  if (fs::is_directory(file, error))
    return notReadable(file, "is a folder, not a CUDA file");
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return notReadable(file, "cannot be read");
  std::string head(4096, '\0');
  in.read(head.data(), std::streamsize(head.size()));
  head.resize(size_t(in.gcount()));
  if (head.find('\0') != std::string::npos)
    return notReadable(file, "is a binary file, not CUDA source text");
  return std::nullopt;
}

std::string messagesOf(const Unit::Result &device, const Unit::Result &host) {
  // The same mistake is usually found on both sides: the device's words are enough then.
  return device.messages.empty() ? host.messages : device.messages;
}

} // namespace

Program::~Program() = default;

std::variant<std::unique_ptr<Program>, ParseFailure> Program::parse(const fs::path &file,
                                                                    const CompileOptions &options) {
  if (std::optional<ParseFailure> failure = reasonNotToRead(file))
    return std::move(*failure);
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return parseText(file.string(), text.str(), options);
}

std::variant<std::unique_ptr<Program>, ParseFailure> Program::parseText(std::string name, std::string text,
                                                                        const CompileOptions &options) {
  std::unique_ptr<Program> program(new Program);
  program->path = name;
  program->cuda = findToolkit(options.cudaPath);
  if (!program->cuda && !options.cudaPath.empty() && options.cudaPath != "none")
    return notReadable(options.cudaPath, "there is no CUDA toolkit here (no include/cuda_runtime.h)");

  Unit::Result device, host;
  auto read = [&](Side side) {
    std::vector<std::string> arguments = clangArguments(options, program->cuda, side);
    // Our headers refuse __managed__ variables, which Clang cannot compile; reading them does no harm.
    arguments.push_back("-DHEDDLE_PARSE_ONLY");
    return Unit::parse(name, arguments, side, &text);
  };
  llvm::thread hostSide(parseStackBytes, [&] { host = read(Side::Host); });
  llvm::thread deviceSide(parseStackBytes, [&] { device = read(Side::Device); });
  deviceSide.join();
  hostSide.join();
  if (!device.unit || !host.unit) {
    ParseFailure failure;
    failure.compilerMessages = messagesOf(device, host);
    return failure;
  }

  program->deviceUnit = std::move(device.unit);
  program->hostUnit = std::move(host.unit);
  llvm::thread search(parseStackBytes, [&] {
    program->kernelList = findKernels(*program->deviceUnit, program->uninstantiatedList);
    program->launchList = findLaunches(*program->hostUnit, program->kernelList);
  });
  search.join();
  return program;
}

std::vector<const Launch *> Program::launchesOf(const Kernel &kernel) const {
  std::vector<const Launch *> found;
  for (const Launch &launch : launchList)
    if (launch.kernel == &kernel)
      found.push_back(&launch);
  return found;
}

std::vector<const Kernel *> Program::kernelsNamed(const std::string &wanted) const {
  std::vector<const Kernel *> found;
  for (const auto &kernel : kernelList) {
    if (wanted == kernel->name || wanted == kernel->plainName || isMeant(kernel->mangledName, wanted))
      found.push_back(kernel.get());
  }
  return found;
}

} // namespace heddle::source
