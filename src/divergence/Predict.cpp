// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicting how often each thread executes each basic block, from what is known when the thread begins.
//
// Threads that do similar work should be in one warp. To group them before they run, the counts of a profiled
// launch are explained by inputs: thread indices and elements that the thread loads and that decide its
// branches.
//
// 1. Blocks whose counts are the same for all threads are constant.
// 2. A linear model of the inputs is fitted by least squares to the threads of one thread block, the one with
//    the most distinct behaviours, and evaluated on all threads of the launch.
// 3. If that does not explain the counts, threads with equal keys (combinations of inputs, elements) are
//    compared: where their counts agree, the mean of a key is the prediction. Where hardly two threads share
//    a key, nothing can be learned.
// 4. Otherwise only the profile itself is a prediction, for launches of the same size.
//
// "Explains" means a mean square error below `mostSquareError`, or below `mostUnexplained` of the variance
// (model/Thresholds.def). Fitting one block keeps the cost small and leaves the others to evaluate the model.
// Cost: linear in the threads of the launch for each basic block, times its inputs.
#include "divergence/Fit.h"
#include "divergence/Observations.h"
#include "model/Thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

namespace heddle::divergence {
namespace {

namespace threshold = model::threshold::divergence;

/// Threads that came to all loads that decide anything; those that left before teach nothing.
bool loadedAll(const LaunchProfile &launch, uint32_t thread) {
  return std::none_of(launch.inputs.values.begin(), launch.inputs.values.end(),
                      [&](const auto &values) { return !values.empty() && std::isnan(values[thread]); });
}

/// The thread block whose threads differ most has most to teach.
uint32_t trainingBlockOf(const LaunchProfile &launch) {
  const uint32_t threads = launch.threadsPerBlock(), blocks = launch.vectors.threads() / threads;
  uint32_t best = 0;
  size_t most = 0;
  for (uint32_t b = 0; b < blocks; ++b) {
    std::set<uint32_t> rows;
    for (uint32_t t = 0; t < threads; ++t)
      if (loadedAll(launch, b * threads + t))
        rows.insert(launch.vectors.rowOfThread(b * threads + t));
    if (rows.size() > most)
      most = rows.size(), best = b;
  }
  return best;
}

double varianceOf(const BlockVectors &vectors, uint32_t block) {
  double mean = 0, square = 0;
  for (uint32_t t = 0; t < vectors.threads(); ++t)
    mean += vectors.thread(t)[block];
  mean /= vectors.threads();
  for (uint32_t t = 0; t < vectors.threads(); ++t)
    square += (vectors.thread(t)[block] - mean) * (vectors.thread(t)[block] - mean);
  return square / vectors.threads();
}

/// Counts of threads by the values of the inputs that are their key.
class CountsByKey {
public:
  CountsByKey(const Observations &observed, const BlockVectors &vectors, uint32_t block)
      : keys(observed.keys()) {
    for (uint32_t t = 0; t < vectors.threads(); ++t) {
      Sums &group = groups[keyOf(observed, t)];
      const double count = vectors.thread(t)[block];
      group.count += 1, group.sum += count, group.squares += count * count;
    }
    threads = vectors.threads();
  }

  /// Mean square of what is left when each thread is given the mean of those with its key: 0 where the key
  /// decides. Where hardly any two threads have the same key, nothing can be learned from those that do.
  double unexplained() const {
    if (keys.empty() || groups.size() * 2 > threads)
      return std::numeric_limits<double>::infinity();
    double left = 0;
    for (const auto &[key, group] : groups)
      left += group.squares - group.sum * group.sum / group.count;
    return left / double(threads - groups.size());
  }
  std::optional<double> mean(const Observations &observed, uint32_t thread) const {
    auto found = groups.find(keyOf(observed, thread));
    return found == groups.end() ? std::nullopt : std::optional(found->second.sum / found->second.count);
  }

private:
  struct Sums {
    double count = 0, sum = 0, squares = 0;
  };
  std::string keyOf(const Observations &observed, uint32_t thread) const {
    std::string key;
    for (uint32_t input : keys) {
      const double value = observed.value(input, thread) + 0.0; // no negative zeros
      key.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    return key;
  }

  const std::vector<uint32_t> keys;
  std::unordered_map<std::string, Sums> groups;
  size_t threads = 0;
};

bool isSmall(double error, double variance) {
  return error <= threshold::mostSquareError || error <= threshold::mostUnexplained * variance;
}

/// Fitted to the threads of one thread block.
LinearModel fitted(const LaunchProfile &launch, const Observations &values, uint32_t block,
                   uint32_t training) {
  const uint32_t threads = launch.threadsPerBlock();
  std::vector<std::vector<double>> columns(values.inputs().size(), std::vector<double>(threads));
  std::vector<double> counts(threads);
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t thread = training * threads + t;
    for (size_t i = 0; i < columns.size(); ++i)
      columns[i][t] = values.value(values.inputs()[i], thread);
    counts[t] = launch.vectors.thread(thread)[block];
  }
  LinearModel model = fit(columns, counts);
  model.inputs = values.inputs();
  return model;
}

/// Mean square over all threads of the launch.
double errorOf(const LinearModel &model, const BlockVectors &vectors, const Observations &values,
               uint32_t block) {
  std::vector<double> own(model.inputs.size());
  double sum = 0;
  for (uint32_t t = 0; t < vectors.threads(); ++t) {
    for (size_t i = 0; i < own.size(); ++i)
      own[i] = values.value(model.inputs[i], t);
    const double off = model.predict(own) - vectors.thread(t)[block];
    sum += off * off;
  }
  return sum / vectors.threads();
}

BlockPrediction predictBlock(const LaunchProfile &launch, uint32_t block, uint32_t training) {
  BlockPrediction made;
  made.variance = varianceOf(launch.vectors, block);
  made.inputs = launch.inputs.ofBlock[block];
  if (made.variance == 0)
    return made;
  const Observations values(launch, block);
  made.model = fitted(launch, values, block, training);
  made.model.error = errorOf(made.model, launch.vectors, values, block);
  if (isSmall(made.model.error, made.variance))
    made.key = Key::Linear;
  else if (isSmall(CountsByKey(values, launch.vectors, block).unexplained(), made.variance))
    made.key = Key::Inputs;
  else
    made.key = Key::Profile;
  return made;
}

/// Counts of one basic block for all threads of `launch`.
std::vector<double> predictedCounts(const BlockPrediction &prediction, uint32_t block,
                                    const LaunchProfile &profiled, const LaunchProfile &launch,
                                    Otherwise otherwise) {
  const Observations values(launch, block);
  const bool asProfiled = otherwise == Otherwise::Profile && prediction.key == Key::Profile &&
                          profiled.vectors.threads() == launch.vectors.threads();
  std::optional<CountsByKey> byKey;
  if (prediction.key == Key::Inputs)
    byKey.emplace(Observations(profiled, block), profiled.vectors, block);
  std::vector<double> counts(launch.vectors.threads()), own(prediction.model.inputs.size());
  for (uint32_t t = 0; t < counts.size(); ++t) {
    if (prediction.key == Key::Constant) {
      counts[t] = profiled.vectors.thread(0)[block];
      continue;
    }
    for (size_t i = 0; i < own.size(); ++i)
      own[i] = values.value(prediction.model.inputs[i], t);
    counts[t] = prediction.model.predict(own);
    if (byKey)
      counts[t] = byKey->mean(values, t).value_or(counts[t]);
    else if (asProfiled)
      counts[t] = profiled.vectors.thread(t)[block];
  }
  return counts;
}

} // namespace

std::string_view nameOf(Key key) {
  constexpr std::string_view names[] = {"constant", "linear", "input", "profile"};
  return names[unsigned(key)];
}

unsigned Prediction::count(Key key) const {
  unsigned n = 0;
  for (const BlockPrediction &block : blocks)
    n += block.key == key;
  return n;
}

Prediction predict(const LaunchProfile &launch) {
  Prediction prediction;
  prediction.inputs = launch.inputs.inputs;
  if (launch.vectors.threads() == 0)
    return prediction;
  prediction.trainingBlock = trainingBlockOf(launch);
  unsigned varying = 0;
  for (uint32_t block = 0; block < launch.vectors.blocks(); ++block) {
    prediction.blocks.push_back(predictBlock(launch, block, prediction.trainingBlock));
    if (prediction.blocks.back().key == Key::Constant)
      continue;
    ++varying;
    prediction.meanSquareError += prediction.blocks.back().model.error;
  }
  if (varying)
    prediction.meanSquareError /= varying;
  return prediction;
}

BlockVectors predictVectors(const Prediction &prediction, const LaunchProfile &profiled,
                            const LaunchProfile &launch, Otherwise otherwise) {
  const uint32_t blocks = uint32_t(prediction.blocks.size());
  std::vector<uint32_t> counts(size_t(blocks) * launch.vectors.threads());
  for (uint32_t b = 0; b < blocks; ++b) {
    const std::vector<double> ofBlock = predictedCounts(prediction.blocks[b], b, profiled, launch, otherwise);
    for (uint32_t t = 0; t < ofBlock.size(); ++t)
      counts[size_t(t) * blocks + b] = uint32_t(std::lround(std::clamp(ofBlock[t], 0.0, 4e9)));
  }
  return BlockVectors::ofCounts(blocks, counts);
}

} // namespace heddle::divergence
