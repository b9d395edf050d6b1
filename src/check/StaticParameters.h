// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::check {

/// What the source calls a kernel's parameters.
class ParameterNames {
public:
  explicit ParameterNames(const vm::Kernel &kernel);

  /// "parameter 'n'", or "parameter 2" where the name is not known.
  std::string describe(unsigned index) const;
  /// As --param takes it: "n" or "2".
  std::string option(unsigned index) const;
  /// The parameter of that name.
  std::optional<unsigned> find(std::string_view name) const;

private:
  std::vector<std::string> names; ///< empty where not known
};

/// The names of the parameters of a kernel in the text of a source file; empty where it is not defined there with
/// so many parameters, or several kernels of that name have parameters of different names. A parameter without a name
/// is empty.
std::vector<std::string> parameterNamesIn(std::string_view source, std::string_view kernel, size_t count);

} // namespace heddle::check
