// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/PlainIndices.h"

#include "analysis/GroupCalls.h"
#include "analysis/StatementShape.h"
#include "analysis/ThreadBuiltins.h"
#include "source/Unit.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <vector>

using namespace clang;

namespace heddle::transform {

namespace {

/// What a member function of a thread block gives, and how a transform would rather see it.
struct Meaning {
  const char *member;
  const char *inOneDimension, *inAll;
};
constexpr const char *rank = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
constexpr const char *blockSize = "(blockDim.x * blockDim.y * blockDim.z)";
constexpr Meaning meanings[] = {
    {"thread_rank", "threadIdx.x", rank},     {"size", "blockDim.x", blockSize},
    {"num_threads", "blockDim.x", blockSize}, {"thread_index", "threadIdx", "threadIdx"},
    {"group_index", "blockIdx", "blockIdx"},  {"group_dim", "blockDim", "blockDim"},
    {"dim_threads", "blockDim", "blockDim"},
};

/// The same of a tile of the block, with its threads.
constexpr Meaning tileMeanings[] = {
    {"meta_group_rank", "(threadIdx.x / {0})",
     "((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / {0})"},
    {"meta_group_size", "((blockDim.x + {0} - 1) / {0})",
     "((blockDim.x * blockDim.y * blockDim.z + {0} - 1) / {0})"},
};

/// What replaces a call; nothing for other calls. A member may be inherited or static: what counts is the
/// object as written.
std::optional<std::string> plainText(const CallExpr *call, bool isFlat) {
  auto *callee = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
  auto *method = callee ? dyn_cast<CXXMethodDecl>(callee->getMemberDecl()) : nullptr;
  if (!method || !method->getIdentifier())
    return std::nullopt;
  const QualType type = analysis::groupTypeOf(call);
  if (analysis::groupKind(type) == analysis::GroupKind::Block)
    for (const Meaning &meaning : meanings)
      if (method->getName() == meaning.member)
        return isFlat ? meaning.inOneDimension : meaning.inAll;
  if (std::optional<int64_t> threads = analysis::sizeOfTileOfBlock(type))
    for (const Meaning &meaning : tileMeanings)
      if (method->getName() == meaning.member)
        return fmt::format(fmt::runtime(isFlat ? meaning.inOneDimension : meaning.inAll), *threads);
  return std::nullopt;
}

/// By place in the file, since instantiations share their text.
using TextAt = std::map<unsigned, std::pair<const CallExpr *, std::string>>;

TextAt plainTexts(const Kernel &kernel, bool isFlat) {
  TextAt texts;
  for (const CallExpr *call : Uses::of(kernel.function->getBody()).calls)
    if (std::optional<std::string> text = plainText(call, isFlat))
      texts.emplace(call->getBeginLoc().getRawEncoding(), std::pair(call, *text));
  return texts;
}

bool isGroup(const VarDecl *variable) {
  const QualType type = variable->getType().getNonReferenceType();
  return analysis::groupKind(type) != analysis::GroupKind::None || analysis::sizeOfTileOfBlock(type);
}

/// Whether nothing happens but that groups are made, with functions of cooperative groups.
bool onlyMakesGroups(const Expr *code) {
  const Uses uses = Uses::of(code);
  const auto isOfGroups = [](const CallExpr *call) {
    const FunctionDecl *callee = analysis::calleeOf(call);
    const auto *scope = callee ? dyn_cast<NamespaceDecl>(callee->getDeclContext()) : nullptr;
    return scope && scope->getName() == "cooperative_groups";
  };
  return std::ranges::all_of(uses.calls, isOfGroups) &&
         std::ranges::none_of(uses.statements, analysis::assigns);
}

/// The declarations of groups in a kernel, and what mentions them, also where it is not evaluated.
struct GroupNames : DynamicRecursiveASTVisitor {
  std::vector<const DeclStmt *> declarations; ///< in the order of the text, each of one group, in braces
  std::map<const ValueDecl *, std::vector<const DeclRefExpr *>> mentions;

  bool VisitCompoundStmt(CompoundStmt *body) override {
    for (const Stmt *statement : body->body())
      if (auto *declaration = dyn_cast<DeclStmt>(statement); declaration && declaration->isSingleDecl())
        if (auto *variable = dyn_cast<VarDecl>(declaration->getSingleDecl()); variable && isGroup(variable))
          declarations.push_back(declaration);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    mentions[reference->getDecl()].push_back(reference);
    return true;
  }
};

/// Takes out the declarations of groups that nothing but `gone` mentions: compilers would warn of them. Of a template, what is
/// written counts, since another instantiation may have what this one leaves out (`if constexpr`).
void removeUnnamedGroups(const Kernel &kernel, std::vector<SourceRange> gone, source::Edits &edits) {
  const FunctionDecl *pattern = kernel.function->getTemplateInstantiationPattern();
  GroupNames names;
  names.TraverseStmt((pattern ? pattern : kernel.function)->getBody());
  const SourceManager &manager = kernel.unit->context().getSourceManager();
  const auto isIn = [&](SourceRange inner, SourceRange outer) {
    return !manager.isBeforeInTranslationUnit(inner.getBegin(), outer.getBegin()) &&
           !manager.isBeforeInTranslationUnit(outer.getEnd(), inner.getEnd());
  };
  const size_t calls = gone.size();
  for (const DeclStmt *declaration : std::views::reverse(names.declarations)) {
    const SourceRange range = declaration->getSourceRange();
    const auto *group = cast<VarDecl>(declaration->getSingleDecl());
    const std::vector<const DeclRefExpr *> &mentions = names.mentions[group];
    const bool holdsEdit = std::any_of(gone.begin(), gone.begin() + std::ptrdiff_t(calls),
                                       [&](SourceRange call) { return isIn(call, range); });
    const auto isGone = [&](const DeclRefExpr *mention) {
      return std::ranges::any_of(gone,
                                 [&](SourceRange each) { return isIn(mention->getSourceRange(), each); });
    };
    if (mentions.empty() || !std::ranges::all_of(mentions, isGone) || holdsEdit ||
        range.getBegin().isMacroID() || range.getEnd().isMacroID() || !group->getInit() ||
        !onlyMakesGroups(group->getInit()))
      continue;
    edits.replace(*kernel.unit, range, "");
    gone.push_back(range);
  }
}

} // namespace

std::optional<Needs> writePlainIndices(Context &context, const Kernel &kernel) {
  const bool isFlat = std::ranges::all_of(context.target.instances, [&](const Kernel *instance) {
    const KernelFacts &facts = context.facts(*instance);
    return facts.launch.block[1] == 1 && facts.launch.block[2] == 1 && !facts.launchesDisagree;
  });
  std::vector<TextAt> ofInstances;
  for (const Kernel *instance : context.target.instances)
    ofInstances.push_back(plainTexts(*instance, isFlat));
  source::Edits edits;
  std::vector<SourceRange> replaced;
  for (const auto &[place, entry] : plainTexts(kernel, isFlat)) {
    const auto &[call, text] = entry;
    const bool isSame = std::ranges::all_of(ofInstances, [&](const TextAt &texts) {
      const auto there = texts.find(place);
      return there != texts.end() && there->second.second == text;
    });
    if (!isSame)
      continue;
    edits.replace(*kernel.unit, call->getSourceRange(), text);
    replaced.push_back(call->getSourceRange());
  }
  if (!replaced.empty())
    removeUnnamedGroups(kernel, replaced, edits);
  return neededEdits("plain-indices", std::move(edits));
}

} // namespace heddle::transform
