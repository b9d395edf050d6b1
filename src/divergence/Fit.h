// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::divergence {

/// (1): a block's count as β0 + β1 I[1] + ... + βp I[p] + βp+1 tid. The paper's tid is an input like others
/// here: the thread's index along each axis that decides, in its block or, where the block's number decides
/// too, in the launch.
struct LinearModel {
  std::vector<uint32_t> inputs;     ///< I: which inputs of the kernel, in order
  std::vector<double> coefficients; ///< β0, then one for each input
  double absent = 0; ///< count of threads that never came to load one of the inputs (NaN): most often 0
  double trainingError = 0; ///< mean square, over the threads that it was fitted to
  double error = 0;         ///< mean square, over all threads of the launch

  double predict(std::span<const double> values) const;
};

/// Least squares. `columns` are the inputs, one value for each observation; NaN represents a thread that
/// never loaded it. Where columns cannot be distinguished, the smallest coefficients are taken.
LinearModel fit(const std::vector<std::vector<double>> &columns, std::span<const double> counts);

/// How a thread's vector can be known before it runs.
enum class Key {
  Constant, ///< all threads execute the block equally often
  Linear,   ///< the linear model fits
  Inputs,   ///< it does not, but threads with equal inputs do the same: the branch's own input is the key
  Profile,  ///< neither: only a run shows it
};
std::string_view nameOf(Key key); ///< "constant", "linear", "input", "profile"

struct BlockPrediction {
  Key key = Key::Constant;
  double variance = 0;          ///< of the counts themselves
  std::vector<uint32_t> inputs; ///< all that decide it, usable in a model or not
  LinearModel model;
};

/// How well a kernel's vectors can be predicted (section IV-A): models are fitted to the threads of one thread block and compared with those of
/// all.
struct Prediction {
  std::vector<Input> inputs;
  std::vector<BlockPrediction> blocks; ///< by basic block
  uint32_t trainingBlock = 0;          ///< the thread block with most distinct vectors
  double meanSquareError = 0;          ///< of linear models, mean over blocks that vary

  unsigned count(Key key) const;
};

/// A model fits where its mean square error is at most threshold::divergence::mostUnexplained of how much the
/// counts themselves vary, or no more than the paper had for its own (mostSquareError).
Prediction predict(const LaunchProfile &launch);

/// What to do where neither model nor key serves: take what the same thread did when it was profiled (right
/// where inputs have not changed), or the model all the same.
enum class Otherwise { Profile, Model };

/// Vectors of all threads of `launch` by its inputs: by the models that were fitted to `profiled`, or by what
/// threads with the same key did there.
BlockVectors predictVectors(const Prediction &prediction, const LaunchProfile &profiled,
                            const LaunchProfile &launch, Otherwise otherwise = Otherwise::Profile);

} // namespace heddle::divergence
