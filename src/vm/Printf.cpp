// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's printf is C's without %n; each conversion is formatted as on the host. Each conversion is therefore
// extracted, its length modifier normalized, and passed to snprintf with its argument.
#include "vm/Printf.h"

#include <cstdio>
#include <cstring>

namespace heddle::vm {
namespace {

struct Conversion {
  std::string spec; ///< "%-8.3" without length modifier and letter
  char letter = 0;
  bool isLong = false; ///< 64-bit integer
};

struct Reader {
  const PrintfArguments &arguments;
  uint64_t offset = 0;
  bool good = true;
  int count = 0;

  template <class T> T next() {
    offset = (offset + sizeof(T) - 1) & ~uint64_t(sizeof(T) - 1);
    T value{};
    good &= arguments.read(offset, &value, sizeof(T));
    offset += sizeof(T);
    ++count;
    return value;
  }
};

template <class T> void append(std::string &out, const std::string &spec, T value) {
  char buffer[512];
  int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  if (length < int(sizeof buffer)) {
    out.append(buffer, size_t(length < 0 ? 0 : length));
    return;
  }
  std::string large(size_t(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), spec.c_str(), value);
  out.append(large.data(), size_t(length));
}

/// Reads one conversion after '%'; stars take their width or precision from the arguments.
Conversion parse(std::string_view format, size_t &at, Reader &reader) {
  Conversion c;
  c.spec = "%";
  for (; at < format.size(); ++at) {
    char ch = format[at];
    if (ch == '*')
      c.spec += std::to_string(reader.next<int32_t>());
    else if (std::strchr("-+ #0123456789.", ch))
      c.spec += ch;
    else
      break;
  }
  for (; at < format.size() && std::strchr("hlqjzt", format[at]); ++at)
    c.isLong |= format[at] != 'h';
  if (at < format.size())
    c.letter = format[at++];
  return c;
}

void convert(const Conversion &c, Reader &reader, std::string &out) {
  switch (c.letter) {
  case 'd':
  case 'i':
    c.isLong ? append(out, c.spec + "lld", (long long)(reader.next<int64_t>()))
             : append(out, c.spec + "d", reader.next<int32_t>());
    return;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    c.isLong ? append(out, c.spec + "ll" + c.letter, (unsigned long long)(reader.next<uint64_t>()))
             : append(out, c.spec + c.letter, reader.next<uint32_t>());
    return;
  case 'c': append(out, c.spec + "c", reader.next<int32_t>()); return;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A': append(out, c.spec + c.letter, reader.next<double>()); return;
  case 'p': append(out, c.spec + "p", reinterpret_cast<void *>(reader.next<uint64_t>())); return;
  case 's': {
    std::string text;
    reader.good &= reader.arguments.readString(reader.next<uint64_t>(), text);
    append(out, c.spec + "s", text.c_str());
    return;
  }
  case '%': out += '%'; return;
  default:
    out += c.spec;
    if (c.letter)
      out += c.letter;
  }
}

} // namespace

bool formatDevice(std::string_view format, const PrintfArguments &arguments, std::string &out, int &count) {
  Reader reader{arguments};
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    ++at;
    convert(parse(format, at, reader), reader, out);
  }
  count = reader.count;
  return reader.good;
}

} // namespace heddle::vm
