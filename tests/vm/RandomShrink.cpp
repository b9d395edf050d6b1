// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements are left out, many at once and then one by one, and what has bodies is replaced by them, until nothing more can go. What
// is no PTX any more does not fail, so it is not left out.
#include "vm/RandomPtx.h"

#include <chrono>

namespace heddle::vm::test {
namespace {

class Shrinker {
public:
  Shrinker(RandomPtx &given, const std::function<bool(const RandomPtx &)> &asked, double seconds)
      : kernel(given), stillFails(asked),
        end(Clock::now() +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  void run() {
    for (bool changed = true; changed && !isLate();) {
      changed = shrinkLaunch();
      changed |= shrink(kernel.body);
      changed |= shrink(kernel.functions);
    }
  }

private:
  using Clock = std::chrono::steady_clock;
  bool isLate() const { return Clock::now() > end; }

  /// Whether it fails without some statements; they are put back if not.
  bool tryWith(std::vector<Statement> &statements, std::vector<Statement> fewer) {
    if (isLate())
      return false;
    std::swap(statements, fewer);
    if (stillFails(kernel))
      return true;
    std::swap(statements, fewer);
    return false;
  }

  bool shrinkLaunch() {
    bool changed = false;
    if (const uint64_t before = std::exchange(kernel.schedule, 0)) {
      changed = stillFails(kernel);
      kernel.schedule = changed ? 0 : before;
    }
    for (Dim3 *each : {&kernel.grid, &kernel.block})
      for (const Dim3 smaller : {Dim3{1}, Dim3{2}, Dim3{32}, Dim3{64}})
        if (smaller.count() < each->count()) {
          const Dim3 before = std::exchange(*each, smaller);
          if (stillFails(kernel)) {
            changed = true;
            break;
          }
          *each = before;
        }
    return changed;
  }

  bool shrink(std::vector<Statement> &statements) {
    bool changed = false;
    for (size_t count = statements.size(); count; count /= 2)
      for (size_t at = 0; at < statements.size();) {
        auto fewer = statements;
        fewer.erase(fewer.begin() + long(at), fewer.begin() + long(std::min(at + count, fewer.size())));
        if (tryWith(statements, std::move(fewer)))
          changed = true;
        else
          at += count;
      }
    for (size_t at = 0; at < statements.size(); ++at) {
      if (statements[at].bodies.empty())
        continue;
      auto flat = statements;
      flat.erase(flat.begin() + long(at));
      for (size_t b = statements[at].bodies.size(); b-- > 0;)
        flat.insert(flat.begin() + long(at), statements[at].bodies[b].begin(),
                    statements[at].bodies[b].end());
      if (tryWith(statements, std::move(flat))) {
        changed = true;
        continue;
      }
      for (auto &inner : statements[at].bodies)
        changed |= shrink(inner);
    }
    return changed;
  }

  RandomPtx &kernel;
  const std::function<bool(const RandomPtx &)> &stillFails;
  const Clock::time_point end;
};

} // namespace

RandomPtx shrunk(RandomPtx kernel, const std::function<bool(const RandomPtx &)> &stillFails, double seconds) {
  Shrinker(kernel, stillFails, seconds).run();
  return kernel;
}

} // namespace heddle::vm::test
