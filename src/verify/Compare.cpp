// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What "the same result" means. Bit for bit unless a tolerance is given; and a tolerance needs to know what
// the bytes are. A C++ kernel's mangled name gives the types of its parameters, and the log gives which
// parameter a buffer was: that is exact and costs nothing. Where a name has no type (structs, void *, extern "C"), a tolerance
// is not applied: a guess from the values would read integers as parts of floating-point numbers, and hide differences.
//
// heddle-runner is linked with this file and with nothing else of this module: it uses the standard library
// only.
#include "verify/Compare.h"

#include "support/Demangle.h"
#include "support/Numbers.h"
#include "verify/Records.h"

#include <cmath>
#include <cstring>

namespace heddle::verify {
namespace {

// --- Values
// -------------------------------------------------------------------------------------------------

template <class T> T read(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                     : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                      : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double asDouble(const uint8_t *bytes, Element element) {
  switch (element) {
  case Element::F16: return fromHalf(read<uint16_t>(bytes));
  case Element::BF16: {
    uint32_t wide = uint32_t(read<uint16_t>(bytes)) << 16;
    return read<float>(reinterpret_cast<uint8_t *>(&wide));
  }
  case Element::F32: return read<float>(bytes);
  default: return read<double>(bytes);
  }
}

bool isFloat(Element element) { return element >= Element::F16; }

/// Bit patterns of a format's values in the order of the values, so that neighbours differ by one.
int64_t ordered(const uint8_t *bytes, Element element) {
  unsigned bits = unsigned(bytesOf(element)) * 8;
  uint64_t pattern = 0;
  std::memcpy(&pattern, bytes, bytesOf(element));
  uint64_t magnitude = pattern & ~(uint64_t(1) << (bits - 1));
  return pattern >> (bits - 1) ? -int64_t(magnitude) : int64_t(magnitude);
}

uint64_t ulpsApart(const uint8_t *a, const uint8_t *b, Element element) {
  int64_t x = ordered(a, element), y = ordered(b, element);
  return x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
}

std::string hex(const uint8_t *bytes, size_t count) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text = "0x";
  for (size_t i = count; i-- > 0;)
    text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

/// The shortest text that reads as the same value, with an exponent where it is far from 1.
template <class T> std::string shortest(T value) {
  const double magnitude = std::fabs(double(value));
  const bool isNear = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof text, value,
                                    isNear ? std::chars_format::fixed : std::chars_format::scientific);
  return {text, end};
}

// --- Names
// --------------------------------------------------------------------------------------------------

/// The types between the parentheses that end "void f<...>(T, U<V, W>)".
std::vector<std::string> parameterTypes(const std::string &signature) {
  if (signature.empty() || signature.back() != ')')
    return {};
  std::vector<std::string> types;
  size_t depth = 0, end = signature.size() - 1, at = end;
  while (at-- > 0) {
    char c = signature[at];
    bool opens = c == '(' || c == '<' || c == '[', closes = c == ')' || c == '>' || c == ']';
    bool outermost = depth == 0 && (c == ',' || c == '(');
    if (outermost) {
      size_t first = signature.find_first_not_of(' ', at + 1);
      types.insert(types.begin(), signature.substr(first, end - first));
      end = at;
      if (c == '(')
        return types;
    } else if (closes) {
      ++depth;
    } else if (opens && depth > 0) {
      --depth;
    }
  }
  return {};
}

/// "float" of "float const*".
std::string pointee(std::string type) {
  size_t star = type.rfind('*');
  if (star == std::string::npos)
    return {};
  type.resize(star);
  for (std::string_view word : {" const", " volatile", " __restrict"})
    for (size_t at; (at = type.find(word)) != std::string::npos;)
      type.erase(at, word.size());
  return type;
}

struct NamedElement {
  const char *name;
  Element element;
};
/// Vectors of CUDA are compared by their components.
constexpr NamedElement kElements[] = {{"float", Element::F32},
                                      {"float2", Element::F32},
                                      {"float3", Element::F32},
                                      {"float4", Element::F32},
                                      {"double", Element::F64},
                                      {"double2", Element::F64},
                                      {"double4", Element::F64},
                                      {"int", Element::I32},
                                      {"int2", Element::I32},
                                      {"int4", Element::I32},
                                      {"unsigned int", Element::U32},
                                      {"uint2", Element::U32},
                                      {"uint4", Element::U32},
                                      {"long", Element::I64},
                                      {"long long", Element::I64},
                                      {"unsigned long", Element::U64},
                                      {"unsigned long long", Element::U64},
                                      {"short", Element::I16},
                                      {"unsigned short", Element::U16},
                                      {"char", Element::I8},
                                      {"signed char", Element::I8},
                                      {"unsigned char", Element::U8},
                                      {"bool", Element::U8},
                                      {"uchar4", Element::U8},
                                      {"__half", Element::F16},
                                      {"__half2", Element::F16},
                                      {"__nv_bfloat16", Element::BF16},
                                      {"__nv_bfloat162", Element::BF16}};

bool readsAsOrdinaryFloat(uint32_t word) {
  uint32_t exponent = word >> 23 & 255;
  return (word & 0x7fffffff) == 0 || (exponent > 127 - 64 && exponent < 127 + 64);
}

bool readsAsOrdinaryDouble(uint64_t word) {
  uint64_t exponent = word >> 52 & 2047;
  return (word & 0x7fffffffffffffff) == 0 || (exponent > 1023 - 400 && exponent < 1023 + 400);
}

template <class Word, class Test> bool allWords(const std::vector<uint8_t> &bytes, Test test) {
  for (size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word))
    if (!test(read<Word>(bytes.data() + at)))
      return false;
  return true;
}

// --- Copies
// -------------------------------------------------------------------------------------------------

trace::CopyRecord withoutBytes(trace::CopyRecord record) {
  record.bytes.clear();
  return record;
}

// --- Text
// ---------------------------------------------------------------------------------------------------

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view withoutPunctuation(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == ')'))
    word.remove_suffix(1);
  while (!word.empty() && word.front() == '(')
    word.remove_prefix(1);
  return word;
}

std::optional<double> number(std::string_view word) { return readNumber<double>(withoutPunctuation(word)); }

/// Without a point or an exponent: a count, or a double that `%g` prints as 3.
bool looksLikeInteger(std::string_view word) {
  word = withoutPunctuation(word);
  const size_t first = word.starts_with('-') || word.starts_with('+');
  return word.size() > first && word.find_first_not_of("0123456789", first) == std::string_view::npos;
}

bool sameNumber(std::string_view a, std::string_view b, const Tolerance &tolerance) {
  std::optional<double> u = number(a), v = number(b);
  if (!u || !v || (looksLikeInteger(a) && looksLikeInteger(b)))
    return false; // the words differ
  return areClose(reinterpret_cast<uint8_t *>(&*u), reinterpret_cast<uint8_t *>(&*v), Element::F64,
                  tolerance);
}

bool sameLine(std::string_view a, std::string_view b, const Tolerance &tolerance) {
  if (a == b || tolerance.isExact())
    return a == b;
  std::vector<std::string_view> x = split(a, ' '), y = split(b, ' ');
  return std::ranges::equal(x, y, [&](std::string_view one, std::string_view other) {
    return one == other || sameNumber(one, other, tolerance);
  });
}

} // namespace

std::optional<Tolerance> readTolerance(std::string_view text) {
  Tolerance tolerance;
  for (std::string_view part : split(text, ',')) {
    size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return std::nullopt;
    std::optional<double> value = number(part.substr(equals + 1));
    std::string_view name = part.substr(0, equals);
    if (!value || !(*value >= 0))
      return std::nullopt;
    if (name == "ulp" && *value == std::floor(*value))
      tolerance.ulps = uint64_t(*value);
    else if (name == "rel")
      tolerance.relative = *value;
    else if (name == "abs")
      tolerance.absolute = *value;
    else
      return std::nullopt;
  }
  return tolerance;
}

std::string textOf(const Tolerance &tolerance) {
  std::string text;
  auto add = [&](const char *name, double value) {
    if (value != 0)
      text += (text.empty() ? "" : ",") + std::string(name) + shortest(value);
  };
  add("ulp=", double(tolerance.ulps));
  add("rel=", tolerance.relative);
  add("abs=", tolerance.absolute);
  return text;
}

size_t bytesOf(Element element) {
  switch (element) {
  case Element::Bytes:
  case Element::I8:
  case Element::U8: return 1;
  case Element::I16:
  case Element::U16:
  case Element::F16:
  case Element::BF16: return 2;
  case Element::I32:
  case Element::U32:
  case Element::F32: return 4;
  case Element::I64:
  case Element::U64:
  case Element::F64: return 8;
  }
  return 1;
}

const char *nameOf(Element element) {
  constexpr const char *names[] = {"byte",  "int8",   "uint8", "int16",    "uint16", "int32", "uint32",
                                   "int64", "uint64", "half",  "bfloat16", "float",  "double"};
  return names[size_t(element)];
}

std::string readableName(const std::string &mangled) { return demangled(mangled); }

Element elementOfParameter(const std::string &mangledKernel, int parameter) {
  std::vector<std::string> types = parameterTypes(demangled(mangledKernel));
  if (parameter < 0 || size_t(parameter) >= types.size())
    return Element::Bytes;
  std::string type = pointee(types[size_t(parameter)]);
  for (const NamedElement &named : kElements)
    if (type == named.name)
      return named.element;
  return Element::Bytes;
}

Element guessElement(const std::vector<uint8_t> &bytes) {
  if (bytes.size() % 8 == 0 && allWords<uint64_t>(bytes, readsAsOrdinaryDouble) &&
      !allWords<uint32_t>(bytes, readsAsOrdinaryFloat))
    return Element::F64;
  if (bytes.size() % 4 == 0)
    return allWords<uint32_t>(bytes, readsAsOrdinaryFloat) ? Element::F32 : Element::I32;
  return Element::U8;
}

std::string valueText(const uint8_t *bytes, Element element) {
  switch (element) {
  case Element::Bytes:
  case Element::U8: return std::to_string(read<uint8_t>(bytes));
  case Element::I8: return std::to_string(read<int8_t>(bytes));
  case Element::I16: return std::to_string(read<int16_t>(bytes));
  case Element::U16: return std::to_string(read<uint16_t>(bytes));
  case Element::I32: return std::to_string(read<int32_t>(bytes));
  case Element::U32: return std::to_string(read<uint32_t>(bytes));
  case Element::I64: return std::to_string(read<int64_t>(bytes));
  case Element::U64: return std::to_string(read<uint64_t>(bytes));
  case Element::F32: return shortest(read<float>(bytes));
  case Element::F16:
  case Element::BF16:
  case Element::F64: return shortest(asDouble(bytes, element));
  }
  return {};
}

bool areClose(const uint8_t *a, const uint8_t *b, Element element, const Tolerance &tolerance) {
  if (!isFloat(element) || tolerance.isExact())
    return std::memcmp(a, b, bytesOf(element)) == 0;
  double x = asDouble(a, element), y = asDouble(b, element);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y))
    return x == y;
  double apart = std::fabs(x - y), larger = std::max(std::fabs(x), std::fabs(y));
  return x == y || apart <= tolerance.absolute || apart <= tolerance.relative * larger ||
         (tolerance.ulps && ulpsApart(a, b, element) <= tolerance.ulps);
}

std::optional<double> relativeError(const uint8_t *a, const uint8_t *b, Element element) {
  if (!isFloat(element))
    return std::nullopt;
  const double x = asDouble(a, element), y = asDouble(b, element);
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return 0;
  if (!std::isfinite(x) || !std::isfinite(y))
    return INFINITY;
  return std::fabs(x - y) / std::max(std::fabs(x), std::fabs(y));
}

ElementType typeOf(const trace::CopyRecord &record) {
  const Element element = elementOfParameter(record.kernel, record.kernelParameter);
  if (element == Element::Bytes || record.bytes.size() % bytesOf(element))
    return {guessElement(record.bytes), false};
  return {element, true};
}

std::optional<CopyDifference> compareRecords(const trace::CopyRecord &a, const trace::CopyRecord &b,
                                             const Tolerance &tolerance) {
  if (a.bytes == b.bytes)
    return std::nullopt;
  CopyDifference difference;
  if (a.bytes.size() != b.bytes.size()) {
    difference.what = "it has " + std::to_string(a.bytes.size()) + " bytes in the first program and " +
                      std::to_string(b.bytes.size()) + " in the second";
    return difference;
  }
  const ElementType type = typeOf(a);
  difference.element = type.element;
  difference.isTypeKnown = type.isKnown;
  difference.toleranceWasNotApplied = !type.isKnown && !tolerance.isExact();
  const Tolerance applied = type.isKnown ? tolerance : Tolerance();
  size_t size = bytesOf(difference.element);
  difference.elements = a.bytes.size() / size;
  for (uint64_t i = 0; i < difference.elements; ++i) {
    const uint8_t *x = a.bytes.data() + i * size, *y = b.bytes.data() + i * size;
    if (std::memcmp(x, y, size) == 0 || areClose(x, y, difference.element, applied))
      continue;
    if (difference.differing++ == 0) {
      difference.index = i;
      difference.valueA = valueText(x, difference.element);
      difference.valueB = valueText(y, difference.element);
      difference.bitsA = hex(x, size);
      difference.bitsB = hex(y, size);
    }
  }
  return difference.differing ? std::optional(difference) : std::nullopt;
}

bool isRecording(const std::filesystem::path &file) { return trace::CopyLogReader().open(file.string()); }

std::optional<CopyDifference> compareLogs(const std::string &fileA, const std::string &fileB,
                                          const Tolerance &tolerance, uint64_t &copies,
                                          const std::function<bool(uint64_t)> &counts) {
  trace::CopyLogReader a, b;
  copies = 0;
  bool hasA = a.open(fileA), hasB = b.open(fileB);
  trace::CopyRecord recordA, recordB;
  while (true) {
    bool moreA = hasA && a.next(recordA), moreB = hasB && b.next(recordB);
    if (!moreA && !moreB)
      return std::nullopt;
    ++copies;
    std::optional<CopyDifference> difference;
    if (moreA != moreB) {
      difference.emplace();
      difference->what = std::string("only the ") + (moreA ? "first" : "second") + " program made it";
    } else if (!counts || counts(copies)) {
      difference = compareRecords(recordA, recordB, tolerance);
    }
    if (!difference)
      continue;
    difference->copy = copies;
    difference->a = moreA ? withoutBytes(recordA) : trace::CopyRecord();
    difference->b = moreB ? withoutBytes(recordB) : trace::CopyRecord();
    return difference;
  }
}

std::string textOf(const CopyDifference &difference) {
  const std::string which = "device-to-host copy " + std::to_string(difference.copy) + ": ";
  if (!difference.what.empty())
    return which + difference.what;
  return which + "element " + std::to_string(difference.index) + " is " + difference.valueB +
         ", the original's is " + difference.valueA + "; " + std::to_string(difference.differing) + " of " +
         std::to_string(difference.elements) + " differ" +
         (difference.toleranceWasNotApplied ? "; " + toleranceText(difference) : "");
}

std::string toleranceText(const CopyDifference &difference) {
  if (!difference.toleranceWasNotApplied)
    return {};
  return "the type of the elements is not known, so that the tolerance was not applied: it is taken from the "
         "parameter of a kernel in C++ that points to the buffer, as float *, double * or a vector of these";
}

std::optional<LineDifference> compareText(std::string_view a, std::string_view b,
                                          const Tolerance &tolerance) {
  if (a == b)
    return std::nullopt;
  std::vector<std::string_view> x = split(a, '\n'), y = split(b, '\n');
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    std::string_view lineA = i < x.size() ? x[i] : std::string_view(),
                     lineB = i < y.size() ? y[i] : std::string_view();
    bool bothThere = i < x.size() && i < y.size();
    if (!bothThere || !sameLine(lineA, lineB, tolerance))
      return LineDifference{i + 1, std::string(lineA), std::string(lineB)};
  }
  return std::nullopt;
}

std::string textOf(const LineDifference &difference) {
  return "line " + std::to_string(difference.line) + " of its output is '" + difference.b +
         "', the original's is '" + difference.a + "'";
}

} // namespace heddle::verify
