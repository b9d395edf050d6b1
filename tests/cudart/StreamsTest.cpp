// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Streams.h"

#include <gtest/gtest.h>

#include <atomic>

using namespace heddle::cudart;

namespace {

constexpr unsigned kNonBlocking = 1;

/// Work that waits until it is released. Declared before the streams that do it: their destructor waits for it.
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
  Gate gate;
  std::atomic<bool> first{false}, orderKept{false};
  Streams streams;
  Stream *other = streams.create(0, 0);
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
  Gate gate;
  Streams streams;
  streams.enqueue(streams.legacy(), gate.work());
  TicketRef ticket = streams.enqueue(streams.create(0, 0), [] {});
  EXPECT_FALSE(streams.isDone(ticket));
  gate.release();
  streams.wait(ticket);
}

TEST(Streams, NonBlockingStreamPassesTheDefaultStream) {
  Gate gate;
  Streams streams;
  streams.enqueue(streams.legacy(), gate.work());
  streams.wait(streams.enqueue(streams.create(kNonBlocking, 0), [] {})); // would hang if it waited
  gate.release();
}

TEST(Streams, TicketsOrderAcrossStreams) {
  Gate gate;
  Streams streams;
  Stream *a = streams.create(kNonBlocking, 0), *b = streams.create(kNonBlocking, 0);
  TicketRef event = streams.enqueue(a, gate.work());
  TicketRef after = streams.enqueue(b, [] {}, {event});
  EXPECT_FALSE(streams.isDone(after));
  gate.release();
  streams.wait(after);
  EXPECT_TRUE(streams.isDone(event));
  EXPECT_LE(event->when, after->when);
}

TEST(Streams, WorkOfADestroyedStreamIsStillDone) {
  Gate gate;
  std::atomic<bool> done{false};
  Streams streams;
  Stream *stream = streams.create(kNonBlocking, 0);
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
