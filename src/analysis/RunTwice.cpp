// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RunTwice.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/PointersApart.h"
#include "analysis/Uses.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <map>

using namespace clang;

namespace heddle::analysis {
namespace {

/// Functions that leave something behind which is no array of the kernel's; a name that ends in * represents
/// all that begin so.
constexpr const char *leavesTraces[] = {"printf",  "vprintf", "malloc",  "free",        "__assertfail",
                                        "surf1D*", "surf2D*", "surf3D*", "surfCubemap*"};

bool leavesTrace(const CallExpr *call) {
  const FunctionDecl *callee = calleeOf(call);
  const llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
  return isOneOf(name, leavesTraces);
}

} // namespace

bool mayRunTwice(const KernelFacts &facts) {
  using Space = Array::Space;
  if (!facts.accesses->isComplete())
    return false;
  const Reach reach = Reach::of(facts.kernel->function, *facts.kernel->unit);
  if (!reach.unknown().empty())
    return false;
  for (const Reached &reached : reach.all()) {
    const Uses uses = reached.uses();
    if (std::any_of(uses.calls.begin(), uses.calls.end(), leavesTrace))
      return false;
  }
  std::map<const Array *, std::array<bool, 2>> readAndWritten;
  bool readsUnknown = false, writes = false;
  for (const Access &access : facts.accesses->all()) {
    const Space space = access.array->space;
    if (space == Space::Local || space == Space::Constant)
      continue;
    const bool isUnknown = space == Space::Unknown;
    if (access.kind == Access::Kind::Atomic || (isUnknown && access.isWrite()))
      return false;
    readsUnknown |= isUnknown;
    writes |= access.isWrite();
    readAndWritten[access.array][access.isWrite()] = true;
  }
  if (readsUnknown && writes)
    return false;
  for (const auto &[read, ofRead] : readAndWritten)
    for (const auto &[written, ofWritten] : readAndWritten)
      if (ofRead[0] && ofWritten[1] && (read == written || reasonToOverlap(*read, *written)))
        return false;
  return true;
}

} // namespace heddle::analysis
