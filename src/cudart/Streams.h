// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::cudart {

/// A piece of work that was given to a stream, seen from outside: is it done, and when was it.
struct Ticket {
  bool done = false;
  std::chrono::steady_clock::time_point when;
  /// Where it is: number `index` of its stream, after the first seen[s] pieces of work of stream s.
  unsigned stream = 0;
  uint32_t index = 0;
  std::vector<uint32_t> seen;
};
using TicketRef = std::shared_ptr<Ticket>;

class Streams;

/// An in-order queue with a host thread of its own, started with the first piece of work.
class Stream {
public:
  const unsigned long long id;
  const unsigned flags; ///< as given to cudaStreamCreateWithFlags
  const int priority;
  const bool isLegacy; ///< the default stream that waits for all others

private:
  friend class Streams;
  struct Work {
    std::function<void()> run;
    std::vector<TicketRef> after;
    TicketRef ticket;
  };
  Stream(unsigned long long id, unsigned flags, int priority, bool isLegacy)
      : id(id), flags(flags), priority(priority), isLegacy(isLegacy) {}

  std::deque<Work> queue;
  uint32_t given = 0; ///< pieces of work so far
  TicketRef last;     ///< of the newest work
  std::thread worker;
  bool closing = false;
  bool finished = false; ///< its thread has left
};

/// All streams of the device and the order among them. The legacy default stream and every stream that was
/// not created non-blocking wait for each other: work given to one comes after all that the other was given
/// before.
class Streams {
public:
  Streams();
  ~Streams();

  Stream *legacy() { return legacyStream; }
  Stream *create(unsigned flags, int priority);
  /// Work that was given stays and is done; the stream is forgotten. False: no such stream.
  bool destroy(Stream *stream);
  bool knows(const Stream *stream);

  /// `work` runs once everything before it in the stream, and every ticket of `after`, is done.
  TicketRef enqueue(Stream *stream, std::function<void()> work, std::vector<TicketRef> after = {});
  void wait(const TicketRef &ticket);
  bool isDone(const TicketRef &ticket);
  /// The newest work of a stream, null where there is none. For the legacy stream this is what a program that
  /// synchronizes with it has to wait for.
  TicketRef newest(Stream *stream);
  void waitForAll();
  /// The piece of work that this host thread is doing for a stream; null on other threads.
  static const Ticket *current();

private:
  void serve(Stream *stream);
  void sweepRetired();
  std::vector<TicketRef> othersToWaitFor(const Stream *stream) const;
  static void keepPending(std::vector<TicketRef> &tickets);
  static void join(std::vector<uint32_t> &seen, const TicketRef &ticket);

  std::mutex guard;
  std::condition_variable changed;
  std::list<std::unique_ptr<Stream>> all;
  std::list<std::unique_ptr<Stream>> retired; ///< destroyed by the program, still at work
  Stream *legacyStream = nullptr;
  unsigned long long nextId = 1;
  std::vector<uint32_t> hostSeen; ///< what host code has waited for: work that it gives later comes after
};

} // namespace heddle::cudart
