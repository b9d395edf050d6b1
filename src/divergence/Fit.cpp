// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <unordered_map>

namespace heddle::divergence {
namespace {

/// Values of the inputs that decide one basic block, thread by thread. Parameters are the same for all
/// threads, so the constant holds what they do; varying ones have no value.
class Observations {
public:
  Observations(const LaunchProfile &profile, uint32_t block) : launch(profile) {
    for (uint32_t input : launch.inputs.ofBlock[block]) {
      const Input &known = launch.inputs.inputs[input];
      if (known.kind == Input::Kind::ThreadIndex && known.name[0] == 'c')
        inGrid[known.name.back() - 'x'] = true;
      if (known.kind == Input::Kind::ThreadIndex ? known.name[0] == 't'
                                                 : !launch.inputs.values[input].empty())
        usable.push_back(input);
    }
  }

  const std::vector<uint32_t> &inputs() const { return usable; }
  std::vector<uint32_t> elements() const {
    std::vector<uint32_t> some = usable;
    std::erase_if(some, [&](uint32_t i) { return launch.inputs.inputs[i].kind != Input::Kind::Element; });
    return some;
  }
  double value(uint32_t input, uint32_t thread) const {
    const Input &wanted = launch.inputs.inputs[input];
    if (wanted.kind == Input::Kind::Element)
      return launch.inputs.values[input][thread];
    const unsigned axis = unsigned(wanted.name.back() - 'x');
    const uint32_t threads = launch.threadsPerBlock();
    const uint32_t own = along(axis, thread % threads, launch.block);
    return inGrid[axis] ? along(axis, thread / threads, launch.grid) * launch.block[axis] + own : own;
  }

private:
  static uint32_t along(unsigned axis, uint32_t index, const uint32_t *size) {
    for (unsigned before = 0; before < axis; ++before)
      index /= size[before];
    return index % size[axis];
  }

  const LaunchProfile &launch;
  std::vector<uint32_t> usable;
  bool inGrid[3] = {}; ///< the block's number along this axis decides
};

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

/// What is left when threads with equal values of these inputs are given their mean count: 0 where the inputs
/// decide.
double unexplainedByEquality(const Observations &values, const BlockVectors &vectors, uint32_t block) {
  const std::vector<uint32_t> inputs = values.elements();
  struct Sums {
    double count = 0, sum = 0, squares = 0;
  };
  std::unordered_map<std::string, Sums> groups;
  for (uint32_t t = 0; t < vectors.threads(); ++t) {
    std::string key(inputs.size() * sizeof(double), '\0');
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double value = values.value(inputs[i], t);
      std::memcpy(key.data() + i * sizeof value, &value, sizeof value);
    }
    Sums &group = groups[key];
    const double count = vectors.thread(t)[block];
    group.count += 1, group.sum += count, group.squares += count * count;
  }
  // Where hardly any two threads loaded the same, nothing can be learned from those that did.
  if (groups.size() * 2 > vectors.threads())
    return std::numeric_limits<double>::infinity();
  double left = 0;
  for (const auto &[key, group] : groups)
    left += group.squares - group.sum * group.sum / group.count;
  return left / double(vectors.threads() - groups.size());
}

bool isSmall(double error, double variance) {
  return error <= MostSquareError || error <= MostUnexplained * variance;
}

/// Centred and scaled first: thread numbers in the millions beside elements between 0 and 1 would leave few
/// digits.
LinearModel leastSquares(Eigen::MatrixXd a, const Eigen::VectorXd &y) {
  const Eigen::Index width = a.cols();
  LinearModel model;
  model.coefficients.assign(size_t(width) + 1, 0);
  model.coefficients[0] = y.mean();
  const Eigen::VectorXd centred = y.array() - y.mean();
  model.trainingError = centred.squaredNorm() / double(y.size());
  if (width == 0)
    return model;
  const Eigen::RowVectorXd means = a.colwise().mean();
  a.rowwise() -= means;
  Eigen::RowVectorXd scales = a.colwise().norm();
  scales = (scales.array() == 0).select(1.0, scales);
  a.array().rowwise() /= scales.array();
  const Eigen::VectorXd solved = a.completeOrthogonalDecomposition().solve(centred);
  for (Eigen::Index c = 0; c < width; ++c) {
    model.coefficients[size_t(c) + 1] = solved(c) / scales(c);
    model.coefficients[0] -= model.coefficients[size_t(c) + 1] * means(c);
  }
  model.trainingError = (a * solved - centred).squaredNorm() / double(y.size());
  return model;
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
  else if (!values.elements().empty() &&
           isSmall(unexplainedByEquality(values, launch.vectors, block), made.variance))
    made.key = Key::Inputs;
  else
    made.key = Key::Profile;
  return made;
}

} // namespace

double LinearModel::predict(std::span<const double> values) const {
  double sum = coefficients.front();
  for (size_t i = 0; i < values.size(); ++i)
    sum += coefficients[i + 1] * values[i];
  return std::isnan(sum) ? absent : sum;
}

LinearModel fit(const std::vector<std::vector<double>> &columns, std::span<const double> counts) {
  std::vector<size_t> complete;
  double absentSum = 0;
  for (size_t r = 0; r < counts.size(); ++r)
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const auto &column) { return std::isnan(column[r]); }))
      absentSum += counts[r];
    else
      complete.push_back(r);
  LinearModel model;
  model.coefficients.assign(columns.size() + 1, 0);
  if (!complete.empty()) {
    Eigen::MatrixXd a(Eigen::Index(complete.size()), Eigen::Index(columns.size()));
    Eigen::VectorXd y(a.rows());
    for (Eigen::Index r = 0; r < a.rows(); ++r) {
      for (Eigen::Index c = 0; c < a.cols(); ++c)
        a(r, c) = columns[size_t(c)][complete[size_t(r)]];
      y(r) = counts[complete[size_t(r)]];
    }
    model = leastSquares(std::move(a), y);
  }
  if (complete.size() < counts.size())
    model.absent = absentSum / double(counts.size() - complete.size());
  return model;
}

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

} // namespace heddle::divergence
