// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/NamedKernels.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace heddle::launcher {
namespace {

/// Whether the text has the name as a whole identifier.
bool hasWord(std::string_view text, std::string_view name) {
  const auto isPart = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if (!(at > 0 && isPart(at - 1)) && !isPart(at + name.size()))
      return true;
  return false;
}

} // namespace

bool mayHaveKernel(const Scan &scan, std::string_view kernel) {
  std::string_view name = kernel.substr(0, kernel.find('<'));
  if (const size_t scope = name.rfind("::"); scope != name.npos)
    name.remove_prefix(scope + 2);
  return std::ranges::any_of(scan.files, [&](const ScannedFile &each) {
    return each.text.find("__global__") != std::string::npos && (name == "*" || hasWord(each.text, name));
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
