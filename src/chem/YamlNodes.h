// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of a YAML document with what the readers ask of them, every answer with a place for messages. Nothing
// here throws: yaml-cpp does where a node is not what it was taken for, so no other code calls it.
#pragma once

#include "chem/SourceText.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace heddle::chem {

class YamlDocument;

/// A node, or none: asking on is fine and gives none again.
class YamlNode {
public:
  YamlNode() = default;
  YamlNode(const YamlDocument &document, YAML::Node node) : document(&document), node(std::move(node)) {}

  bool exists() const { return document && node && node->IsDefined() && !node->IsNull(); }
  bool isMap() const { return exists() && node->IsMap(); }
  bool isList() const { return exists() && node->IsSequence(); }
  bool isText() const { return exists() && node->IsScalar(); }

  /// The value of a key of a map.
  YamlNode operator[](std::string_view key) const;
  std::vector<YamlNode> items() const;
  std::vector<std::pair<YamlNode, YamlNode>> pairs() const;

  /// As it is written: `NO` is a name like any other.
  std::string text() const { return isText() ? node->Scalar() : std::string(); }
  SourceLocation location() const;
  /// Some letters of a text, column from 0.
  SourceLocation location(size_t column, size_t length) const;

private:
  const YamlDocument *document = nullptr;
  std::optional<YAML::Node> node;
};

class YamlDocument {
public:
  explicit YamlDocument(const SourceText &source);

  /// Nothing, with an error, where the text is no YAML. A key that a map has twice is an error too.
  YamlNode parse(Diagnostics &diagnostics) const;
  SourceLocation location(const YAML::Mark &mark, size_t length) const;
  SourceLocation wholeFile() const { return {.file = source.name}; }

private:
  const SourceText &source;
  std::vector<Line> lines; ///< as yaml-cpp counts them, so that a lone CR ends none
};

} // namespace heddle::chem
