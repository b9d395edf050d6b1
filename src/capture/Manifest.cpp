// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading is strict: an unknown word, a missing or an additional value is an error with its line. A capture of a newer
// version is refused as a whole, since a launch of which a part is ignored would be another launch.
#include "capture/Manifest.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace heddle::capture {
namespace {

constexpr const char *kFormat = "heddle-capture";
constexpr uint64_t kVersion = 1;
constexpr const char *kRegionKinds[] = {"device", "managed", "pinned"};
constexpr const char *kVariableKinds[] = {"device", "constant", "managed"};
constexpr const char *kTextureMemories[] = {"array", "linear", "pitch"};

std::string hexOf(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string quotedJson(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    char escape[8];
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escape;
    } else
      out += c;
  }
  return out + '"';
}

std::string textOf(const Dimensions &size) {
  return std::to_string(size.x) + " " + std::to_string(size.y) + " " + std::to_string(size.z);
}

std::string textOf(double micros) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << micros;
  return out.str();
}

std::string hexDigits(const std::vector<unsigned char> &bytes) {
  std::string out;
  for (unsigned char byte : bytes) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x", static_cast<unsigned>(byte));
    out += text;
  }
  return out.empty() ? "-" : out;
}

/// The words of one line. Every getter remembers that something was wrong; the caller asks once, at the end.
class Line {
public:
  explicit Line(const std::string &text) : text(text) {}

  std::string word() {
    skipSpaces();
    const size_t from = at;
    while (at < text.size() && text[at] != ' ')
      ++at;
    wrong |= at == from;
    return text.substr(from, at - from);
  }

  bool hasMore() {
    skipSpaces();
    return at < text.size();
  }

  uint64_t number() {
    const std::string digits = word();
    const bool isHex = digits.compare(0, 2, "0x") == 0;
    const size_t from = isHex ? 2 : 0;
    const char *allowed = isHex ? "0123456789abcdef" : "0123456789";
    // 16 and 19 digits always fit into 64 bits.
    if (digits.size() == from || digits.size() - from > (isHex ? 16 : 19) ||
        digits.find_first_not_of(allowed, from) != std::string::npos)
      return wrong = true, 0;
    return std::strtoull(digits.c_str() + from, nullptr, isHex ? 16 : 10);
  }

  uint32_t shortNumber() {
    const uint64_t value = number();
    wrong |= value > UINT32_MAX;
    return uint32_t(value);
  }

  Dimensions dimensions() {
    const uint32_t x = shortNumber(), y = shortNumber(), z = shortNumber();
    return {x, y, z};
  }

  double decimal() {
    std::istringstream in(word());
    in.imbue(std::locale::classic());
    double value = 0;
    wrong |= !(in >> value) || in.peek() != EOF;
    return value;
  }

  std::vector<unsigned char> bytes(uint64_t count) {
    const std::string digits = word();
    std::vector<unsigned char> out;
    if (count == 0 && digits == "-")
      return out;
    if (digits.size() % 2 || digits.size() / 2 != count ||
        digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      return wrong = true, out;
    for (size_t i = 0; i < digits.size(); i += 2)
      out.push_back(static_cast<unsigned char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16)));
    return out;
  }

  std::string quotedText() {
    skipSpaces();
    std::string out;
    if (at >= text.size() || text[at++] != '"')
      return wrong = true, out;
    while (at < text.size() && text[at] != '"') {
      if (text[at] != '\\') {
        out += text[at++];
      } else if (text.compare(at, 2, "\\u") == 0 && at + 6 <= text.size()) {
        out += char(std::strtoul(text.substr(at + 2, 4).c_str(), nullptr, 16));
        at += 6;
      } else if (at + 1 < text.size()) {
        out += text[at + 1];
        at += 2;
      } else {
        ++at;
      }
    }
    wrong |= at >= text.size();
    ++at;
    return out;
  }

  /// One of the words of a table; its index is the value.
  template <class Kind, size_t N> Kind oneOf(const char *const (&words)[N]) {
    const std::string given = word();
    for (size_t i = 0; i < N; ++i)
      if (given == words[i])
        return Kind(i);
    wrong = true;
    return Kind(0);
  }

  bool isWrong() const { return wrong; }
  bool isRead() {
    skipSpaces();
    return !wrong && at >= text.size();
  }

private:
  void skipSpaces() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  const std::string &text;
  size_t at = 0;
  bool wrong = false;
};

std::string textOf(const TexelFormat &format) {
  std::string out;
  for (uint32_t each : format.bits)
    out += std::to_string(each) + " ";
  return out + std::to_string(format.kind);
}

TexelFormat formatOf(Line &line) {
  TexelFormat format;
  for (uint32_t &each : format.bits)
    each = line.shortNumber();
  format.kind = line.shortNumber();
  return format;
}

std::string textOf(const Array &array) {
  return std::to_string(array.width) + " " + std::to_string(array.height) + " " +
         std::to_string(array.depth) + " " + textOf(array.format) + " " + std::to_string(array.flags);
}

Array arrayOf(Line &line) {
  Array array;
  array.width = line.number(), array.height = line.number(), array.depth = line.number();
  array.format = formatOf(line);
  array.flags = line.shortNumber();
  return array;
}

/// The fields that say how a texture is read, one after the other.
template <class Object, class Use> void forEachSampling(Object &object, const Use &use) {
  for (auto &mode : object.addressModes)
    use(mode);
  use(object.filter), use(object.readMode), use(object.isSrgb), use(object.isNormalized);
  use(object.anisotropy);
  for (auto &bits : object.border)
    use(bits);
}

std::string textOf(const TextureObject &object) {
  std::string out = std::to_string(object.handle) + " " + kTextureMemories[size_t(object.memory)] + " ";
  switch (object.memory) {
  case TextureObject::Memory::Array: out += std::to_string(object.array); break;
  case TextureObject::Memory::Linear:
    out += hexOf(object.address) + " " + std::to_string(object.width) + " " + textOf(object.format);
    break;
  case TextureObject::Memory::Pitch:
    out += hexOf(object.address) + " " + std::to_string(object.width) + " " + std::to_string(object.height) +
           " " + std::to_string(object.pitch) + " " + textOf(object.format);
    break;
  }
  if (object.kind == TextureObject::Kind::Texture)
    forEachSampling(object, [&out](uint32_t value) { out += " " + std::to_string(value); });
  return out;
}

TextureObject textureOf(TextureObject::Kind kind, Line &line) {
  TextureObject object;
  object.kind = kind;
  object.handle = line.number();
  object.memory = line.oneOf<TextureObject::Memory>(kTextureMemories);
  if (object.memory == TextureObject::Memory::Array) {
    object.array = size_t(line.number());
  } else {
    object.address = line.number();
    object.width = line.number();
    if (object.memory == TextureObject::Memory::Pitch)
      object.height = line.number(), object.pitch = line.number();
    object.format = formatOf(line);
  }
  if (kind == TextureObject::Kind::Texture)
    forEachSampling(object, [&line](uint32_t &value) { value = line.shortNumber(); });
  return object;
}

bool readItem(const std::string &key, Line &line, Manifest &manifest) {
  if (key == "program")
    manifest.program = line.quotedText();
  else if (key == "device")
    manifest.device = line.quotedText();
  else if (key == "arch")
    manifest.arch = line.word();
  else if (key == "kernel")
    manifest.kernel = line.word();
  else if (key == "name")
    manifest.name = line.quotedText();
  else if (key == "launch")
    manifest.launch = line.number();
  else if (key == "micros")
    manifest.micros = line.decimal();
  else if (key == "grid")
    manifest.grid = line.dimensions();
  else if (key == "block")
    manifest.block = line.dimensions();
  else if (key == "cluster")
    manifest.cluster = line.dimensions();
  else if (key == "shared")
    manifest.sharedBytes = line.number();
  else if (key == "cooperative")
    manifest.cooperative = line.number() != 0;
  else if (key == "parameter") {
    Parameter parameter;
    parameter.offset = line.number();
    parameter.bytes = line.bytes(line.number());
    manifest.parameters.push_back(parameter);
  } else if (key == "region") {
    Region region;
    region.address = line.number();
    region.bytes = line.number();
    region.kind = line.oneOf<RegionKind>(kRegionKinds);
    manifest.regions.push_back(region);
  } else if (key == "variable") {
    Variable variable;
    variable.name = line.word();
    variable.bytes = line.number();
    variable.kind = line.oneOf<VariableKind>(kVariableKinds);
    variable.address = line.hasMore() ? line.number() : 0;
    manifest.variables.push_back(variable);
  } else if (key == "points-into-variable")
    manifest.pointsIntoVariables.push_back(line.word());
  else if (key == "module-pointer") {
    std::string variable = line.word();
    manifest.modulePointers.push_back({std::move(variable), line.number()});
  } else if (key == "array")
    manifest.arrays.push_back(arrayOf(line));
  else if (key == "texture")
    manifest.textures.push_back(textureOf(TextureObject::Kind::Texture, line));
  else if (key == "surface")
    manifest.textures.push_back(textureOf(TextureObject::Kind::Surface, line));
  else
    return false;
  return line.isRead();
}

bool isThisVersion(const std::string &text, std::string &error) {
  Line line(text);
  if (line.word() != kFormat) {
    error = "launch.txt:1: no capture: the first line is not '" + std::string(kFormat) + " VERSION'";
    return false;
  }
  const uint64_t version = line.number();
  if (line.isRead() && version == kVersion)
    return true;
  error = "launch.txt:1: a capture of another version: '" + text + "', this program reads version " +
          std::to_string(kVersion);
  return false;
}

} // namespace

const char *textOf(RegionKind kind) { return kRegionKinds[size_t(kind)]; }
const char *textOf(VariableKind kind) { return kVariableKinds[size_t(kind)]; }

uint64_t Manifest::objectBytes(size_t object) const {
  if (isRegion(object))
    return regions[object].bytes;
  return isVariable(object) ? variables[object - regions.size()].bytes
                            : arrays[object - regions.size() - variables.size()].bytes();
}

std::string Manifest::objectName(size_t object) const {
  if (isRegion(object))
    return "region " + hexOf(regions[object].address) + " (" + std::to_string(regions[object].bytes) +
           " bytes)";
  if (isVariable(object))
    return "variable '" + variables[object - regions.size()].name + "'";
  if (object >= objects())
    return "object " + std::to_string(object);
  const Array &array = arrays[object - regions.size() - variables.size()];
  return "array of " + std::to_string(array.width) + " x " + std::to_string(array.rows()) + " x " +
         std::to_string(array.slices()) + " texels";
}

std::string textOf(const Manifest &manifest) {
  std::string out = std::string(kFormat) + " " + std::to_string(kVersion) + "\n";
  const auto line = [&out](const char *key, const std::string &value) {
    out += std::string(key) + " " + value + "\n";
  };
  line("program", quotedJson(manifest.program));
  line("device", quotedJson(manifest.device));
  line("arch", manifest.arch);
  line("kernel", manifest.kernel);
  line("name", quotedJson(manifest.name));
  line("launch", std::to_string(manifest.launch));
  if (manifest.micros)
    line("micros", textOf(*manifest.micros));
  line("grid", textOf(manifest.grid));
  line("block", textOf(manifest.block));
  line("cluster", textOf(manifest.cluster));
  line("shared", std::to_string(manifest.sharedBytes));
  line("cooperative", manifest.cooperative ? "1" : "0");
  for (const Parameter &parameter : manifest.parameters)
    line("parameter", std::to_string(parameter.offset) + " " + std::to_string(parameter.bytes.size()) + " " +
                          hexDigits(parameter.bytes));
  for (const Region &region : manifest.regions)
    line("region", hexOf(region.address) + " " + std::to_string(region.bytes) + " " + textOf(region.kind));
  for (const Variable &variable : manifest.variables)
    line("variable", variable.name + " " + std::to_string(variable.bytes) + " " + textOf(variable.kind) +
                         (variable.address ? " " + hexOf(variable.address) : ""));
  for (const std::string &name : manifest.pointsIntoVariables)
    line("points-into-variable", name);
  for (const Manifest::ModulePointer &pointer : manifest.modulePointers)
    line("module-pointer", pointer.variable + " " + std::to_string(pointer.offset));
  for (const Array &array : manifest.arrays)
    line("array", textOf(array));
  for (const TextureObject &object : manifest.textures)
    line(object.kind == TextureObject::Kind::Texture ? "texture" : "surface", textOf(object));
  return out;
}

std::optional<Manifest> manifestOf(const std::string &text, std::string &error) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  if (!isThisVersion(line, error))
    return std::nullopt;
  Manifest manifest;
  for (unsigned number = 2; std::getline(lines, line); ++number) {
    Line words(line);
    const std::string key = words.word();
    if (!readItem(key, words, manifest)) {
      error = "launch.txt:" + std::to_string(number) + ": cannot be read: '" + line + "'";
      return std::nullopt;
    }
  }
  for (const TextureObject &object : manifest.textures)
    if (object.memory == TextureObject::Memory::Array && object.array >= manifest.arrays.size()) {
      error = "launch.txt: texture or surface " + std::to_string(object.handle) +
              " has an array that is not there";
      return std::nullopt;
    }
  if (manifest.kernel.empty() || manifest.arch.empty()) {
    error = std::string("launch.txt: has no line '") + (manifest.kernel.empty() ? "kernel" : "arch") + "'";
    return std::nullopt;
  }
  return manifest;
}

} // namespace heddle::capture
