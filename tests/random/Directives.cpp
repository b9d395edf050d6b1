// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a program: mostly what may be accepted, now and then anything, one directive or two.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

std::string Writer::pragma(const std::string &directive) {
  // Each line is a directive that can be refused, and the first refusal ends it all.
  if (!program.pragmas.empty() && !chance(25))
    return "";
  program.pragmas.push_back(directive);
  return "#pragma heddle " + directive + "\n";
}

std::string Writer::coarsening() {
  std::string text = "coarsen";
  const char *const letters[] = {"x", "y", "z"};
  unsigned product = 1;
  for (int axis = 0; axis < 3; ++axis) {
    static const std::vector<unsigned> factors = {1, 2, 4};
    const unsigned factor = one(factors);
    if (factor > 1 && shape[axis] % factor == 0 && (axis == 0 || chance(60))) {
      text += fmt::format(" {}={}", letters[axis], factor);
      product *= factor;
    }
  }
  if (kernelShape == Shape::Threads && chance(30))
    return "coarsen grid=2";
  if (product == 1)
    text += shape[0] % 2 ? " x=3" : " x=2";
  return text + (chance(40) ? " map=blocked" : "");
}

std::string Writer::kernelDirective() {
  static const std::vector<std::string> consolidations = {"consolidate remap=off delegate=off",
                                                          "consolidate remap=auto delegate=off",
                                                          "consolidate remap=off delegate=on",
                                                          "consolidate remap=auto delegate=on tasks=dynamic",
                                                          "consolidate remap=auto delegate=on throttle=2",
                                                          "consolidate remap=on delegate=off"};
  static const std::vector<std::string> specializations = {
      "specialize copy=ld",     "specialize copy=cpasync buffers=2",
      "specialize buffers=3",   "specialize copy=ld barrier=named producers=1",
      "specialize producers=2", "specialize"};
  static const std::vector<std::string> regroupings = {"regroup by=profile",
                                                       "regroup by=branch",
                                                       "regroup by=in[g]&7u",
                                                       "regroup by=threadIdx.x&3u",
                                                       "regroup by=in[g]&3u via=layout",
                                                       "regroup by=profile"};
  static const std::vector<std::string> rest = {"auto", "scalar-replace", "specialize by=branch",
                                                "branchless", "consolidate"};
  if (kernelShape == Shape::Tiles && chance(60))
    return one(specializations);
  if (kernelShape == Shape::Threads && chance(50))
    return chance(55) ? one(regroupings) : "specialize by=branch";
  switch (pick(20)) {
  case 0: return one(specializations);
  case 1: return one(regroupings);
  case 2:
  case 3: return one(rest);
  case 4:
  case 5:
  case 6:
  case 7:
  case 8:
  case 9: return one(consolidations);
  default: return coarsening();
  }
}

void Writer::directives() {
  const bool hasPragma = !program.pragmas.empty();
  if (kernelShape == Shape::Loops && hasPragma && chance(70))
    return;
  program.directives.push_back(kernelDirective());
  if (chance(25)) {
    static const std::vector<std::string> seconds = {"scalar-replace", "coarsen x=2",
                                                     "consolidate remap=off delegate=off", "scalar-replace"};
    static const std::vector<std::string> any = {"branchless", "unroll-jam factor=2", "interchange", "fuse",
                                                 "distribute", "regroup by=profile",  "auto"};
    program.directives.push_back(chance(80) ? one(seconds) : one(any));
  }
}

} // namespace heddle::generator
