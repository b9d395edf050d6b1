// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks by Open MPI. MPI as such does not survive the death of a rank: a rank that waits for it never returns,
// also at the end (MPI_Finalize). So no rank waits inside MPI:
//
//   - messages are looked for (MPI_Iprobe) and sent without waiting for their arrival (MPI_Isend);
//   - rank 0 watches processes of its own machine by their number, and everybody by the time they take;
//   - where a rank died, the others end without MPI_Finalize. Under --enable-recovery mpirun takes that
//   well.
//
// Between two looks everybody sleeps a little. A rank that spins, as MPI's own waiting does, takes a core
// from the compilers.
#include "ranks/Ranks.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <mpi.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace heddle::ranks {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag { Task = 1, Answer, Home };
constexpr auto kLook = std::chrono::milliseconds(2);
constexpr double kSecondsBetweenPulses = 0.1;
/// A task that took this many ranks with it is not handed out again.
constexpr unsigned kMostLosses = 2;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A process among all machines.
struct Peer {
  int pid = 0;
  char host[252] = {};
};

Peer ourselves() {
  Peer self;
  self.pid = getpid();
  gethostname(self.host, sizeof self.host - 1);
  return self;
}

/// Dead, or dead but for its parent's notice.
bool isGone(int pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH)
    return true;
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(status, text);
  const size_t name = text.rfind(')'); // the name itself may hold anything
  return name != std::string::npos && text.size() > name + 2 && text[name + 2] == 'Z';
}

struct Message {
  int from = 0, tag = 0;
  size_t number = 0; ///< of the task
  std::string text;
};

class MpiRanks final : public Ranks {
public:
  MpiRanks();
  int rank() const override { return own; }
  int size() const override { return int(peers.size()); }
  unsigned numberOnThisMachine() const override;
  std::vector<size_t> handOut(const std::vector<std::string> &tasks, double seconds,
                              const Heard &heard) override;
  void serve(const std::function<std::string(const std::string &)> &work) override;
  void finish() override;

private:
  struct Worker {
    bool alive = true, busy = false;
    size_t task = 0;
    Clock::time_point since{};
  };
  struct Letter {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool isHere(int other) const {
    return std::strcmp(peers[size_t(other)].host, peers[size_t(own)].host) == 0;
  }
  bool isDead(int other) const { return isHere(other) && isGone(peers[size_t(other)].pid); }
  void send(int to, int tag, size_t number, const std::string &text);
  std::optional<Message> look();
  std::optional<int> idle() const;
  bool anyBusy() const;
  void give(int worker, size_t task, const std::string &text);
  void takePulses(double seconds, const std::function<void(size_t)> &lost);

  int own = 0;
  std::vector<Peer> peers;
  std::map<int, Worker> workers; ///< for rank 0: the others
  std::deque<Letter> letters;    ///< on their way; kept until they have arrived
  bool aRankDied = false;
};

MpiRanks::MpiRanks() {
  int given = 0, count = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &given);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  peers.resize(size_t(count));
  const Peer self = ourselves();
  MPI_Allgather(&self, sizeof self, MPI_BYTE, peers.data(), sizeof self, MPI_BYTE, MPI_COMM_WORLD);
  for (int other = 1; own == 0 && other < count; ++other)
    workers[other] = {};
}

unsigned MpiRanks::numberOnThisMachine() const {
  unsigned before = 0;
  for (int other = 1; other < own; ++other)
    before += isHere(other);
  return before;
}

void MpiRanks::send(int to, int tag, size_t number, const std::string &text) {
  while (!letters.empty()) {
    int arrived = 0;
    MPI_Test(&letters.front().request, &arrived, MPI_STATUS_IGNORE);
    if (!arrived)
      break;
    letters.pop_front();
  }
  Letter &letter = letters.emplace_back();
  letter.bytes = std::to_string(number) + "\n" + text;
  MPI_Isend(letter.bytes.data(), int(letter.bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD,
            &letter.request);
}

std::optional<Message> MpiRanks::look() {
  int isThere = 0, bytes = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &isThere, &status) != MPI_SUCCESS || !isThere)
    return std::nullopt;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::string text(size_t(bytes), '\0');
  if (MPI_Recv(text.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return std::nullopt;
  const size_t line = text.find('\n');
  return Message{status.MPI_SOURCE, status.MPI_TAG, std::stoul(text), text.substr(line + 1)};
}

std::optional<int> MpiRanks::idle() const {
  for (const auto &[rank, worker] : workers)
    if (worker.alive && !worker.busy)
      return rank;
  return std::nullopt;
}

bool MpiRanks::anyBusy() const {
  for (const auto &[rank, worker] : workers)
    if (worker.alive && worker.busy)
      return true;
  return false;
}

void MpiRanks::give(int rank, size_t task, const std::string &text) {
  Worker &worker = workers[rank];
  worker.busy = true;
  worker.task = task;
  worker.since = Clock::now();
  send(rank, Task, task, text);
}

/// Finds those who died or hang; what they had is lost.
void MpiRanks::takePulses(double seconds, const std::function<void(size_t)> &lost) {
  for (auto &[rank, worker] : workers) {
    const bool hangs = worker.busy && seconds > 0 && secondsSince(worker.since) > seconds;
    if (!worker.alive || !(hangs || isDead(rank)))
      continue;
    if (hangs && isHere(rank))
      kill(peers[size_t(rank)].pid, SIGKILL); // whatever it does, it must not do it beside the next one
    worker.alive = false;
    aRankDied = true;
    if (std::exchange(worker.busy, false))
      lost(worker.task);
  }
}

std::vector<size_t> MpiRanks::handOut(const std::vector<std::string> &tasks, double seconds,
                                      const Heard &heard) {
  std::deque<size_t> open;
  for (size_t i = 0; i < tasks.size(); ++i)
    open.push_back(i);
  std::vector<unsigned> losses(tasks.size());
  bool enough = false;
  auto hear = [&](size_t task, const std::optional<std::string> &answer) {
    enough = !heard(task, answer) || enough;
  };
  auto lost = [&](size_t task) {
    if (++losses[task] < kMostLosses)
      open.push_back(task); // behind all others: it may take the next one with it
    else
      hear(task, std::nullopt);
  };
  Clock::time_point pulse = Clock::now();
  for (;;) {
    while (std::optional<Message> message = look()) {
      Worker &worker = workers[message->from];
      if (message->tag != Answer || !worker.busy || worker.task != message->number)
        continue; // from a rank that was considered dead
      worker.busy = false;
      hear(message->number, message->text);
    }
    while (!enough && !open.empty() && idle()) {
      give(*idle(), open.front(), tasks[open.front()]);
      open.pop_front();
    }
    if (secondsSince(pulse) > kSecondsBetweenPulses) {
      takePulses(seconds, lost);
      pulse = Clock::now();
    }
    const bool noRankLeft = !anyBusy() && !idle();
    if (!anyBusy() && (enough || open.empty() || noRankLeft))
      return enough ? std::vector<size_t>() : std::vector<size_t>(open.begin(), open.end());
    std::this_thread::sleep_for(kLook);
  }
}

void MpiRanks::serve(const std::function<std::string(const std::string &)> &work) {
  Clock::time_point pulse = Clock::now();
  for (;;) {
    if (std::optional<Message> message = look()) {
      if (message->tag == Home) {
        aRankDied = message->text == "a rank died";
        return;
      }
      send(0, Answer, message->number, work(message->text));
    }
    if (secondsSince(pulse) > kSecondsBetweenPulses) {
      if (isDead(0)) {
        aRankDied = true;
        return;
      }
      pulse = Clock::now();
    }
    std::this_thread::sleep_for(kLook);
  }
}

void MpiRanks::finish() {
  if (own == 0) {
    takePulses(0, [](size_t) {});
    for (const auto &[rank, worker] : workers)
      if (worker.alive)
        send(rank, Home, 0, aRankDied ? "a rank died" : "");
  }
  if (!aRankDied) {
    MPI_Finalize();
    return;
  }
  // What was sent last needs further progress calls.
  for (Clock::time_point begin = Clock::now(); secondsSince(begin) < 0.2;) {
    int ignored = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(kLook);
  }
}

} // namespace
} // namespace heddle::ranks

extern "C" heddle::ranks::Ranks *heddleOpenRanks() { return new heddle::ranks::MpiRanks; }
