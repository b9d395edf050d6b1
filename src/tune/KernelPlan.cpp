// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/KernelPlan.h"

#include "model/Thresholds.h"
#include "support/Demangle.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::tune {
namespace {

using model::threshold::tune::leastShare;

/// A launch that takes this share of the time of its kernel's launches needs no note.
constexpr double speaksForAll = 0.9;

std::string shareText(const KernelShare &kernel) {
  return fmt::format("{} ({:.2g} %)", kernel.name, 100 * kernel.share);
}

std::vector<std::string> textsOf(const std::vector<KernelShare> &kernels, size_t from) {
  std::vector<std::string> texts;
  for (size_t i = from; i < kernels.size(); ++i)
    texts.push_back(shareText(kernels[i]));
  return texts;
}

const FileKernel *fileKernelOf(const build::LaunchShape &shape, const std::vector<FileKernel> &kernels) {
  const auto found = std::ranges::find(kernels, shape.kernel, &FileKernel::mangled);
  return found == kernels.end() ? nullptr : &*found;
}

/// What a shape counts: where nothing could be measured, each launch the same.
double costOf(const build::LaunchShape &shape, bool isMeasured) {
  return isMeasured ? shape.cost : double(shape.launches);
}

} // namespace

std::string KernelPlan::str() const {
  if (tuned.size() + left.size() < 2 || tuned.empty())
    return {};
  std::string text =
      fmt::format("{} {} {:.2g} % of the {} of all launches and is tuned first", tuned.front().name,
                  sharesAreOf == Of::Instructions ? "executes" : "takes", 100 * tuned.front().share,
                  sharesAreOf == Of::Time            ? "time"
                  : sharesAreOf == Of::PredictedTime ? "predicted time"
                                                     : "instructions");
  if (tuned.size() > 1)
    text += ", then " + joinAnd(textsOf(tuned, 1));
  if (!left.empty())
    text += "; not tuned: " + joinAnd(textsOf(left, 0));
  return text;
}

std::string KernelShare::note() const {
  if (shapes < 2 || longestShare >= speaksForAll)
    return {};
  const auto &[gx, gy, gz] = longest.grid;
  const auto &[bx, by, bz] = longest.block;
  return fmt::format(
      "{} is launched in {} instantiations or shapes; candidates are timed by one of them, {} with "
      "grid {} {} {} and block {} {} {}, which takes {:.2g} % of the time of its launches",
      name, shapes, functionName(longest.kernel), gx, gy, gz, bx, by, bz, 100 * longestShare);
}

KernelPlan planKernels(const std::vector<build::LaunchShape> &shapes,
                       const std::vector<FileKernel> &kernels) {
  const bool isMeasured = std::ranges::any_of(shapes, [](const auto &shape) { return shape.cost > 0; });
  double all = 0;
  for (const build::LaunchShape &shape : shapes)
    all += costOf(shape, isMeasured);
  KernelPlan plan;
  plan.hasOthers = plainNames(kernels).size() > 1;
  std::vector<KernelShare> shares;
  std::vector<double> costs; // of the longest shapes
  for (const build::LaunchShape &shape : shapes) {
    const double cost = costOf(shape, isMeasured);
    const FileKernel *kernel = fileKernelOf(shape, kernels);
    if (!kernel) {
      plan.elsewhere += cost / all;
      continue;
    }
    const auto known = std::ranges::find(shares, kernel->plain, &KernelShare::name);
    const size_t at = size_t(known - shares.begin());
    const bool isNew = known == shares.end();
    if (isNew) {
      shares.push_back({kernel->plain, 0, 0, shape, 1, 1});
      costs.push_back(cost);
    } else if (cost > costs[at]) {
      shares[at].longest = shape;
      costs[at] = cost;
    }
    shares[at].share += cost / all;
    shares[at].launches += shape.launches;
    shares[at].shapes += !isNew;
  }
  for (size_t i = 0; i < shares.size(); ++i)
    shares[i].longestShare = shares[i].share > 0 ? costs[i] / all / shares[i].share : 1;
  std::ranges::stable_sort(shares, std::greater(), &KernelShare::share);
  for (KernelShare &kernel : shares) // the first is tuned, whatever it takes
    (plan.tuned.empty() || kernel.share >= leastShare ? plan.tuned : plan.left).push_back(std::move(kernel));
  return plan;
}

Budget partOf(const Budget &left, const KernelPlan &plan, size_t index) {
  double toCome = 0;
  for (size_t i = index; i < plan.tuned.size(); ++i)
    toCome += plan.tuned[i].share;
  const bool isLast = index + 1 == plan.tuned.size();
  const double part = isLast || toCome <= 0 ? 1 : plan.tuned[index].share / toCome;
  Budget budget;
  if (left.seconds)
    budget.seconds = *left.seconds * part;
  if (left.runs) // a baseline alone is no result
    budget.runs =
        std::min(*left.runs, std::max<uint64_t>(2, uint64_t(std::llround(double(*left.runs) * part))));
  return budget;
}

} // namespace heddle::tune
