// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Engine.h"
#include "ptx/Parser.h"
#include "vm/Simulator.h"

#include <fstream>
#include <iostream>
#include <sstream>

namespace heddle::bench {
namespace {

using namespace heddle::vm;

class SimulatorEngine : public Engine {
public:
  SimulatorEngine(const Case &what, unsigned cores, const std::string &folder) : work(what) {
    std::ifstream file(folder + "/" + what.name + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    Diagnostics problems;
    LoadedModule *module = simulator.load(
        std::make_shared<ptx::Module>(ptx::parse(text.str(), what.name + ".ptx", problems)), problems);
    request.kernel = module ? module->kernel(what.name, problems) : nullptr;
    if (!request.kernel) {
      print(std::cerr, problems, false);
      exit(1);
    }
    request.grid = {what.grid.x, what.grid.y}, request.block = {what.block.x, what.block.y};
    request.cores = cores;
    for (const Argument &each : what.arguments)
      add(each);
  }

  void run() override {
    const LaunchResult result = simulator.launch(request);
    if (!result.ok()) {
      std::cerr << work.name << ": the launch failed: " << result.refusal
                << (result.fault ? result.fault->text : "") << "\n";
      exit(1);
    }
    instructions = result.threadInstructions;
  }
  void reset() override {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (work.arguments[i].isResult)
        std::memcpy(arrays[i], work.arguments[i].bytes.data(), work.arguments[i].bytes.size());
  }
  std::vector<uint8_t> read(size_t argument) override {
    const auto *from = static_cast<const uint8_t *>(arrays[argument]);
    return {from, from + work.arguments[argument].bytes.size()};
  }
  uint64_t threadInstructions() const override { return instructions; }

private:
  void add(const Argument &argument) {
    void *array = nullptr;
    if (argument.isArray) {
      array = simulator.memory().allocate(argument.bytes.size(), AllocationKind::Device);
      std::memcpy(array, argument.bytes.data(), argument.bytes.size());
    }
    const void *value = argument.isArray ? static_cast<const void *>(&array) : argument.bytes.data();
    const size_t bytes = argument.isArray ? sizeof array : argument.bytes.size();
    const size_t at = (request.parameters.size() + bytes - 1) / bytes * bytes;
    request.parameters.resize(at + bytes);
    std::memcpy(request.parameters.data() + at, value, bytes);
    arrays.push_back(array);
  }

  const Case &work;
  Simulator simulator{Limits()};
  LaunchRequest request;
  std::vector<void *> arrays;
  uint64_t instructions = 0;
};

} // namespace

std::unique_ptr<Engine> simulatorEngine(const Case &what, unsigned cores, const std::string &folder) {
  return std::make_unique<SimulatorEngine>(what, cores, folder);
}

} // namespace heddle::bench
