// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/DirectiveFile.h"

#include <llvm/ADT/StringRef.h>

namespace heddle::launcher {
namespace {

/// The colon after the kernel's name: one that is no part of `::`.
size_t separator(llvm::StringRef line) {
  for (size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (!line.substr(at + 1).starts_with(":"))
      return at;
    ++at;
  }
  return line.npos;
}

} // namespace

std::vector<transform::Directive> readDirectiveFile(const std::string &name, const std::string &text,
                                                    Diagnostics &diagnostics) {
  std::vector<transform::Directive> all;
  llvm::StringRef rest = text;
  for (unsigned number = 1; !rest.empty(); ++number) {
    const auto [given, further] = rest.split('\n');
    rest = further;
    const llvm::StringRef line = given.rtrim(" \t\r");
    const unsigned indent = unsigned(line.size() - line.ltrim(" \t").size());
    if (line.trim(" \t").empty() || line.trim(" \t").starts_with("#"))
      continue;
    const size_t colon = separator(line);
    const llvm::StringRef kernel = line.substr(0, std::min(colon, line.size())).trim(" \t");
    SourceLocation location{name, number, indent + 1, unsigned(line.size()) + 1, line.str()};
    if (colon == line.npos || kernel.empty()) {
      diagnostics.error(location, "a line is KERNEL: DIRECTIVE").withHint("for example: saxpy: coarsen x=4");
      continue;
    }
    const llvm::StringRef directives = line.substr(colon + 1);
    location.column = unsigned(colon) + 2;
    for (transform::Directive &directive : transform::readDirectives(
             std::string_view(directives.data(), directives.size()), location, diagnostics)) {
      directive.kernel = kernel.str();
      all.push_back(std::move(directive));
    }
  }
  return all;
}

} // namespace heddle::launcher
