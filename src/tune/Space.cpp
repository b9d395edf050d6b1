// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Space.h"

#include "arch/Common.h"
#include "support/Numbers.h"
#include "support/Text.h"
#include "transform/Registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace heddle::tune {
namespace {

std::string trimmed(std::string_view text) {
  const char *spaces = " \t\n";
  size_t begin = text.find_first_not_of(spaces);
  return begin == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin, text.find_last_not_of(spaces) - begin + 1));
}

std::vector<std::string> splitAt(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// "| consolidate | specialize buffers=2|3": a bar in a setting parts its values; any other bar, with blanks
/// around it or without, parts whole directives.
std::vector<std::string> alternativesOf(const std::string &text) {
  std::vector<std::string> parts(1);
  auto add = [&](const std::string &word) {
    if (!word.empty())
      parts.back() += (parts.back().empty() ? "" : " ") + word;
  };
  for (const std::string &word : wordsOf(text)) {
    std::vector<std::string> pieces =
        word.find('=') == std::string::npos ? splitAt(word, '|') : std::vector{word};
    add(pieces.front());
    for (size_t i = 1; i < pieces.size(); ++i) {
      parts.emplace_back();
      add(pieces[i]);
    }
  }
  return parts;
}

/// "-maxrregcount=32|64|" is "-maxrregcount=32", "-maxrregcount=64" and nothing: what does not begin with
/// `mark` goes on from the word before it.
std::vector<std::string> spelledOut(const std::string &text, const std::string &mark) {
  std::vector<std::string> all;
  std::string prefix;
  for (const std::string &part : splitAt(text, '|')) {
    std::string word = trimmed(part);
    const bool isWhole = mark.empty() ? word.find('=') != std::string::npos : word.starts_with(mark);
    if (!word.empty() && !isWhole)
      word = prefix + word;
    if (isWhole)
      prefix = word.substr(0, word.find('=') + 1);
    all.push_back(word);
  }
  return all;
}

/// Settings that leave the program as it is, such as a coarsening by 1 along every axis.
bool doesNothing(const transform::Directive &directive) {
  const transform::DirectiveRule *rule = transform::directiveRule(directive.name);
  return rule && rule->doesNothing && rule->doesNothing(directive);
}

/// Options of `heddle chem` that only the variant `warps` listens to mean nothing with another.
void dropUnheard(std::vector<std::string> &options) {
  auto isVariant = [](const std::string &option) { return option.starts_with("--variant="); };
  auto variant = std::ranges::find_if(options, isVariant);
  if (variant == options.end() || *variant == "--variant=warps")
    return;
  std::erase_if(options, [](const std::string &option) {
    static const std::set<std::string> ofWarps = {"--warps",     "--ctas", "--qssa-warps", "--weights",
                                                  "--placement", "--sums", "--replicate",  "--constants"};
    return ofWarps.count(option.substr(0, option.find('='))) != 0;
  });
  std::erase(options, "--variant=plain"); // the baseline's own
}

} // namespace

// --- Reading -------------------------------------------------------------------------------------------

class Space::Reader {
public:
  Reader(Space &space, Diagnostics &diagnostics) : space(space), diagnostics(diagnostics) {}

  void read(const SpaceWords &words) {
    for (const std::string &text : words.directives)
      readPart(text);
    for (const std::string &text : words.defines)
      readWords(text, "", space.defines);
    for (const std::string &text : words.flags)
      readWords(text, "-", space.flags);
    for (const std::string &text : words.options)
      readWords(text, "--", space.options);
  }

private:
  size_t addDimension(const std::string &name, std::vector<std::string> values) {
    std::string unique = name;
    auto taken = [&](const Dimension &each) { return each.name == unique; };
    for (unsigned n = 2; std::ranges::any_of(space.dims, taken); ++n)
      unique = fmt::format("{}#{}", name, n);
    space.dims.push_back({unique, std::move(values)});
    return space.dims.size() - 1;
  }

  void readPart(const std::string &text) {
    Part part;
    std::vector<std::string> texts = alternativesOf(text);
    if (texts.size() > 1) {
      std::vector<std::string> shown = texts;
      std::ranges::replace(shown, std::string(), std::string("none"));
      part.dimension = addDimension(nameOf(texts), shown);
    }
    for (const std::string &each : texts)
      part.alternatives.push_back(readAlternative(each));
    if (texts.size() == 1 && part.alternatives.front().empty() && diagnostics.empty())
      diagnostics.error({}, "-d is empty")
          .withHint("-d \"coarsen x=1|2|4\", or -d auto for alternatives from the analysis of the program");
    space.parts.push_back(std::move(part));
  }

  /// The directives that one is chosen of: "consolidate/specialize".
  static std::string nameOf(const std::vector<std::string> &texts) {
    std::string name;
    for (const std::string &text : texts)
      if (std::vector<std::string> words = wordsOf(text); !words.empty())
        name += (name.empty() ? "" : "/") + words.front();
    return name;
  }

  Alternative readAlternative(const std::string &text) {
    Alternative steps;
    if (text.empty())
      return steps;
    for (const std::string &one : splitAt(text, ';')) {
      std::vector<std::string> words = wordsOf(one);
      if (words.empty())
        continue;
      if (words.front() == "block")
        steps.push_back(readBlock(words));
      else
        for (const transform::Directive &directive : transform::readDirectives(trimmed(one), diagnostics))
          steps.push_back(stepOf(directive));
    }
    return steps;
  }

  Step stepOf(const transform::Directive &directive) {
    Step step{directive, {}};
    for (const transform::Setting &setting : directive.settings) {
      Setting made{setting.key, setting.values.front(), {}};
      if (setting.values.size() > 1)
        made.dimension = addDimension(directive.name + "." + setting.key, setting.values);
      step.settings.push_back(made);
    }
    return step;
  }

  Step readBlock(const std::vector<std::string> &words) {
    transform::Directive block;
    block.name = "block";
    for (size_t i = 1; i < words.size(); ++i) {
      size_t equals = words[i].find('=');
      std::string key = words[i].substr(0, equals);
      std::vector<std::string> values;
      if (equals != std::string::npos)
        values = splitAt(words[i].substr(equals + 1), '|');
      const bool isAxis = key == "x" || key == "y" || key == "z";
      const bool isNumber = !values.empty() && std::ranges::all_of(values, [](const std::string &value) {
        std::optional<int64_t> number = readNumber<int64_t>(value);
        return number && *number >= 1 && *number <= arch::commonLimits().maxThreadsPerBlock;
      });
      if (!isAxis || !isNumber)
        diagnostics.error({}, fmt::format("'{}' is not something 'block' takes", words[i]))
            .withHint("x, y or z with numbers from 1 to 1024, as in \"block x=64|128|256\"");
      else
        block.settings.push_back({key, values, {}});
    }
    if (block.settings.empty() && diagnostics.empty())
      diagnostics.error({}, "'block' needs a size").withHint("as in \"block x=64|128|256\"");
    return stepOf(block);
  }

  void readWords(const std::string &text, const std::string &mark, std::vector<Words> &into) {
    std::vector<std::string> all = spelledOut(text, mark);
    Words words;
    std::string name;
    for (const std::string &one : all) {
      words.values.push_back(mark.empty() && !one.empty() ? std::vector{one} : wordsOf(one));
      if (name.empty())
        name = one.substr(0, one.find('='));
      if (!one.empty() && !mark.empty() && !one.starts_with(mark))
        diagnostics.error({}, fmt::format("'{}' is not a flag", one))
            .withHint("it begins with a hyphen, as in --flag \"-maxrregcount=32|64|\"");
      if (!one.empty() && mark.empty() && one.find('=') == std::string::npos)
        diagnostics.error({}, fmt::format("'{}' does not say what is defined", one))
            .withHint("as in --define \"TILE=8|16\"");
    }
    if (name.empty())
      diagnostics.error({}, fmt::format("'{}' gives no alternatives", text));
    if (words.values.size() > 1)
      words.dimension = addDimension(name, shown(all, name));
    into.push_back(std::move(words));
  }

  /// "32", "64" of "-maxrregcount=32", "-maxrregcount=64"; whole words where they have different names.
  static std::vector<std::string> shown(const std::vector<std::string> &all, const std::string &name) {
    std::vector<std::string> values;
    for (const std::string &one : all)
      values.push_back(one.empty()                   ? "none"
                       : one == name                 ? "on"
                       : one.starts_with(name + "=") ? one.substr(name.size() + 1)
                                                     : one);
    return values;
  }

  Space &space;
  Diagnostics &diagnostics;
};

std::optional<Space> Space::read(const SpaceWords &words, Diagnostics &diagnostics) {
  Space space;
  Diagnostics found;
  Reader(space, found).read(words);
  for (const Diagnostic &each : found.all())
    diagnostics.add(each.severity, each.location, each.text).withHint(each.hint);
  return found.empty() ? std::optional(std::move(space)) : std::nullopt;
}

// --- What a point means --------------------------------------------------------------------------------

void Space::carryOut(const Step &step, const Point &point, Configuration &configuration) const {
  transform::Directive directive = step.directive;
  directive.settings.clear();
  for (const Setting &setting : step.settings) {
    const std::string &value =
        setting.dimension ? dims[*setting.dimension].values[point[*setting.dimension]] : setting.value;
    directive.settings.push_back({setting.key, {value}, step.directive.location});
  }
  if (directive.name == "block") {
    configuration.blocks.push_back({onlyKernel, directive.str().substr(std::string("block ").size())});
  } else if (!doesNothing(directive)) {
    directive.kernel = onlyKernel;
    configuration.directives.push_back(std::move(directive));
  }
}

std::vector<std::string> Space::chosen(const std::vector<Words> &all, const Point &point) {
  std::vector<std::string> words;
  for (const Words &each : all) {
    const std::vector<std::string> &value = each.values[each.dimension ? point[*each.dimension] : 0];
    words.insert(words.end(), value.begin(), value.end());
  }
  return words;
}

Configuration Space::configurationAt(const Point &point) const {
  Configuration configuration;
  for (const Part &part : parts)
    for (const Step &step : part.alternatives[part.dimension ? point[*part.dimension] : 0])
      carryOut(step, point, configuration);
  configuration.defines = chosen(defines, point);
  configuration.flags = chosen(flags, point);
  configuration.options = chosen(options, point);
  dropUnheard(configuration.options);
  return configuration;
}

std::string Space::settingsAt(const Point &point) const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string &value = dims[i].values[point[i]];
    if (std::optional<int64_t> number = readNumber<int64_t>(value))
      object[dims[i].name] = *number;
    else
      object[dims[i].name] = value;
  }
  return object.dump();
}

uint64_t Space::points() const {
  uint64_t product = 1;
  for (const Dimension &dimension : dims)
    if (__builtin_mul_overflow(product, uint64_t(dimension.values.size()), &product))
      return UINT64_MAX;
  return product;
}

std::vector<Point> Space::distinct(uint64_t most) const {
  std::vector<Point> found;
  std::set<std::string> seen;
  Point point(dims.size(), 0);
  for (uint64_t looked = 0; looked < most; ++looked) {
    if (seen.insert(configurationAt(point).str()).second)
      found.push_back(point);
    if (!advance(point, dims))
      break;
  }
  return found;
}

bool advance(Point &point, const std::vector<Dimension> &dimensions) {
  for (size_t i = point.size(); i-- > 0;) {
    if (++point[i] < dimensions[i].values.size())
      return true;
    point[i] = 0;
  }
  return false;
}

} // namespace heddle::tune
