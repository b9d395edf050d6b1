// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's loops. On several cores each runs a part of the rows.
#include "Engine.h"

#include <thread>

namespace heddle::bench {
namespace {

class NativeEngine : public Engine {
public:
  NativeEngine(const Case &what, unsigned count) : work(what), cores(count) {
    for (const Argument &each : what.arguments)
      copies.push_back(each.bytes);
    for (std::vector<uint8_t> &each : copies)
      arrays.at.push_back(each.data());
  }

  void run() override {
    auto part = [&](unsigned core) {
      work.native(arrays, work.rows * core / cores, work.rows * (core + 1) / cores);
    };
    std::vector<std::jthread> others;
    for (unsigned core = 1; core < cores; ++core)
      others.emplace_back(part, core);
    part(0);
  }
  void reset() override {
    for (size_t i = 0; i < copies.size(); ++i)
      if (work.arguments[i].isResult)
        std::copy(work.arguments[i].bytes.begin(), work.arguments[i].bytes.end(), copies[i].begin());
  }
  std::vector<uint8_t> read(size_t argument) override { return copies[argument]; }

private:
  const Case &work;
  const unsigned cores;
  std::vector<std::vector<uint8_t>> copies;
  Arrays arrays;
};

} // namespace

std::unique_ptr<Engine> nativeEngine(const Case &what, unsigned cores) {
  return std::make_unique<NativeEngine>(what, cores);
}

} // namespace heddle::bench
