// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/RegionTree.h"

#include "analysis/RegionView.h"
#include "report/Highlight.h"
#include "report/Html.h"
#include "report/KernelWords.h"
#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

namespace heddle::report {
namespace {

using namespace analysis;
using NodeKind = KernelNode::Kind;

/// A generated kernel has thousands of nodes; the tree of those is no help.
constexpr size_t MostNodes = 2000;

class TreeHtml {
public:
  TreeHtml(const KernelFacts &facts, const std::vector<std::string> &lines)
      : facts(facts), tree(*facts.tree), view(tree), lines(lines) {}

  std::string text() {
    if (tree.nodes().size() > MostNodes)
      return paragraphHtml(
          fmt::format("The kernel has {} statements: its tree is not drawn.", tree.nodes().size()));
    return "<ul class=\"tree\">\n" + list(children(tree.root())) + "</ul>\n";
  }

private:
  using Nodes = std::vector<const KernelNode *>;

  /// Blocks, cases and labels are no levels of their own.
  static void flatten(const KernelNode &node, Nodes &into) {
    if (node.kind != NodeKind::Block && node.kind != NodeKind::Case && node.kind != NodeKind::Label)
      into.push_back(&node);
    else
      for (const auto &child : node.children)
        flatten(*child, into);
  }
  static Nodes children(const KernelNode &node) {
    Nodes found;
    if (node.kind == NodeKind::Block)
      flatten(node, found);
    else
      for (const auto &child : node.children)
        flatten(*child, found);
    return found;
  }

  bool isStraight(const KernelNode &node) const {
    return node.kind == NodeKind::Statement && node.barriers.empty();
  }

  std::string list(const Nodes &nodes) {
    std::string out;
    for (size_t i = 0; i < nodes.size();) {
      if (!isStraight(*nodes[i])) {
        out += item(*nodes[i++]);
        continue;
      }
      const size_t begin = i;
      while (i < nodes.size() && isStraight(*nodes[i]))
        ++i;
      out += straight(*nodes[begin], *nodes[i - 1]);
    }
    return out;
  }

  std::string straight(const KernelNode &first, const KernelNode &last) const {
    const unsigned begin = lineOf(first.statement->getBeginLoc()), end = lineOf(last.statement->getEndLoc());
    return fmt::format("<li>{}{}{}</li>\n", tagHtml("code", Tone::Plain), lineText(begin, end),
                       regionTag(first));
  }

  std::string regionTag(const KernelNode &node) const {
    const std::optional<unsigned> region = facts.regions->hasBarrier() && facts.regions->isStructured()
                                               ? view.regionOf(node.statement)
                                               : std::nullopt;
    return region ? " " + tagHtml(fmt::format("region {}", *region), Tone::Info) : "";
  }

  std::string item(const KernelNode &node) {
    const unsigned line = tree.location(node).line;
    const bool hasInside =
        node.kind == NodeKind::Loop || node.kind == NodeKind::Branch || node.kind == NodeKind::Switch;
    std::string head =
        tagHtml(nameOf(node),
                node.kind == NodeKind::Barrier || !node.barriers.empty() ? Tone::Info : Tone::Plain) +
        lineText(line, line) + " " + code(line) + divergence(node);
    if (!hasInside)
      return fmt::format("<li>{}</li>\n", head);
    return fmt::format("<li><details class=\"tree\" open><summary>{}</summary>\n{}</details></li>\n", head,
                       inside(node));
  }

  std::string inside(const KernelNode &node) {
    if (node.kind != NodeKind::Branch || node.children.size() < 2)
      return "<ul>\n" + list(children(node)) + "</ul>\n";
    Nodes then, otherwise;
    flatten(*node.children[0], then);
    flatten(*node.children[1], otherwise);
    return fmt::format("<ul>\n{}</ul>\n<div class=\"soft\">else</div>\n<ul>\n{}</ul>\n", list(then),
                       list(otherwise));
  }

  const char *nameOf(const KernelNode &node) const {
    switch (node.kind) {
    case NodeKind::Loop: return "loop";
    case NodeKind::Branch: return "if";
    case NodeKind::Switch: return "switch";
    case NodeKind::Barrier: return "barrier";
    case NodeKind::Jump:
      return llvm::isa<clang::ReturnStmt>(node.statement)     ? "return"
             : llvm::isa<clang::BreakStmt>(node.statement)    ? "break"
             : llvm::isa<clang::ContinueStmt>(node.statement) ? "continue"
                                                              : "goto";
    case NodeKind::Block:
    case NodeKind::Case:
    case NodeKind::Label:
    case NodeKind::Statement: break;
    }
    return node.barriers.empty() ? "code" : "barrier";
  }

  std::string divergence(const KernelNode &node) const {
    for (const auto &[function, branch] : facts.divergentBranches)
      if (branch->statement == node.statement)
        return " " +
               tagHtml(branch->level == Level::Warp ? "divergent between warps" : "divergent", Tone::Warn);
    return {};
  }

  unsigned lineOf(clang::SourceLocation location) const {
    return facts.kernel->unit->location(location).line;
  }
  static std::string lineText(unsigned first, unsigned last) {
    return first == last ? fmt::format(" <span class=\"soft\">line {}</span>", first)
                         : fmt::format(" <span class=\"soft\">lines {}-{}</span>", first, last);
  }
  std::string code(unsigned line) const {
    if (!line || line > lines.size())
      return {};
    std::string text = lines[line - 1];
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    return "<code>" + Highlighter().line(text) + "</code>";
  }

  const KernelFacts &facts;
  const KernelTree &tree;
  const RegionView view;
  const std::vector<std::string> &lines;
};

} // namespace

std::string regionTreeHtml(const KernelFacts &facts, const std::vector<std::string> &lines) {
  return TreeHtml(facts, lines).text();
}

} // namespace heddle::report
