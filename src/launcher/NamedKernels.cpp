// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/NamedKernels.h"

#include <algorithm>
#include <set>

namespace heddle::launcher {

bool mayHaveKernel(const Scan &scan, std::string_view kernel) {
  std::string_view name = kernel.substr(0, kernel.find('<'));
  if (const size_t scope = name.rfind("::"); scope != name.npos)
    name.remove_prefix(scope + 2);
  return std::ranges::any_of(scan.files, [&](const ScannedFile &each) {
    return each.text.find("__global__") != std::string::npos &&
           (name == "*" || each.text.find(name) != std::string::npos);
  });
}

std::vector<transform::Directive> withoutKernel(const std::vector<transform::Directive> &directives,
                                                const std::vector<Scan> &program) {
  for (const Scan &scan : program)
    if (scan.hasUnknown || std::ranges::any_of(scan.files, [](const ScannedFile &each) {
          return each.text.find("##") != std::string::npos;
        }))
      return {};
  std::vector<transform::Directive> unused;
  std::set<std::string> names;
  for (const transform::Directive &directive : directives)
    if (directive.kernel != "*" && names.insert(directive.kernel).second &&
        std::ranges::none_of(program,
                             [&](const Scan &scan) { return mayHaveKernel(scan, directive.kernel); }))
      unused.push_back(directive);
  return unused;
}

} // namespace heddle::launcher
