// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process may end at any time while the thread compiles. LLVM cannot be interrupted, and must not run while exit() destroys what
// its library has in static storage; nor should a program that is done wait for code that nobody will execute. So the compiler calls
// us between its passes: when the process is ending, the thread stops there for good, holding no lock that anybody needs, and exit()
// goes on. It waits for one pass at most.
#include "vm/CompileQueue.h"

#include "vm/CompilerLibrary.h"
#include "vm/Engine.h"
#include "vm/Lowering.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace heddle::vm {
namespace {

/// Never destroyed: the thread may be stopped inside.
struct Queue {
  std::mutex guard;
  std::condition_variable changed;
  std::deque<CompileJob> waiting;
  const Kernel *compiling = nullptr;
  bool isStarted = false;
  bool isStopped = false; ///< the thread will not do anything any more
  std::atomic<bool> isEnding = false;
  std::atomic<pid_t> process = 0; ///< that has the thread: a child of fork() has none
};

Queue &queue() {
  static auto *only = new Queue;
  return *only;
}

thread_local bool isQueueThread = false;

[[noreturn]] void stopForGood() {
  {
    std::lock_guard lock(queue().guard);
    queue().isStopped = true;
    queue().changed.notify_all();
  }
  for (;;)
    pause();
}

void atExit();

/// LLVM has objects that are made when a pass needs them first, and destroyed in reverse order of that: whoever ends the process has
/// to come here before. What is registered last is called first, so we register again behind each pass.
void betweenPasses() {
  if (!isQueueThread)
    return;
  std::atexit(atExit);
  if (queue().isEnding.load(std::memory_order_relaxed))
    stopForGood();
}

void atExit() {
  Queue &q = queue();
  if (q.process != getpid())
    return;
  q.isEnding.store(true);
  std::unique_lock lock(q.guard);
  q.changed.notify_all();
  q.changed.wait(lock, [&] { return q.isStopped; });
}

void work() {
  isQueueThread = true;
  Queue &q = queue();
  Compiler *compiler = compilerOnce().compiler;
  for (;;) {
    CompileJob job;
    {
      std::unique_lock lock(q.guard);
      q.compiling = nullptr;
      q.changed.notify_all();
      q.changed.wait(lock, [&] { return !q.waiting.empty() || q.isEnding; });
      if (!q.isEnding) {
        job = q.waiting.front();
        q.waiting.pop_front();
        q.compiling = job.kernel;
      }
    }
    if (q.isEnding)
      stopForGood();
    if (compiler)
      compileNow(*compiler, job);
  }
}

/// One at a time for a Code: two launches may need the same.
std::mutex &compileGuard() {
  static auto *guard = new std::mutex;
  return *guard;
}

} // namespace

std::string compileNow(Compiler &compiler, const CompileJob &job) {
  std::lock_guard lock(compileGuard());
  Tier &tier = job.code->tiers[job.launch.index()];
  const CompiledCode *compiled = tier.compiled.load(std::memory_order_relaxed);
  if (!compiled && tier.isRefused)
    return {};
  std::unique_ptr<CompiledCode> made;
  if (!compiled) {
    CompileRequest request{*job.kernel, *job.code,        registerLocs(*job.code->function),
                           {},          job.launch.shape, observedBy(job.launch.form),
                           mostInPart()};
    for (const ptx::Instr &instr : job.code->function->instrs)
      request.destinations.push_back(uint8_t(countDests(*job.code->function, instr)));
    std::string why;
    made = compiler.compile(request, why);
    if (!made) {
      tier.isRefused = true;
      return why;
    }
    compiled = made.get();
  }
  CompiledVersion &version = job.forAllLanes ? compiled->whole : compiled->masked;
  if (!version.parts[job.part].run.load(std::memory_order_relaxed) && !compiled->prepare(version, job.part)) {
    tier.isRefused |= made != nullptr;
    return compiled->problem();
  }
  version.isWanted.store(true, std::memory_order_relaxed);
  if (made) {
    job.kernel->compiledCodes.push_back(std::move(made));
    tier.compiled.store(compiled, std::memory_order_release);
  }
  return {};
}

void compileLater(const CompileJob &job) {
  Queue &q = queue();
  std::lock_guard lock(q.guard);
  if (q.isEnding)
    return;
  if (!q.isStarted) {
    q.isStarted = true;
    q.process = getpid();
    // Not by the thread: a process does not end while a launch goes on, as a rule, and what LLVM registers to be destroyed must
    // be registered before we are.
    if (Compiler *compiler = compilerOnce().compiler)
      compiler->setBetweenPasses(betweenPasses);
    std::atexit(atExit);
    std::thread(work).detach();
  }
  q.waiting.push_back(job);
  q.changed.notify_all();
}

void awaitCompiled() {
  Queue &q = queue();
  std::unique_lock lock(q.guard);
  q.changed.wait(lock, [&] { return q.isStopped || (q.waiting.empty() && !q.compiling); });
}

void stopCompiling(const Kernel &kernel) {
  Queue &q = queue();
  if (q.process != getpid())
    return;
  std::unique_lock lock(q.guard);
  std::erase_if(q.waiting, [&](const CompileJob &job) { return job.kernel == &kernel; });
  q.changed.wait(lock, [&] { return q.isStopped || q.compiling != &kernel; });
  if (q.isStopped) // perhaps in the midst of one of these
    for (auto &code : kernel.compiledCodes)
      static_cast<void>(code.release());
}

} // namespace heddle::vm
