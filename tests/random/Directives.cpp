// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a program: one directive or two, in all the ways to write them. The first decides which kernel is
// written: mostly one that the directive can be carried out on, now and then any.
#include "random/Writer.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace heddle::generator {

const std::vector<DirectiveForm> &directiveForms() {
  using enum KernelShape;
  // A factor is written for each `?`.
  static const std::vector<DirectiveForm> all = {
      {"coarsen x=?", Block},
      {"coarsen y=?", Block},
      {"coarsen z=?", Block},
      {"coarsen x=? y=?", Block},
      {"coarsen x=?", Loops},
      {"coarsen x=? map=blocked", Block},
      {"coarsen x=?", Threads},
      {"coarsen y=? map=blocked", Block},
      {"coarsen grid=?", Threads},
      {"consolidate", Block},
      {"consolidate remap=off delegate=off", Block},
      {"consolidate remap=off delegate=off", Threads},
      {"consolidate remap=auto delegate=off", Block},
      {"consolidate remap=on delegate=off", Tree},
      {"consolidate remap=off delegate=on", Block},
      {"consolidate remap=auto delegate=on tasks=dynamic", Block},
      {"consolidate remap=auto delegate=on throttle=2", Block},
      {"specialize", Tiles},
      {"specialize copy=ld", Tiles},
      {"specialize copy=cpasync buffers=2", Tiles},
      {"specialize copy=bulk", Tiles},
      {"specialize copy=ld barrier=named producers=1", Tiles},
      {"specialize producers=2 buffers=3 registers=keep", Tiles},
      {"specialize by=branch", Threads},
      {"regroup by=profile", Threads},
      {"regroup by=branch", Threads},
      {"regroup by=in[g]&7u", Threads},
      {"regroup by=threadIdx.x&3u", Threads},
      {"regroup by=in[g]&3u via=layout", Threads},
      {"branchless", Threads},
      {"unroll-jam factor=?", Loops},
      {"interchange", Loops},
      {"fuse", Loops},
      {"distribute", Loops},
      {"scalar-replace", Loops},
      {"auto", Block},
  };
  return all;
}

void Writer::chooseDirective() {
  const std::vector<DirectiveForm> &forms = directiveForms();
  if (std::gcd(forms.size(), features().size()) != 1)
    throw std::logic_error(
        "every directive meets every feature only where their numbers have no common divisor");
  meant = &forms[program.seed % forms.size()];
  static const std::vector<KernelShape> any = {KernelShape::Block, KernelShape::Block, KernelShape::Threads,
                                               KernelShape::Loops, KernelShape::Tiles};
  kernelShape = chance(92) ? meant->shape : one(any);
  static const std::vector<std::array<unsigned, 3>> blocks = {
      {64, 1, 1}, {32, 1, 1}, {64, 1, 1}, {96, 1, 1},  {32, 2, 1}, {16, 4, 1},
      {8, 8, 1},  {8, 4, 2},  {16, 2, 2}, {128, 1, 1}, {48, 1, 1}, {64, 2, 1}};
  const std::string text = meant->text;
  const auto fits = [&](const std::array<unsigned, 3> &block) {
    const unsigned threads = block[0] * block[1] * block[2];
    return !(text.find("y=") != std::string::npos && block[1] == 1) &&
           !(text.find("z=") != std::string::npos && block[2] == 1) &&
           !(text.find("copy=bulk") != std::string::npos && block[1] > 1) &&
           !(text.starts_with("specialize") && threads % 32) &&
           !(kernelShape == KernelShape::Tree && threads & (threads - 1));
  };
  do
    shape = one(blocks);
  while (!fits(shape) && chance(95));
}

std::string Writer::pragma(const std::string &directive) {
  // Each line is a directive that can be refused, and the first refusal ends it all.
  const std::string name = directive.substr(0, directive.find(' '));
  const bool isMeant = std::string(meant->text).starts_with(name);
  if (program.pragmas.empty() ? !isMeant && !chance(20) : !chance(15))
    return "";
  program.pragmas.push_back(directive);
  return "#pragma heddle " + directive + "\n";
}

/// The form with its factors: mostly such that divide the block.
std::string Writer::directiveOf(const DirectiveForm &from) {
  std::string text;
  for (const char *c = from.text; *c; ++c) {
    if (*c != '?') {
      text += *c;
      continue;
    }
    const char axis = text[text.size() - 2];
    const unsigned extent = axis == 'x' ? shape[0] : axis == 'y' ? shape[1] : axis == 'z' ? shape[2] : 4;
    const unsigned factor = chance(40) && extent % 4 == 0 ? 4 : extent % 3 == 0 && chance(40) ? 3 : 2;
    text += std::to_string(factor);
  }
  return text;
}

void Writer::directives() {
  const std::string first = directiveOf(*meant);
  const bool isPragma = !program.pragmas.empty();
  const bool isForLoops = kernelShape == KernelShape::Loops;
  // A directive on a loop or a branch is a pragma above it, where there is one.
  const bool needsPlace = meant->shape == KernelShape::Loops || first == "branchless";
  if (first == "scalar-replace" || !needsPlace || !isPragma)
    program.directives.push_back(first);
  if (!chance(22))
    return;
  // After a directive that changes blocks into warps, few others can do anything.
  static const std::vector<std::string> forWarps = {"scalar-replace"};
  static const std::vector<std::string> forThreads = {"scalar-replace", "coarsen x=2", "coarsen grid=2",
                                                      "consolidate remap=off delegate=off"};
  static const std::vector<std::string> forBlocks = {"scalar-replace", "coarsen x=2",
                                                     "consolidate remap=off delegate=off"};
  static const std::vector<std::string> forLoops = {"scalar-replace", "coarsen x=2", "scalar-replace",
                                                    "consolidate remap=off delegate=off"};
  const bool isForWarps = first.starts_with("consolidate") || first.starts_with("specialize");
  const std::vector<std::string> &usual = isForWarps                            ? forWarps
                                          : isForLoops                          ? forLoops
                                          : kernelShape == KernelShape::Threads ? forThreads
                                                                                : forBlocks;
  const std::string second = chance(85) ? one(usual) : directiveOf(one(directiveForms()));
  if (second.substr(0, second.find(' ')) != first.substr(0, first.find(' ')))
    program.directives.push_back(second);
}

} // namespace heddle::generator
