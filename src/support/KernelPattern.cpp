// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/KernelPattern.h"

#include "support/Demangle.h"

#include <set>

namespace heddle {
namespace {

/// Where the parameter list begins: the last "(" that is not inside of template arguments or another list.
size_t parametersAt(const std::string &name) {
  if (name.empty() || name.back() != ')')
    return name.size();
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' || name[i] == '>';
    depth -= name[i] == '(' || name[i] == '<';
    if (depth == 0 && name[i] == '(')
      return i;
  }
  return name.size();
}

/// The name of a template instance is preceded by its result type.
std::string withoutResult(const std::string &name) {
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '(';
    depth -= name[i] == '>' || name[i] == ')';
    if (depth == 0 && name[i] == ' ')
      from = i + 1;
  }
  return name.substr(from);
}

std::string withoutTemplateArguments(const std::string &name) {
  return name.empty() || name.back() != '>' ? name : name.substr(0, name.find('<'));
}

std::string withoutNamespaces(const std::string &name) {
  const size_t last = name.rfind("::", name.find('<'));
  return last == std::string::npos ? name : name.substr(last + 2);
}

} // namespace

bool isMeant(const std::string &mangled, const std::string &pattern) {
  const std::string whole = demangled(mangled), name = whole.substr(0, parametersAt(whole)),
                    function = withoutResult(name), plain = withoutTemplateArguments(function);
  const std::set<std::string> all = {
      "", mangled, whole, name, function, withoutNamespaces(function), plain, withoutNamespaces(plain)};
  return all.count(pattern) != 0;
}

} // namespace heddle
