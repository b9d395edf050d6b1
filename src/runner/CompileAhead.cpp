// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/CompileAhead.h"

#include <algorithm>

namespace heddle::runner {

CompileAhead::CompileAhead(const CandidateRuns &measurer, std::vector<const Candidate *> wanted,
                           unsigned jobs)
    : measurer(measurer), candidates(std::move(wanted)), ready(candidates.size()), ahead(2 * jobs) {
  for (unsigned i = 0; i < std::min<size_t>(jobs, candidates.size()); ++i)
    threads.emplace_back([this] { work(); });
}

CompileAhead::~CompileAhead() {
  {
    std::lock_guard lock(guard);
    stopped = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  std::error_code ignored;
  for (const std::optional<Compiled> &left : ready)
    if (left)
      std::filesystem::remove(left->program, ignored);
}

void CompileAhead::work() {
  std::unique_lock lock(guard);
  for (;;) {
    changed.wait(lock, [&] { return stopped || begun == candidates.size() || begun < taken + ahead; });
    if (stopped || begun == candidates.size())
      return;
    const size_t mine = begun++;
    lock.unlock();
    Compiled compiled = measurer.compile(*candidates[mine]);
    lock.lock();
    ready[mine] = std::move(compiled);
    changed.notify_all();
  }
}

Compiled CompileAhead::take() {
  std::unique_lock lock(guard);
  changed.wait(lock, [&] { return ready[taken].has_value(); });
  Compiled compiled = std::move(*ready[taken]);
  ready[taken++].reset();
  changed.notify_all();
  return compiled;
}

} // namespace heddle::runner
