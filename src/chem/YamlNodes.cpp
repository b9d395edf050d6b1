// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/YamlNodes.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::chem {

// Nodes

YamlNode YamlNode::operator[](std::string_view key) const {
  if (!isMap())
    return {};
  for (const auto &pair : *node)
    if (pair.first.IsScalar() && pair.first.Scalar() == key)
      return {*document, pair.second};
  return {};
}

std::vector<YamlNode> YamlNode::items() const {
  std::vector<YamlNode> result;
  if (isList())
    for (const YAML::Node &item : *node)
      result.emplace_back(*document, item);
  return result;
}

std::vector<std::pair<YamlNode, YamlNode>> YamlNode::pairs() const {
  std::vector<std::pair<YamlNode, YamlNode>> result;
  if (isMap())
    for (const auto &pair : *node)
      result.emplace_back(YamlNode(*document, pair.first), YamlNode(*document, pair.second));
  return result;
}

SourceLocation YamlNode::location() const {
  if (!document || !node)
    return {};
  // A text of several lines is marked on its first.
  return document->location(node->Mark(), isText() ? node->Scalar().size() : 1);
}

SourceLocation YamlNode::location(size_t column, size_t length) const {
  SourceLocation whole = location();
  if (whole.line == 0 || whole.column == 0)
    return whole;
  char first = whole.column <= whole.sourceLine.size() ? whole.sourceLine[whole.column - 1] : ' ';
  unsigned at = whole.column + unsigned(column) + (first == '\'' || first == '"' ? 1 : 0);
  if (at > whole.sourceLine.size()) // in a later line of a folded text
    return whole;
  return {whole.file, whole.line, at, at + unsigned(length), whole.sourceLine};
}

// The document

namespace {

/// YAML is UTF-8; a byte that is not, in a comment of the CHEMKIN file it was made from, is no reason to give
/// up.
std::string asUtf8(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    size_t length = byte < 0x80                   ? 1
                    : byte >= 0xC2 && byte < 0xE0 ? 2
                    : byte >= 0xE0 && byte < 0xF0 ? 3
                    : byte >= 0xF0 && byte < 0xF5 ? 4
                                                  : 0;
    bool isWhole = length > 0 && i + length <= text.size();
    for (size_t j = 1; isWhole && j < length; ++j)
      isWhole = (static_cast<unsigned char>(text[i + j]) & 0xC0) == 0x80;
    if (isWhole)
      result.append(text, i, length);
    else
      result += '?';
    i += isWhole ? length : 1;
  }
  return result;
}

/// Reports keys that a map has twice: YAML forbids them, and readers differ in which of the values they use.
class RepeatedKeys {
public:
  RepeatedKeys(const YamlDocument &document, Diagnostics &diagnostics)
      : document(document), diagnostics(diagnostics) {}

  void check(const YAML::Node &node) {
    // An alias is the node that it represents, and is checked once.
    if ((!node.IsMap() && !node.IsSequence()) || !visited.insert({node.Mark().pos, node.IsMap()}).second)
      return;
    if (node.IsSequence()) {
      for (const YAML::Node &item : node)
        check(item);
      return;
    }
    std::map<std::string, YAML::Mark> first;
    for (const auto &pair : node) {
      if (pair.first.IsScalar())
        checkKey(pair.first, first);
      check(pair.second);
    }
  }

private:
  void checkKey(const YAML::Node &key, std::map<std::string, YAML::Mark> &first) {
    const std::string &name = key.Scalar();
    if (auto [at, isNew] = first.try_emplace(name, key.Mark()); !isNew)
      diagnostics
          .error(document.location(key.Mark(), name.size()), fmt::format("key '{}' is there twice", name))
          .note(document.location(at->second, name.size()), "first given here")
          .withHint("remove one of the two");
  }

  const YamlDocument &document;
  Diagnostics &diagnostics;
  std::set<std::pair<int, bool>> visited;
};

} // namespace

YamlDocument::YamlDocument(const SourceText &from) : source(from) {
  for (size_t begin = 0; begin < source.text.size();) {
    size_t end = std::min(source.text.find('\n', begin), source.text.size());
    std::string text = source.text.substr(begin, end - begin);
    if (text.ends_with('\r'))
      text.pop_back();
    lines.push_back({&source.name, unsigned(lines.size()) + 1, text, 0, text.size()});
    begin = end + 1;
  }
}

YamlNode YamlDocument::parse(Diagnostics &diagnostics) const {
  try {
    YAML::Node root = YAML::Load(asUtf8(source.text));
    RepeatedKeys(*this, diagnostics).check(root);
    return {*this, root};
  } catch (const YAML::Exception &error) {
    diagnostics.error(location(error.mark, 1), "this is not valid YAML: " + error.msg);
  } catch (const std::exception &error) {
    diagnostics.error(wholeFile(), fmt::format("this is not valid YAML: {}", error.what()));
  }
  return {};
}

SourceLocation YamlDocument::location(const YAML::Mark &mark, size_t length) const {
  if (mark.line < 0 || size_t(mark.line) >= lines.size())
    return wholeFile();
  const Line &line = lines[size_t(mark.line)];
  size_t column = std::min(size_t(std::max(mark.column, 0)), line.text.size());
  return line.at(column,
                 std::clamp<size_t>(length, 1, std::max<size_t>(line.text.size(), column + 1) - column));
}

} // namespace heddle::chem
