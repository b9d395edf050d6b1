// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is cut into numbers and the text between them. Two lines that are not equal as they are agree where
// the texts are the same, except for blanks (a shorter number is padded by printf), and each pair of numbers
// is equal, close by the tolerance, or does not count.
//
// What unit a number has is read from the letters that follow it, after at most one blank, or from brackets
// before it: "kernel: 12.5 ms", "bandwidth 81.2 GB/s", "time (ms): 3". A unit is a whole word, so that "5
// seeds" is no time, and "16 x 32" is a shape where "2.5x" is a ratio of times.
#include "verify/CompareOutput.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace heddle::verify {
namespace {

/// Of the time that something took, or of what a program computes: an ignition delay in ms.
constexpr std::array TimeUnits = {
    "ns",          "us",          "\xC2\xB5s",    "\xCE\xBCs",   "ms",          "s",    "sec",
    "secs",        "second",      "seconds",      "nsec",        "usec",        "msec", "msecs",
    "minutes",     "hours",       "Hz",           "kHz",         "MHz",         "GHz",  "nanosecond",
    "nanoseconds", "microsecond", "microseconds", "millisecond", "milliseconds"};
/// Of how fast a computer works, and of nothing else.
constexpr std::array SpeedUnits = {"cycles", "clocks", "ticks",  "fps",    "FPS",    "bps",
                                   "Kbps",   "Mbps",   "Gbps",   "flops",  "FLOPS",  "MFLOPS",
                                   "GFLOPS", "TFLOPS", "MFlops", "GFlops", "TFlops", "Mflops",
                                   "Gflops", "Tflops", "GFLOPs", "TFLOPs"};
/// What is counted per second in such a unit, after a prefix of one or two letters or none.
constexpr std::array Counted = {"B",    "b",     "iB",   "byte",  "bytes", "Byte", "Bytes",
                                "flop", "flops", "FLOP", "FLOPs", "op",    "ops"};

/// What the unit of a number means for the comparison.
enum class Unit : uint8_t { None, Time, Speed };

struct Number {
  std::string text;
  Unit unit = Unit::None;
};

struct Line {
  std::vector<std::string> between; ///< one more than numbers; runs of blanks are one blank
  std::vector<Number> numbers;
};

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

Unit unitOf(std::string_view word) {
  if (std::ranges::count(SpeedUnits, word))
    return Unit::Speed;
  if (std::ranges::count(TimeUnits, word))
    return Unit::Time;
  const size_t slash = word.rfind('/');
  const std::string_view per = slash == std::string_view::npos ? "" : word.substr(slash + 1);
  if (per != "s" && per != "sec" && per != "second")
    return Unit::None;
  const std::string_view what = word.substr(0, slash);
  constexpr size_t longestPrefix = 2;
  const bool isSpeed = std::ranges::any_of(Counted, [&](std::string_view each) {
    return what.ends_with(each) && what.size() <= each.size() + longestPrefix;
  });
  return isSpeed ? Unit::Speed : Unit::Time;
}

/// The word at `at`, which may have a slash in it: "ms", "GB/s".
std::string_view wordAt(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && (isWordLetter(line[end]) || line[end] == '/'))
    ++end;
  return line.substr(at, end - at);
}

/// "12.5ms", "12.5 ms", "2.5x"
Unit unitAfter(std::string_view line, size_t at) {
  std::string_view glued = wordAt(line, at);
  if (!glued.empty())
    return glued == "x" ? Unit::Speed : unitOf(glued);
  return at < line.size() && line[at] == ' ' ? unitOf(wordAt(line, at + 1)) : Unit::None;
}

/// "(ms): 12.5", "[GB/s] = 80"
Unit unitBefore(std::string_view line, size_t at) {
  while (at > 0 &&
         (line[at - 1] == ' ' || line[at - 1] == '\t' || line[at - 1] == ':' || line[at - 1] == '='))
    --at;
  if (at == 0 || (line[at - 1] != ')' && line[at - 1] != ']'))
    return Unit::None;
  const size_t opening = line.find_last_of("([", at - 1);
  return opening == std::string_view::npos ? Unit::None : unitOf(line.substr(opening + 1, at - opening - 2));
}

/// Where the number that begins at `at` ends; `at` itself where none does.
size_t endOfNumber(std::string_view line, size_t at) {
  if (at > 0 && isWordLetter(line[at - 1]))
    return at; // of a name: x1
  size_t i = at;
  if (i < line.size() && (line[i] == '-' || line[i] == '+'))
    ++i;
  if (line.substr(i).starts_with("0x")) {
    size_t end = i + 2;
    while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end])))
      ++end;
    return end > i + 2 ? end : at;
  }
  size_t digits = 0;
  for (; i < line.size() && (isDigit(line[i]) || line[i] == '.'); ++i)
    digits += isDigit(line[i]);
  if (!digits)
    return at;
  if (line[i - 1] == '.')
    --i; // the end of a sentence
  size_t exponent = i;
  if (exponent < line.size() && (line[exponent] == 'e' || line[exponent] == 'E')) {
    ++exponent;
    if (exponent < line.size() && (line[exponent] == '-' || line[exponent] == '+'))
      ++exponent;
    if (exponent < line.size() && isDigit(line[exponent])) {
      while (exponent < line.size() && isDigit(line[exponent]))
        ++exponent;
      i = exponent;
    }
  }
  return i;
}

Line cut(std::string_view line) {
  Line result;
  result.between.emplace_back();
  for (size_t at = 0; at < line.size();) {
    std::string &text = result.between.back();
    if (size_t end = endOfNumber(line, at); end != at) {
      const Unit after = unitAfter(line, end);
      result.numbers.push_back(
          {std::string(line.substr(at, end - at)), after == Unit::None ? unitBefore(line, at) : after});
      result.between.emplace_back();
      at = end;
    } else {
      const char letter = line[at] == '\t' ? ' ' : line[at];
      if (letter != ' ' || text.empty() || text.back() != ' ')
        text += letter;
      ++at;
    }
  }
  return result;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// What another run of one of the programs printed in a line, if it is known and has the same words.
class Repeated {
public:
  Repeated(const Line &printed, std::optional<std::string_view> again) : once(printed) {
    if (again)
      if (Line read = cut(*again); read.between == printed.between)
        line = std::move(read);
  }
  bool isKnown() const { return line.has_value(); }
  bool varies(size_t i) const { return line && line->numbers[i].text != once.numbers[i].text; }

private:
  const Line &once;
  std::optional<Line> line;
};

/// One line of both programs, and of another run of each.
struct Lines {
  std::string_view a, b;
  std::optional<std::string_view> aAgain, bAgain;
};

/// Whether two lines agree; what was ignored for it goes to `ignored`.
bool agree(const Lines &lines, const Tolerance &tolerance, size_t number,
           std::vector<IgnoredNumber> &ignored) {
  if (!compareText(lines.a, lines.b, tolerance))
    return true;
  const Line x = cut(lines.a), y = cut(lines.b);
  if (x.between != y.between)
    return false;
  const Repeated first(x, lines.aAgain), second(y, lines.bAgain);
  std::vector<IgnoredNumber> here;
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    const Number &left = x.numbers[i], &right = y.numbers[i];
    if (!compareText(left.text, right.text, tolerance))
      continue;
    const bool isTime = left.unit != Unit::None, varies = first.varies(i) || (isTime && second.varies(i));
    const bool isExplained = varies || left.unit == Unit::Speed;
    if (!isExplained && (!isTime || (first.isKnown() && second.isKnown())))
      return false; // no run prints another value: a result
    here.push_back({number, left.text, right.text,
                    isTime ? IgnoredNumber::Why::IsTime : IgnoredNumber::Why::Varies, isExplained});
  }
  ignored.insert(ignored.end(), here.begin(), here.end());
  return true;
}

} // namespace

OutputComparison compareOutput(std::string_view a, std::string_view b, const Tolerance &tolerance,
                               const OtherRuns &others) {
  OutputComparison result;
  if (a == b)
    return result;
  const std::vector<std::string_view> x = linesOf(a), y = linesOf(b), xAgain = linesOf(others.a.value_or("")),
                                      yAgain = linesOf(others.b.value_or(""));
  auto of = [](const auto &run, const std::vector<std::string_view> &lines, size_t i) {
    return run && i < lines.size() ? std::optional(lines[i]) : std::nullopt;
  };
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const bool bothThere = i < x.size() && i < y.size();
    if (bothThere && agree({x[i], y[i], of(others.a, xAgain, i), of(others.b, yAgain, i)}, tolerance, i + 1,
                           result.ignored))
      continue;
    result.difference =
        LineDifference{i + 1, std::string(i < x.size() ? x[i] : ""), std::string(i < y.size() ? y[i] : "")};
    return result;
  }
  return result;
}

std::optional<LineDifference> differenceInWords(std::string_view once, std::string_view again) {
  const std::vector<std::string_view> x = linesOf(once), y = linesOf(again);
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const bool bothThere = i < x.size() && i < y.size();
    if (!bothThere || cut(x[i]).between != cut(y[i]).between)
      return LineDifference{i + 1, std::string(i < x.size() ? x[i] : ""),
                            std::string(i < y.size() ? y[i] : "")};
  }
  return std::nullopt;
}

} // namespace heddle::verify
