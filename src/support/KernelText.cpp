// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of parameters follows the kernel's name: `__global__`, perhaps attributes with arguments, the name, a
// parenthesis. A macro may contain `__global__`; then any function that is defined with the name counts.
#include "support/KernelText.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace heddle {
namespace {

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// After the parenthesis that closes the one at `open`.
size_t behind(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (!depth)
      return i + 1;
  }
  return text.size();
}

/// The pieces between commas that no bracket encloses.
std::vector<std::string> pieces(std::string_view list) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (char c : list) {
    depth += c == '(' || c == '<' || c == '[' || c == '{';
    depth -= c == ')' || c == '>' || c == ']' || c == '}';
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() == 1 && std::ranges::all_of(parts[0], [](char c) { return std::isspace(c) != 0; }))
    parts.clear();
  return parts;
}

/// "n" of "const int n = 4", "p" of "float (*p)[4]"; empty for "int".
std::string nameIn(std::string declaration) {
  declaration = declaration.substr(0, declaration.find('='));
  if (const size_t inner = declaration.find("(*"); inner != std::string::npos)
    declaration =
        "? " + declaration.substr(inner + 2, declaration.find_first_of(")[(", inner + 2) - inner - 2);
  declaration = declaration.substr(0, declaration.find('['));
  size_t end = declaration.size();
  while (end && !isWordChar(declaration[end - 1]))
    --end;
  size_t begin = end;
  while (begin && isWordChar(declaration[begin - 1]))
    --begin;
  const std::string word = declaration.substr(begin, end - begin);
  static const std::set<std::string> types = {"int",  "unsigned", "float",  "double", "char", "short", "long",
                                              "bool", "const",    "size_t", "void",   "auto", "signed"};
  const bool isAlone =
      std::ranges::all_of(declaration.substr(0, begin), [](char c) { return std::isspace(c) != 0; });
  return isAlone || types.contains(word) || declaration.find_first_not_of(" \t\n", end) != std::string::npos
             ? ""
             : word;
}

/// The text inside the parentheses of the parameters of the `__global__` function at `at`, and its name.
std::pair<std::string, std::string> kernelAt(std::string_view text, size_t at) {
  for (size_t i = at; i < text.size() && text[i] != ';' && text[i] != '{';) {
    if (!isWordChar(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && isWordChar(text[end]))
      ++end;
    const std::string word(text.substr(i, end - i));
    const size_t next = std::min(text.find_first_not_of(" \t\n\r", end), text.size());
    i = end;
    if (next == text.size() || text[next] != '(')
      continue;
    const size_t close = behind(text, next);
    if (!word.starts_with("__"))
      return {word, std::string(text.substr(next + 1, close - next - 2))};
    i = close; // an attribute
  }
  return {};
}

/// The texts inside the parentheses of the parameters of functions with this name that `__global__` marks.
std::vector<std::string> markedLists(std::string_view text, std::string_view kernel) {
  constexpr std::string_view Mark = "__global__";
  std::vector<std::string> lists;
  for (size_t at = text.find(Mark); at != std::string::npos; at = text.find(Mark, at + 1))
    if (auto [name, list] = kernelAt(text, at + Mark.size()); name == kernel)
      lists.push_back(std::move(list));
  return lists;
}

/// The same of all functions with this name that are defined in the text: a macro may contain `__global__`.
std::vector<std::string> definedLists(std::string_view text, std::string_view kernel) {
  std::vector<std::string> lists;
  for (size_t at = text.find(kernel); at != std::string::npos; at = text.find(kernel, at + 1)) {
    const size_t next = text.find_first_not_of(" \t\n\r", at + kernel.size());
    if (next == std::string::npos || text[next] != '(' || (at && isWordChar(text[at - 1])))
      continue;
    const size_t close = behind(text, next);
    const size_t body = text.find_first_not_of(" \t\n\r", close);
    if (body != std::string::npos && text[body] == '{')
      lists.emplace_back(text.substr(next + 1, close - next - 2));
  }
  return lists;
}

} // namespace

std::string withoutComments(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = i;
    if (text.substr(i, 2) == "//")
      end = text.find('\n', i);
    else if (text.substr(i, 2) == "/*")
      end = text.find("*/", i + 2) == std::string_view::npos ? text.size() : text.find("*/", i + 2) + 2;
    else if (text[i] == '"') {
      for (end = i + 1; end < text.size() && text[end] != '"' && text[end] != '\n'; ++end)
        end += text[end] == '\\';
      end = std::min(end + 1, text.size());
    }
    if (end == i) {
      out += text[i];
      continue;
    }
    end = std::min(end, text.size());
    out.append(end - i, ' ');
    i = end - 1;
  }
  return out;
}

/// "saxpy" of "math::saxpy<float>".
std::string plainName(std::string name) {
  name = name.substr(0, name.find('<'));
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::vector<std::string> parameterNamesIn(std::string_view source, std::string_view kernel,
                                          std::optional<size_t> count) {
  const std::string text = withoutComments(source);
  std::vector<std::string> lists = markedLists(text, kernel);
  if (lists.empty() && !kernel.empty())
    lists = definedLists(text, kernel);
  std::vector<std::string> names;
  bool isFound = false;
  for (const std::string &list : lists) {
    std::vector<std::string> here;
    for (std::string &piece : pieces(list))
      here.push_back(nameIn(std::move(piece)));
    if (count && here.size() != *count)
      continue;
    if (isFound && here != names)
      return {};
    names = std::move(here), isFound = true;
  }
  return names;
}

} // namespace heddle
