// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::generator {

/// What a node is allowed to be replaced by when a program is shrunk.
enum class Sort {
  Fixed,     ///< part of its parent: stays
  List,      ///< its children follow each other; each of them can go
  Item,      ///< a function, a class, a variable of the file
  Statement, ///< of one thread, or of the whole block: in the second case it begins and ends "in step"
  Value,     ///< an unsigned number
  Uniform,   ///< an unsigned number that is the same for all threads of a block
};

/// A program is a tree of these: text in which `@0`, `@1`... are the children, and `@*` is all of them.
///
/// Whatever must stay together to keep a program free of races (a store to shared memory, the barriers around
/// it and the loads after it) is the text of one node, so that no subtree that is dropped or replaced makes
/// an undefined program of a defined one.
struct Node {
  Sort sort = Sort::Fixed;
  std::string form;
  std::vector<Node> children;
  std::string name; ///< of an item: what others call it
};

Node node(Sort sort, std::string form, std::vector<Node> children = {});
Node list(std::vector<Node> children = {});
inline Node text(std::string form) { return node(Sort::Fixed, std::move(form)); }

/// The text of a tree, laid out by its braces.
std::string print(const Node &node);
/// How many nodes there are: what shrinking makes smaller.
size_t sizeOf(const Node &node);

} // namespace heddle::generator
