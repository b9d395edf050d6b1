// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/warp/SharedPatterns.h"
#include "source/Render.h"
#include "transform/Names.h"

namespace heddle::transform {

/// Writes shared arrays whose accesses are all fixed patterns as registers striped over the lanes:
///
///     __shared__ float sums[256];                  heddle::Striped<float, 256> sums;
///     if (t < half)                          =>    const float sumsAhead = sums.ahead(kx * 32 + half);
///       sums[t] += sums[t + half];                 if (t < half)
///                                                    sums.own(kx) += sumsAhead;
///
/// The loops that count distances get a `#pragma unroll`. A refusal where the text cannot be had.
std::optional<Diagnostic> writeStriped(const source::Unit &unit, const clang::FunctionDecl *kernel,
                                       const clang::ParentMap &parents,
                                       const std::vector<const analysis::SharedArray *> &arrays, Names &names,
                                       source::Edits &edits);

} // namespace heddle::transform
