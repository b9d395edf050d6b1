// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx {
struct Function;
struct Module;
} // namespace heddle::ptx

namespace heddle::vm {

class Kernel;

/// The names of a kernel's parameters in the source.
class ParameterNames {
public:
  ParameterNames(const ptx::Module &module, const ptx::Function &kernel);
  explicit ParameterNames(const Kernel &kernel);

  /// "parameter 'n'", or "parameter 2" where the name is not known.
  std::string describe(unsigned index) const;
  /// As --param takes it: "n" or "2".
  std::string option(unsigned index) const;
  /// The parameter of that name.
  std::optional<unsigned> find(std::string_view name) const;

private:
  std::vector<std::string> names; ///< empty where not known
};

} // namespace heddle::vm
