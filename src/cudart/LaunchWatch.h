// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "cudart/Registers.h"
#include "vm/Launch.h"
#include "vm/Simulator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace heddle::cudart {

/// What looks at a program's launches one by one and is asked for all of them when it ends. `Observer` is
/// made for a kernel and what is known of its code (`Code`), which is computed once; `Program` holds what
/// the observers found, launch by launch, and by kernel how many launches were not looked at.
template <class Observer, class Code, class Program> class LaunchWatch {
public:
  LaunchWatch(const arch::Arch &simulatorArch, unsigned mostOfAKernel)
      : arch(simulatorArch), most(mostOfAKernel) {}
  virtual ~LaunchWatch() = default;

  /// Who watches this launch; null where its kernel was watched often enough.
  std::unique_ptr<Observer> watch(const vm::LaunchRequest &request) {
    std::lock_guard lock(guard);
    const std::string &name = vm::infoOf(*request.kernel).name;
    if (watched[name]++ >= most) {
      ++program.skipped[name];
      return nullptr;
    }
    auto found = codes.find(request.kernel);
    if (found == codes.end())
      found = codes.emplace(request.kernel, codeOf(*request.kernel)).first;
    return std::make_unique<Observer>(*request.kernel, found->second);
  }

  void launchEnded(Observer &observer, const vm::LaunchRequest &request, const vm::LaunchResult &result) {
    std::lock_guard lock(guard);
    if (!result.ok()) { // it was stopped: its blocks did not come to their end
      if constexpr (requires { program.stopped; })
        ++program.stopped[vm::infoOf(*request.kernel).name];
      return;
    }
    program.launches.push_back(observer.take(registersOf(arch, vm::infoOf(*request.kernel))));
  }

  void write() {
    std::lock_guard lock(guard);
    complete();
    writeAll(program);
  }

  /// The same before the program ends, if there were launches since then.
  void writeNew() {
    std::lock_guard lock(guard);
    if (program.launches.size() == written)
      return;
    written = program.launches.size();
    complete();
    program.complete = false;
    writeAll(program);
  }

  /// Before a module is unloaded, while no launch is at work: other kernels may get the addresses of its own.
  void forgetCode() {
    std::lock_guard lock(guard);
    codes.clear();
  }

  /// The launches since this was called last; none of them is counted again.
  Program take() {
    std::lock_guard lock(guard);
    complete();
    watched.clear();
    written = 0;
    return std::exchange(program, {});
  }

protected:
  virtual Code codeOf(const vm::Kernel &kernel) const = 0;
  virtual void writeAll(Program &all) const = 0;

  const arch::Arch &arch;

private:
  void complete() {
    // Launches of different streams end in any order.
    std::sort(program.launches.begin(), program.launches.end(),
              [](const auto &a, const auto &b) { return a.number < b.number; });
    program.complete = true;
  }

  const unsigned most;
  std::mutex guard;
  std::map<const vm::Kernel *, Code> codes;
  std::map<std::string, unsigned> watched; ///< by kernel
  size_t written = 0;                      ///< launches, by writeNew
  Program program;
};

} // namespace heddle::cudart
