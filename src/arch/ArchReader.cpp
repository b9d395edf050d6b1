// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one arch/*.json. Three passes, each reporting all it finds: the shape (which fields are there, and no
// others), the values (each field has the type it should), and the sense (the numbers agree with each other).
// A typing error in a table would otherwise surface as a wrong occupancy somewhere far away.
#include "arch/Arch.h"
#include "arch/Fields.h"
#include "support/Diagnostics.h"
#include "support/Files.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace heddle::arch {
namespace {

/// Fields that are not plain numbers. "latency" is optional: a table has it once its instructions are
/// measured.
struct OtherField {
  std::string_view group, key;
  bool required = true;
};
constexpr OtherField otherFields[] = {
    {"", "name"},
    {"", "generation"},
    {"", "computeCapability"},
    {"", "aliases"},
    {"", "source"},
    {"", "features"},
    {"", "latency", false},
    {"threads", "maxBlockDim"},
    {"threads", "maxGridDim"},
    {"registers", "allocationGranularity"},
    {"sharedMemory", "carveoutBytes"},
    {"device", "name"},
};

std::string pathOf(std::string_view group, std::string_view key) {
  return group.empty() ? std::string(key) : fmt::format("{}.{}", group, key);
}

/// Every "group.key" a table may have, with whether it must.
std::vector<std::pair<std::string, bool>> knownPaths() {
  std::vector<std::pair<std::string, bool>> paths;
  for (const OtherField &f : otherFields)
    paths.emplace_back(pathOf(f.group, f.key), f.required);
  for (const NumberField &f : numberFields())
    paths.emplace_back(pathOf(f.group, f.key), true);
  return paths;
}

class Reader {
public:
  Reader(const fs::path &path, Diagnostics &diags) : file(path), diagnostics(diags) {}

  std::optional<Arch> read() {
    std::optional<Json> parsed = parse();
    if (!parsed)
      return std::nullopt;
    table = std::move(*parsed);
    if (checkShape(); failed)
      return std::nullopt;
    if (readValues(); failed)
      return std::nullopt;
    if (checkSense(); failed)
      return std::nullopt;
    return arch;
  }

private:
  const fs::path &file;
  Diagnostics &diagnostics;
  Json table;
  Arch arch;
  bool failed = false;

  Diagnostic &error(std::string text, unsigned line = 0, unsigned column = 0) {
    failed = true;
    return diagnostics.error({file.string(), line, column, 0, {}}, std::move(text));
  }

  std::optional<Json> parse() {
    std::variant<std::string, FileFailure> read = readFile(file);
    if (auto *failure = std::get_if<FileFailure>(&read)) {
      error(failure->text());
      return std::nullopt;
    }
    const std::string &text = std::get<std::string>(read);
    try {
      Json json = Json::parse(text);
      if (json.is_object())
        return json;
      error("a table is a JSON object");
    } catch (const Json::parse_error &e) {
      // The parser counts bytes; people count lines.
      std::string before = text.substr(0, e.byte == 0 ? 0 : e.byte - 1);
      unsigned line = 1 + unsigned(std::count(before.begin(), before.end(), '\n'));
      size_t lineStart = before.rfind('\n');
      unsigned column = unsigned(before.size() - (lineStart == std::string::npos ? 0 : lineStart + 1)) + 1;
      error("this is not JSON", line, column);
    }
    return std::nullopt;
  }

  /// The value at "group.key", or null.
  const Json *at(std::string_view group, std::string_view key) const {
    const Json *owner = &table;
    if (!group.empty()) {
      auto found = table.find(std::string(group));
      if (found == table.end() || !found->is_object())
        return nullptr;
      owner = &*found;
    }
    auto found = owner->find(std::string(key));
    return found == owner->end() ? nullptr : &*found;
  }

  void checkShape() {
    std::vector<std::string> known, present;
    for (auto &[key, value] : table.items())
      if (value.is_object() && key != "latency")
        for (auto &[inner, ignored] : value.items())
          present.push_back(pathOf(key, inner));
      else
        present.push_back(key);
    for (auto &[path, required] : knownPaths()) {
      known.push_back(path);
      if (required && std::find(present.begin(), present.end(), path) == present.end())
        error(fmt::format("the field '{}' is missing", path));
    }
    for (const std::string &path : present)
      if (std::find(known.begin(), known.end(), path) == known.end())
        error(fmt::format("there is no field '{}'", path))
            .withHint(fmt::format("did you mean '{}'?", nearestFirst(path, known).front()));
  }

  static bool isCount(const Json &value) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX;
  }

  std::string text(std::string_view group, std::string_view key) {
    const Json &value = *at(group, key);
    if (value.is_string() && !value.get<std::string>().empty())
      return value.get<std::string>();
    error(fmt::format("'{}' should be a text", pathOf(group, key)));
    return {};
  }

  std::vector<std::string> texts(std::string_view key) {
    const Json &value = *at("", key);
    if (value.is_array() && std::all_of(value.begin(), value.end(), [](auto &v) { return v.is_string(); }))
      return value.get<std::vector<std::string>>();
    error(fmt::format("'{}' should be a list of texts", key));
    return {};
  }

  std::vector<unsigned> counts(std::string_view group, std::string_view key) {
    const Json &value = *at(group, key);
    if (value.is_array() && std::all_of(value.begin(), value.end(), isCount))
      return value.get<std::vector<unsigned>>();
    error(fmt::format("'{}' should be a list of integers", pathOf(group, key)));
    return {};
  }

  std::array<unsigned, 3> extents(std::string_view group, std::string_view key) {
    std::vector<unsigned> list = counts(group, key);
    if (list.size() == 3)
      return {list[0], list[1], list[2]};
    error(fmt::format("'{}' should have three numbers, for x, y and z", pathOf(group, key)));
    return {};
  }

  void readNumber(const NumberField &field) {
    const Json &value = *at(field.group, field.key);
    std::string path = pathOf(field.group, field.key);
    if (!isCount(value))
      error(fmt::format("'{}' should be an integer, found {}", path, value.dump()));
    else if (field.zero == NumberField::Never && value == 0)
      error(fmt::format("'{}' cannot be 0", path));
    else
      arch.*field.member = value.get<unsigned>();
  }

  void readComputeCapability() {
    std::string cc = text("", "computeCapability");
    size_t dot = cc.find('.');
    auto digits = [](std::string_view s) {
      return !s.empty() && s.size() <= 3 && s.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (dot == std::string::npos || !digits(cc.substr(0, dot)) || !digits(cc.substr(dot + 1))) {
      error(fmt::format("'computeCapability' should look like \"9.0\", found \"{}\"", cc));
      return;
    }
    arch.major = unsigned(std::stoul(cc.substr(0, dot)));
    arch.minor = unsigned(std::stoul(cc.substr(dot + 1)));
  }

  void readFeatures() {
    for (const std::string &name : texts("features")) {
      if (std::optional<Feature> feature = featureNamed(name)) {
        arch.features.insert(*feature);
        continue;
      }
      std::vector<std::string> known;
      for (Feature f : allFeatures())
        known.emplace_back(nameOf(f));
      error(fmt::format("'features' has the unknown name '{}'", name))
          .withHint(fmt::format("did you mean '{}'?", nearestFirst(name, known).front()));
    }
  }

  /// A list of classes with a number each.
  std::map<std::string, double, std::less<>> latencyNumbers(const Json &owner, const char *key) {
    std::map<std::string, double, std::less<>> numbers;
    const Json &list = owner.at(key);
    if (!list.is_object()) {
      error(fmt::format("'latency.{}' should be a list of classes with a number each", key));
      return numbers;
    }
    for (auto &[name, value] : list.items()) {
      if (!isLatencyClass(name)) {
        const std::vector<std::string> known(latencyClasses().begin(), latencyClasses().end());
        error(fmt::format("'latency.{}' has the unknown class '{}'", key, name))
            .withHint(fmt::format("did you mean '{}'?", nearestFirst(name, known).front()));
      } else if (!value.is_number() || value.get<double>() < 0) {
        error(fmt::format("'latency.{}.{}' should be a number, found {}", key, name, value.dump()));
      } else {
        numbers[name] = value.get<double>();
      }
    }
    return numbers;
  }

  void readLatencies() {
    const Json *given = at("", "latency");
    if (!given)
      return;
    constexpr std::string_view wanted[] = {"source", "cycles", "perCycle"};
    for (std::string_view key : wanted)
      if (!given->is_object() || !given->contains(std::string(key)))
        return void(error(fmt::format("the field 'latency.{}' is missing", key)));
    for (auto &[key, ignored] : given->items())
      if (std::find(std::begin(wanted), std::end(wanted), key) == std::end(wanted))
        error(fmt::format("there is no field 'latency.{}'", key));
    LatencyTable latencies;
    if (const Json &source = given->at("source"); source.is_string() && !source.get<std::string>().empty())
      latencies.source = source;
    else
      error("'latency.source' should be a text: who measured, when, how");
    latencies.cycles = latencyNumbers(*given, "cycles");
    latencies.perCycle = latencyNumbers(*given, "perCycle");
    arch.latencies = std::move(latencies);
  }

  void readValues() {
    arch.name = text("", "name");
    arch.generation = text("", "generation");
    arch.source = text("", "source");
    arch.aliases = texts("aliases");
    arch.deviceName = text("device", "name");
    arch.maxBlockDim = extents("threads", "maxBlockDim");
    arch.maxGridDim = extents("threads", "maxGridDim");
    arch.sharedCarveouts = counts("sharedMemory", "carveoutBytes");
    // Before 2.0 registers were given to blocks; no table here is that old, and the calculation counts on it.
    if (text("registers", "allocationGranularity") != "warp")
      error("'registers.allocationGranularity' can only be \"warp\"");
    for (const NumberField &field : numberFields())
      readNumber(field);
    readComputeCapability();
    readFeatures();
    readLatencies();
  }

  void require(bool holds, std::string text) {
    if (!holds)
      error(std::move(text));
  }

  void checkSense() {
    const Arch &a = arch;
    std::string wantedName = fmt::format("sm_{}{}", a.major, a.minor);
    require(a.name == wantedName,
            fmt::format("'name' should be {} for compute capability {}", wantedName, a.computeCapability()));
    require(file.stem() == a.name, fmt::format("the table of {} belongs into {}.json", a.name, a.name));
    require(a.maxWarpsPerSm * a.warpSize == a.maxThreadsPerSm,
            fmt::format("'threads.maxPerSm' is {}, but {} warps of {} threads make {}", a.maxThreadsPerSm,
                        a.maxWarpsPerSm, a.warpSize, a.maxWarpsPerSm * a.warpSize));
    require(a.maxThreadsPerBlock <= a.maxThreadsPerSm, "'threads.maxPerBlock' is more than an SM holds");
    require(a.maxRegistersPerBlock <= a.registersPerSm, "'registers.maxPerBlock' is more than an SM has");
    require(a.registersPerSm % (a.registerAllocationUnit * a.warpAllocationGranularity) == 0,
            "'registers.perSm' is not a multiple of the units it is given in");
    require(a.maxSharedBytesPerBlock <= a.maxSharedBytesPerBlockOptIn,
            "'sharedMemory.maxBytesPerBlockOptIn' is less than a block gets without asking");
    require(a.maxSharedBytesPerBlockOptIn + a.reservedSharedBytesPerBlock <= a.sharedBytesPerSm,
            "'sharedMemory.maxBytesPerBlockOptIn' and what is reserved are more than an SM has");
    require(std::is_sorted(a.sharedCarveouts.begin(), a.sharedCarveouts.end()) &&
                !a.sharedCarveouts.empty() && a.sharedCarveouts.back() == a.sharedBytesPerSm,
            "'sharedMemory.carveoutBytes' should rise and end with 'sharedMemory.bytesPerSm'");
    require(a.l1LineBytes % a.l1SectorBytes == 0 && a.l2LineBytes % a.l2SectorBytes == 0,
            "'caches': a line must be a multiple of a sector");
    for (const std::string &alias : a.aliases)
      require(std::none_of(alias.begin(), alias.end(), [](unsigned char c) { return std::isupper(c); }),
              fmt::format("'aliases' are in lower case, found '{}'", alias));
  }
};

} // namespace

std::optional<Arch> readArch(const fs::path &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read();
}

} // namespace heddle::arch
