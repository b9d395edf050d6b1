// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Streams.h"

#include <gtest/gtest.h>

#include <atomic>

using namespace heddle::cudart;

namespace {

constexpr unsigned kNonBlocking = 1;

/// Work that stays until it is let go.
class Gate {
public:
  std::function<void()> work() {
    return [this] {
      while (!open)
        std::this_thread::yield();
    };
  }
  void release() { open = true; }

private:
  std::atomic<bool> open{false};
};

TEST(Streams, WorkOfOneStreamKeepsItsOrder) {
  Streams streams;
  Stream *stream = streams.create(0, 0);
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i)
    streams.enqueue(stream, [&seen, i] { seen.push_back(i); });
  streams.waitForAll();
  ASSERT_EQ(seen.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(seen[i], i);
}

TEST(Streams, DefaultStreamWaitsForBlockingStreams) {
  Streams streams;
  Stream *other = streams.create(0, 0);
  Gate gate;
  std::atomic<bool> first{false}, orderKept{false};
  streams.enqueue(other, [&, work = gate.work()] {
    work();
    first = true;
  });
  TicketRef ticket = streams.enqueue(streams.legacy(), [&] { orderKept = first.load(); });
  EXPECT_FALSE(streams.isDone(ticket));
  gate.release();
  streams.wait(ticket);
  EXPECT_TRUE(orderKept);
}

TEST(Streams, BlockingStreamWaitsForTheDefaultStream) {
  Streams streams;
  Gate gate;
  streams.enqueue(streams.legacy(), gate.work());
  TicketRef ticket = streams.enqueue(streams.create(0, 0), [] {});
  EXPECT_FALSE(streams.isDone(ticket));
  gate.release();
  streams.wait(ticket);
}

TEST(Streams, NonBlockingStreamPassesTheDefaultStream) {
  Streams streams;
  Gate gate;
  streams.enqueue(streams.legacy(), gate.work());
  streams.wait(streams.enqueue(streams.create(kNonBlocking, 0), [] {})); // would hang if it waited
  gate.release();
}

TEST(Streams, TicketsOrderAcrossStreams) {
  Streams streams;
  Stream *a = streams.create(kNonBlocking, 0), *b = streams.create(kNonBlocking, 0);
  Gate gate;
  TicketRef event = streams.enqueue(a, gate.work());
  TicketRef after = streams.enqueue(b, [] {}, {event});
  EXPECT_FALSE(streams.isDone(after));
  gate.release();
  streams.wait(after);
  EXPECT_TRUE(streams.isDone(event));
  EXPECT_LE(event->when, after->when);
}

TEST(Streams, WorkOfADestroyedStreamIsStillDone) {
  Streams streams;
  Stream *stream = streams.create(kNonBlocking, 0);
  Gate gate;
  std::atomic<bool> done{false};
  streams.enqueue(stream, gate.work());
  streams.enqueue(stream, [&] { done = true; });
  EXPECT_TRUE(streams.destroy(stream));
  EXPECT_FALSE(streams.knows(stream));
  gate.release();
  streams.waitForAll();
  EXPECT_TRUE(done);
}

TEST(Streams, DefaultStreamCannotBeDestroyed) {
  Streams streams;
  EXPECT_FALSE(streams.destroy(streams.legacy()));
}

} // namespace
