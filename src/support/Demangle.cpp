// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Demangle.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace heddle {

std::string demangled(const std::string &name) {
  if (name.rfind("_Z", 0) != 0)
    return name; // "s" would come out as "short"
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                               std::free);
  std::string readable = status == 0 && text ? text.get() : name;
  // This scope is never written, and its blank would pass for the one after a result type.
  const std::string unwritten = "(anonymous namespace)::";
  for (size_t at = readable.find(unwritten); at != std::string::npos; at = readable.find(unwritten, at))
    readable.erase(at, unwritten.size());
  return readable;
}

bool isSameFunction(const std::string &mangled, const std::string &other) {
  return mangled == other || demangled(mangled) == demangled(other);
}

std::string functionName(const std::string &mangled) {
  const std::string text = demangled(mangled);
  int depth = 0;
  size_t from = 0, end = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (depth == 0 && text[i] == ' ' && end == text.size())
      from = i + 1;
    if (depth == 0 && text[i] == '(' && i > from) {
      end = i;
      break;
    }
  }
  return text.substr(from, end - from);
}

} // namespace heddle
