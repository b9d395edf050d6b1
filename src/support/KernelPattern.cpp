// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/KernelPattern.h"

#include "support/Demangle.h"

#include <cctype>

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

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// "gemm<double, false>" and "gemm<double,false>" are the same; "unsigned int" keeps its space.
std::string withoutSpaces(const std::string &name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != ' ')
      text += name[i];
    else if (const size_t next = name.find_first_not_of(' ', i);
             !text.empty() && isOfName(text.back()) && next != std::string::npos && isOfName(name[next]))
      text += ' ', i = next - 1;
  }
  return text;
}

} // namespace

bool isMeant(const std::string &mangled, const std::string &pattern) {
  const std::string whole = demangled(mangled), name = whole.substr(0, parametersAt(whole)),
                    function = withoutResult(name), plain = withoutTemplateArguments(function);
  const std::string wanted = withoutSpaces(pattern);
  for (const std::string &form : {std::string(), mangled, whole, name, function, withoutNamespaces(function),
                                  plain, withoutNamespaces(plain)})
    if (withoutSpaces(form) == wanted)
      return true;
  return false;
}

} // namespace heddle
