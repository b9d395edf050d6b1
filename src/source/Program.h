// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "source/Launch.h"
#include "source/Toolkit.h"
#include "support/Diagnostics.h"

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace clang {
class ASTContext;
class SourceManager;
namespace syntax {
class TokenBuffer;
}
} // namespace clang

namespace heddle::source {

class Unit;

/// Why a file could not be read. `compilerMessages` are Clang's own, ready to print.
struct ParseFailure {
  enum class Kind { NotReadable, DoesNotCompile } kind = Kind::DoesNotCompile;
  std::string compilerMessages;
  Diagnostics diagnostics;
};

/// One .cu file as Clang understands it, once for each side: kernels and device functions are looked at on
/// the device side (where __CUDA_ARCH__ is defined), launches on the host side.
///
/// Everything handed out (declarations, statements, source locations) belongs to one of the two sides and
/// lives as long as the program.
class Program {
public:
  /// Reads `file`. Both sides are parsed at the same time.
  static std::variant<std::unique_ptr<Program>, ParseFailure> parse(const std::filesystem::path &file,
                                                                    const CompileOptions &options);
  /// The same for text that need not be on disk; `name` is what messages call it.
  static std::variant<std::unique_ptr<Program>, ParseFailure> parseText(std::string name, std::string text,
                                                                        const CompileOptions &options);
  ~Program();

  const std::filesystem::path &file() const { return path; }
  const std::optional<Toolkit> &toolkit() const { return cuda; }
  const Unit &host() const { return *hostUnit; }
  const Unit &device() const { return *deviceUnit; }

  /// Every kernel with a body outside system headers, in source order: each instantiation of a template is
  /// one.
  const std::vector<std::unique_ptr<Kernel>> &kernels() const { return kernelList; }
  /// Kernel templates that nothing instantiates; they cannot be analysed, only named.
  const std::vector<UninstantiatedKernel> &uninstantiated() const { return uninstantiatedList; }
  /// Every launch in source order.
  const std::vector<Launch> &launches() const { return launchList; }
  std::vector<const Launch *> launchesOf(const Kernel &kernel) const;

  /// Kernels that `wanted` names: the whole name ("scan<int, 4>"), or the plain one ("scan", "ns::scan").
  std::vector<const Kernel *> kernelsNamed(const std::string &wanted) const;

private:
  Program() = default;
  std::filesystem::path path;
  std::optional<Toolkit> cuda;
  std::unique_ptr<Unit> hostUnit, deviceUnit;
  std::vector<std::unique_ptr<Kernel>> kernelList;
  std::vector<UninstantiatedKernel> uninstantiatedList;
  std::vector<Launch> launchList;
};

} // namespace heddle::source
