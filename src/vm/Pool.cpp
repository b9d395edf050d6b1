// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Pool.h"

#include <memory>

namespace heddle::vm {

Pool::~Pool() {
  {
    std::lock_guard lock(guard);
    closing = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Pool::serve() {
  std::unique_lock lock(guard);
  for (;;) {
    wake.wait(lock, [&] { return closing || !waiting.empty(); });
    if (waiting.empty())
      return;
    auto job = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void Pool::run(unsigned count, const std::function<void(unsigned)> &job) {
  struct Progress {
    std::mutex guard;
    std::condition_variable done;
    unsigned left = 0; ///< helpers that are running
    bool over = false; ///< helpers that have not begun need not begin
  };
  auto progress = std::make_shared<Progress>();
  if (count > 1) {
    std::lock_guard lock(guard);
    while (threads.size() < count - 1)
      threads.emplace_back([this] { serve(); });
    for (unsigned i = 1; i < count; ++i)
      waiting.push_back([progress, &job, i] {
        {
          std::lock_guard begin(progress->guard);
          if (progress->over)
            return;
          ++progress->left;
        }
        job(i);
        std::lock_guard end(progress->guard);
        --progress->left;
        progress->done.notify_all();
      });
    wake.notify_all();
  }
  job(0);
  std::unique_lock lock(progress->guard);
  progress->over = true;
  progress->done.wait(lock, [&] { return progress->left == 0; });
}

} // namespace heddle::vm
