// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/PlainIndices.h"

#include "analysis/GroupCalls.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  for (const auto &[place, entry] : plainTexts(kernel, isFlat)) {
    const auto &[call, text] = entry;
    const bool isSame = std::ranges::all_of(ofInstances, [&](const TextAt &texts) {
      const auto there = texts.find(place);
      return there != texts.end() && there->second.second == text;
    });
    if (isSame)
      edits.replace(*kernel.unit, call->getSourceRange(), text);
  }
  return neededEdits("plain-indices", std::move(edits));
}

} // namespace heddle::transform
