// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Streams.h"

#include <algorithm>

namespace heddle::cudart {
namespace {

constexpr unsigned kNonBlocking = 1; // cudaStreamNonBlocking

thread_local const Ticket *doing = nullptr;

} // namespace

Streams::Streams() {
  all.emplace_back(new Stream(nextId++, 0, 0, true));
  legacyStream = all.back().get();
}

Streams::~Streams() {
  waitForAll();
  {
    std::lock_guard lock(guard);
    for (auto *streams : {&all, &retired})
      for (auto &stream : *streams)
        stream->closing = true;
    changed.notify_all();
  }
  for (auto *streams : {&all, &retired})
    for (auto &stream : *streams)
      if (stream->worker.joinable())
        stream->worker.join();
}

/// Programs that make and destroy a stream for each step must not pile up threads.
void Streams::sweepRetired() {
  retired.remove_if([](std::unique_ptr<Stream> &stream) {
    if (!stream->worker.joinable())
      return true;
    if (stream->finished)
      stream->worker.join();
    return stream->finished;
  });
}

Stream *Streams::create(unsigned flags, int priority) {
  std::lock_guard lock(guard);
  sweepRetired();
  all.emplace_back(new Stream(nextId++, flags, priority, false));
  return all.back().get();
}

bool Streams::destroy(Stream *stream) {
  std::lock_guard lock(guard);
  auto found = std::find_if(all.begin(), all.end(), [&](auto &s) { return s.get() == stream; });
  if (found == all.end() || stream == legacyStream)
    return false;
  stream->closing = true;
  retired.splice(retired.end(), all, found);
  changed.notify_all();
  return true;
}

bool Streams::knows(const Stream *stream) {
  std::lock_guard lock(guard);
  return std::any_of(all.begin(), all.end(), [&](auto &s) { return s.get() == stream; });
}

std::vector<TicketRef> Streams::othersToWaitFor(const Stream *stream) const {
  std::vector<TicketRef> tickets;
  if (stream->isLegacy) {
    for (auto *streams : {&all, &retired})
      for (auto &other : *streams)
        if (!(other->flags & kNonBlocking))
          tickets.push_back(other->last);
  } else if (!(stream->flags & kNonBlocking)) {
    tickets.push_back(legacyStream->last);
  }
  return tickets;
}

void Streams::keepPending(std::vector<TicketRef> &tickets) {
  std::erase_if(tickets, [](const TicketRef &ticket) { return !ticket || ticket->done; });
}

/// What comes after the ticket's work comes after all that it came after.
void Streams::join(std::vector<uint32_t> &seen, const TicketRef &ticket) {
  if (!ticket)
    return;
  seen.resize(std::max({seen.size(), ticket->seen.size(), size_t(ticket->stream) + 1}));
  for (size_t s = 0; s < ticket->seen.size(); ++s)
    seen[s] = std::max(seen[s], ticket->seen[s]);
  seen[ticket->stream] = std::max(seen[ticket->stream], ticket->index);
}

const Ticket *Streams::current() { return doing; }

TicketRef Streams::enqueue(Stream *stream, std::function<void()> work, std::vector<TicketRef> after) {
  std::lock_guard lock(guard);
  std::vector<TicketRef> others = othersToWaitFor(stream);
  after.insert(after.end(), others.begin(), others.end());
  auto ticket = std::make_shared<Ticket>();
  ticket->stream = unsigned(stream->id - 1);
  ticket->index = ++stream->given;
  ticket->seen = hostSeen;
  join(ticket->seen, stream->last);
  for (const TicketRef &before : after)
    join(ticket->seen, before);
  keepPending(after);
  stream->queue.push_back({std::move(work), std::move(after), ticket});
  stream->last = ticket;
  if (!stream->worker.joinable())
    stream->worker = std::thread([this, stream] { serve(stream); });
  changed.notify_all();
  return ticket;
}

void Streams::serve(Stream *stream) {
  std::unique_lock lock(guard);
  while (true) {
    changed.wait(lock, [&] { return !stream->queue.empty() || stream->closing; });
    if (stream->queue.empty()) {
      stream->finished = true;
      return;
    }
    Stream::Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    changed.wait(lock, [&] {
      keepPending(work.after);
      return work.after.empty();
    });
    lock.unlock();
    doing = work.ticket.get();
    work.run();
    doing = nullptr;
    work.run = nullptr; // what it holds is released before the completion is visible
    lock.lock();
    work.ticket->when = std::chrono::steady_clock::now();
    work.ticket->done = true;
    changed.notify_all();
  }
}

void Streams::wait(const TicketRef &ticket) {
  if (!ticket)
    return;
  std::unique_lock lock(guard);
  changed.wait(lock, [&] { return ticket->done; });
  join(hostSeen, ticket);
}

bool Streams::isDone(const TicketRef &ticket) {
  std::lock_guard lock(guard);
  if (ticket && ticket->done)
    join(hostSeen, ticket);
  return !ticket || ticket->done;
}

TicketRef Streams::newest(Stream *stream) {
  std::lock_guard lock(guard);
  return stream->last;
}

void Streams::waitForAll() {
  std::vector<TicketRef> tickets;
  std::unique_lock lock(guard);
  for (auto *streams : {&all, &retired})
    for (auto &stream : *streams)
      tickets.push_back(stream->last);
  for (const TicketRef &ticket : tickets)
    join(hostSeen, ticket);
  changed.wait(lock, [&] {
    keepPending(tickets);
    return tickets.empty();
  });
}

} // namespace heddle::cudart
