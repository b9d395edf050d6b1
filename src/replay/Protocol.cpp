// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Protocol.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace heddle::replay {
namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char lower = char(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A word as a number that fits; false otherwise, also for signs and for more than digits.
bool readNumber(const std::string &word, uint64_t most, uint64_t &value) {
  if (word.empty() || word.size() > 20)
    return false;
  value = 0;
  for (char c : word) {
    if (c < '0' || c > '9' || value > (most - uint64_t(c - '0')) / 10)
      return false;
    value = value * 10 + uint64_t(c - '0');
  }
  return value <= most;
}

bool readBytes(const std::string &hex, std::vector<uint8_t> &bytes) {
  if (hex.size() % 2)
    return false;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = hexDigit(hex[i]), low = hexDigit(hex[i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes.push_back(uint8_t(high * 16 + low));
  }
  return true;
}

bool readDim(const std::string &text, Dim &dim) {
  std::istringstream parts(text);
  std::string part;
  for (uint32_t &each : dim) {
    uint64_t value = 0;
    if (!std::getline(parts, part, ',') || !readNumber(part, UINT32_MAX, value) || value == 0)
      return false;
    each = uint32_t(value);
  }
  return !std::getline(parts, part, ',');
}

/// "name=value"; false where there is no such attribute or its value is wrong.
/// A number that is not negative.
bool readShare(const std::string &text, double &share) {
  char *end = nullptr;
  share = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && share >= 0 && std::isfinite(share);
}

bool readAttribute(const std::string &word, Request &request) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
  if (name == "cluster")
    return readDim(value, request.cluster);
  if (name == "cooperative") {
    request.isCooperative = value == "1";
    return value == "0" || value == "1";
  }
  if (name == "counters") {
    request.countersFile = percentDecoded(value);
    return !value.empty();
  }
  if (name == "steady")
    return readShare(value, request.steady);
  if (name == "parameters")
    return readBytes(value, request.parameters.emplace());
  return false;
}

bool isAttribute(const std::string &word) {
  for (const char *name : {"cluster=", "cooperative=", "counters=", "parameters=", "steady="})
    if (word.rfind(name, 0) == 0)
      return true;
  return false;
}

/// The words of a line in order, each read into its place.
class Words {
public:
  explicit Words(const std::string &line) : in(line) {}

  bool next(const char *what, std::string &to) {
    if (!error.empty())
      return false;
    if (!(in >> to))
      error = std::string("measure: ") + what + " is missing";
    return error.empty();
  }
  template <class Number> void number(const char *what, Number &to, uint64_t most = UINT32_MAX) {
    std::string word;
    uint64_t value = 0;
    if (next(what, word) && !readNumber(word, most, value))
      error = std::string("measure: ") + what + " is '" + word + "', not an integer from 0 to " +
              std::to_string(most);
    to = Number(value);
  }
  void seconds(double &to) {
    std::string word;
    if (!next("the number of seconds", word))
      return;
    char *end = nullptr;
    to = std::strtod(word.c_str(), &end);
    if (*end || !std::isfinite(to) || to < 0)
      error = "measure: the number of seconds is '" + word + "'";
  }

  std::string error;
  std::istringstream in;
};

void append(std::string &out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void append(std::string &out, const char *format, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  out += text;
}

const char *nameOf(Status status) {
  switch (status) {
  case Status::Same: return "same";
  case Status::Differs: return "differs";
  case Status::Failed: return "failed";
  }
  return "failed";
}

} // namespace

std::optional<Request> parseMeasure(const std::string &line, std::string &error) {
  Words words(line);
  Request request;
  std::string command, module, kernel;
  words.next("the command", command);
  words.next("the identifier", request.id);
  words.next("the file", module);
  words.next("the kernel", kernel);
  const char *const axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    words.number((std::string("the grid's ") + axes[i]).c_str(), request.grid[size_t(i)]);
  for (int i = 0; i < 3; ++i)
    words.number((std::string("the block's ") + axes[i]).c_str(), request.block[size_t(i)]);
  words.number("the size of dynamic shared memory", request.sharedBytes);
  words.number("the number of rounds", request.rounds);
  words.number("the number of warm-up rounds", request.warmUps);
  words.number("the flag for flushing L2", request.flushesL2, 1);
  words.seconds(request.seconds);
  request.module = percentDecoded(module);
  request.kernel = percentDecoded(kernel);
  std::string word;
  for (bool isFirst = true; words.error.empty() && words.in >> word; isFirst = false) {
    if (isFirst && !isAttribute(word))
      request.differencesFile = percentDecoded(word);
    else if (!readAttribute(word, request))
      words.error = "measure: '" + word + "' is not an attribute";
  }
  error = words.error;
  return error.empty() ? std::optional<Request>(std::move(request)) : std::nullopt;
}

std::string percentDecoded(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1,
              low = high >= 0 ? hexDigit(text[i + 2]) : -1;
    out += low >= 0 ? char(high * 16 + low) : text[i];
    i += low >= 0 ? 2 : 0;
  }
  return out;
}

std::string percentEncoded(const std::string &text) {
  std::string out;
  for (char c : text)
    if (uint8_t(c) <= ' ' || c == '%' || c == 127)
      append(out, "%%%02X", unsigned(uint8_t(c)));
    else
      out += c;
  return out;
}

std::string jsonQuoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (uint8_t(c) < ' ')
      append(out, "\\u%04x", unsigned(uint8_t(c)));
    else
      out += c;
  return out + '"';
}

std::string resultLine(const std::string &id, const Measurement &m, bool isTime) {
  std::string out = "{\"event\":\"result\",\"id\":" + jsonQuoted(id) + ",\"status\":\"" + nameOf(m.status) +
                    "\",\"text\":" + jsonQuoted(m.text) + ",\"unit\":\"" +
                    (isTime ? "microseconds" : "instructions") + "\",\"micros\":[";
  for (size_t i = 0; i < m.times.size(); ++i)
    append(out, isTime ? "%s%.3f" : "%s%.0f", i ? "," : "", m.times[i]);
  append(out, "],\"registers\":%d,\"local_bytes\":%d,\"shared_bytes\":%d,\"occupancy\":%.1f", m.registers,
         m.localBytes, m.sharedBytes, m.occupancy);
  out += ",\"differing\":[";
  for (size_t i = 0; i < m.differing.size(); ++i)
    append(out, "%s{\"object\":%zu,\"bytes\":%llu,\"first\":%llu}", i ? "," : "", m.differing[i].object,
           (unsigned long long)m.differing[i].bytes, (unsigned long long)m.differing[i].first);
  out += "],\"outside\":[";
  for (size_t i = 0; i < m.outside.size(); ++i)
    append(out, "%s{\"address\":\"0x%llx\",\"bytes\":%llu}", i ? "," : "",
           (unsigned long long)m.outside[i].address, (unsigned long long)m.outside[i].bytes);
  append(out, "],\"fatal\":%s,\"seconds\":%.3f}", m.isFatal ? "true" : "false", m.seconds);
  return out;
}

std::string errorLine(const std::string &text) {
  return "{\"event\":\"error\",\"text\":" + jsonQuoted(text) + "}";
}

} // namespace heddle::replay
