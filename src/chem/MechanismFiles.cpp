// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/MechanismFiles.h"

#include "chem/CheckMechanism.h"
#include "chem/Chemkin.h"
#include "chem/ChemkinBlocks.h"
#include "chem/Yaml.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

/// Names that files of each kind have in a folder, most usual first.
constexpr std::string_view reactionNames[] = {"chem.inp", "mechanism.inp", "mech.inp", "mech.dat",
                                              "chem.dat"};
constexpr std::string_view thermoNames[] = {"therm.dat", "thermo.dat", "thermo.inp", "therm.inp"};
constexpr std::string_view transportNames[] = {"tran.dat", "trans.dat", "transport.dat", "tran.inp"};
constexpr std::string_view yamlNames[] = {"mechanism.yaml", "mechanism.yml", "mech.yaml"};

bool isFile(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool isFolder(const fs::path &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool isYamlName(const fs::path &path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

template <typename Names> fs::path firstIn(const fs::path &folder, const Names &names) {
  for (std::string_view name : names)
    if (isFile(folder / name))
      return folder / name;
  return {};
}

enum class Part { Reactions, Thermo, Transport };

/// Two lines with a 1 and a 2 in column 80, the latter after blanks: a digit of a number may be there by
/// chance.
bool hasCard(const std::vector<Line> &lines) {
  auto hasDigit = [](const Line &line, char digit) {
    return line.code().size() >= 80 && line.code()[79] == digit;
  };
  for (size_t i = 1; i < lines.size(); ++i)
    if (hasDigit(lines[i - 1], '1') && hasDigit(lines[i], '2') && lines[i].code().substr(75, 4) == "    ")
      return true;
  return false;
}

/// A reaction file has species; a thermo file begins with THERMO or has cards; anything else is transport
/// data.
Part partOf(const SourceText &source) {
  Diagnostics ignored;
  ChemkinBlocks blocks(source);
  cutIntoBlocks(blocks, Block::Transport, ignored);
  auto has = [&](Block kind) { return !blocks.of(kind).empty(); };
  if (has(Block::Species) || has(Block::Elements) || has(Block::Reactions))
    return Part::Reactions;
  return has(Block::Thermo) || hasCard(blocks.lines) ? Part::Thermo : Part::Transport;
}

/// What to do about a file without reactions.
std::string reactionFileHint(const fs::path &path) {
  const std::string kind = path.extension().string();
  if (kind == ".cti" || kind == ".xml")
    return fmt::format("Cantera converts this to YAML: {} {}", kind == ".cti" ? "cti2yaml" : "ctml2yaml",
                       path.filename().string());
  return "a reaction file has the blocks ELEMENTS, SPECIES and REACTIONS";
}

class Finder {
public:
  Finder(const MechanismInput &input, Diagnostics &diagnostics) : input(input), diagnostics(diagnostics) {}

  std::optional<Mechanism> read() {
    if (input.paths.empty()) {
      diagnostics.error({}, "no mechanism is named")
          .withHint("name a folder with chem.inp or mechanism.yaml");
      return std::nullopt;
    }
    const fs::path &first = input.paths[0];
    std::optional<Mechanism> mechanism = isFolder(first) ? readFolder(first) : readFiles();
    if (mechanism && input.paths.size() > 1 && isFolder(first)) {
      diagnostics.error({.file = input.paths[1].string()},
                        "a folder is named already: no more files are read");
      return std::nullopt;
    }
    if (mechanism && input.needsTransport)
      return checkedTransport(std::move(mechanism));
    if (mechanism)
      warnOfTransportModel(*mechanism, diagnostics);
    return mechanism;
  }

private:
  std::optional<Mechanism> checkedTransport(std::optional<Mechanism> mechanism) {
    Diagnostics found;
    checkTransport(*mechanism, found);
    for (const Diagnostic &each : found.all())
      diagnostics.add(each.severity, each.location, each.text).withHint(each.hint);
    return found.empty() ? std::move(mechanism) : std::nullopt;
  }

  std::optional<Mechanism> readFolder(const fs::path &folder) {
    fs::path reactions = firstIn(folder, reactionNames), yaml = firstIn(folder, yamlNames);
    MechanismForm form = input.form.value_or(reactions.empty() && !yaml.empty() ? MechanismForm::Yaml
                                                                                : MechanismForm::Chemkin);
    const fs::path &found = form == MechanismForm::Yaml ? yaml : reactions;
    if (found.empty()) {
      const bool hasNone = reactions.empty() && yaml.empty();
      diagnostics
          .error({.file = folder.string()}, hasNone ? noMechanism()
                                            : form == MechanismForm::Yaml
                                                ? "this folder has no mechanism.yaml"
                                                : "this folder has no chem.inp")
          .withHint(otherForm(form, reactions, yaml));
      return std::nullopt;
    }
    return named(form == MechanismForm::Yaml
                     ? readYaml(yaml, diagnostics)
                     : readChemkin(ChemkinFiles{reactions, firstIn(folder, thermoNames),
                                                firstIn(folder, transportNames)},
                                   diagnostics, {input.acceptsRepeats}),
                 folder);
  }

  static std::string noMechanism() {
    return fmt::format("this folder has no reaction file ({}) and no {}", fmt::join(reactionNames, ", "),
                       yamlNames[0]);
  }

  static std::string otherForm(MechanismForm form, const fs::path &reactions, const fs::path &yaml) {
    if (form == MechanismForm::Chemkin && !yaml.empty())
      return "it has a " + yaml.filename().string();
    if (form == MechanismForm::Yaml && !reactions.empty())
      return "it has a " + reactions.filename().string();
    return "name the files, as in heddle chem mymech.inp therm.dat tran.dat";
  }

  /// `chem` is the name of most reaction files; that of the folder says more.
  static std::optional<Mechanism> named(std::optional<Mechanism> mechanism, const fs::path &folder) {
    std::error_code ignored;
    if (mechanism)
      mechanism->name = fs::weakly_canonical(folder, ignored).filename().string();
    return mechanism;
  }

  std::optional<Mechanism> readFiles() {
    bool isYaml = input.form ? input.form == MechanismForm::Yaml : isYamlName(input.paths[0]);
    const auto other = std::find_if(input.paths.begin() + 1, input.paths.end(), isYamlName);
    if (!isYaml && (input.form || other == input.paths.end()))
      return readChemkinFiles();
    if (!isYaml) {
      diagnostics.error({.file = other->string()}, "a YAML file is a whole mechanism: name it alone");
      return std::nullopt;
    }
    if (input.paths.size() > 1) {
      diagnostics.error({.file = input.paths[1].string()},
                        "a YAML file is a whole mechanism: no more files are read");
      return std::nullopt;
    }
    return readYaml(input.paths[0], diagnostics);
  }

  std::optional<Mechanism> readChemkinFiles() {
    std::optional<SourceText> parts[3];
    bool isSound = true;
    for (const fs::path &path : input.paths) {
      std::optional<SourceText> source = readSource(path, diagnostics);
      if (!source) {
        isSound = false;
        continue;
      }
      std::optional<SourceText> &slot = parts[size_t(partOf(*source))];
      if (slot) {
        diagnostics
            .error({.file = path.string()}, fmt::format("this is the same kind of file as '{}'", slot->name))
            .withHint("a mechanism has one reaction file, one thermo file and one transport file");
        isSound = false;
      }
      slot = std::move(source);
    }
    if (isSound && !parts[0]) {
      diagnostics.error({.file = input.paths[0].string()}, "this is no reaction file")
          .withHint(reactionFileHint(input.paths[0]));
      return std::nullopt;
    }
    if (!isSound)
      return std::nullopt;
    return readChemkin(ChemkinText{std::move(*parts[0]), std::move(parts[1]), std::move(parts[2])},
                       diagnostics, {input.acceptsRepeats});
  }

  const MechanismInput &input;
  Diagnostics &diagnostics;
};

} // namespace

std::optional<Mechanism> readMechanism(const MechanismInput &input, Diagnostics &diagnostics) {
  return Finder(input, diagnostics).read();
}

} // namespace heddle::chem
