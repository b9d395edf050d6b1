// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts are found by comments, which no directive removes: they are between declarations. A file that is included inside a kernel may be
// copied with it (a kernel with two roles is written twice); then its comments are not there once each, and there is no way back.
//
// #line makes __FILE__ and __LINE__ what they were, also where a directive expands a macro that has them. Clang's messages name
// the files by it too.
#include "transform/JoinedText.h"

#include "support/Files.h"
#include "transform/Lines.h"
#include "transform/MovedIncludes.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

std::string lineDirective(unsigned line, const fs::path &file) {
  std::string quoted;
  for (char c : file.string())
    quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return fmt::format("#line {} \"{}\"", line, quoted);
}

bool isLineDirective(llvm::StringRef line) { return line.starts_with("#line "); }

} // namespace

std::string JoinedText::Part::beginning() const { return fmt::format("// -- begin of {} --", file.string()); }
std::string JoinedText::Part::end() const { return fmt::format("// -- end of {} --", file.string()); }

JoinedText::JoinedText(fs::path file, std::vector<Input> given) : path(std::move(file)) {
  for (const Input &input : given)
    inputs.push_back(partFor(input.file, input.text));
  writeFileOrThrow(folder.path() / "empty", "");
}

source::MappedText JoinedText::text() const {
  std::string includes;
  for (const Part &part : inputs)
    includes += fmt::format("#include \"{}\"\n", part.file.string());
  source::MappedText text(includes);
  for (size_t i = inputs.size(); i > 0; --i) // from the last on, so that numbers of lines before it stay
    text.replaceLine(unsigned(i), inserted(inputs[i - 1], {path.string(), unsigned(i) + 1}));
  return text;
}

JoinedText::Part JoinedText::partFor(const fs::path &file, const std::string &given) const {
  Part part{file, given, {}, {}, !given.empty() && given.back() != '\n'};
  const std::vector<std::string> before = splitAt(given, '\n'),
                                 after = splitAt(
                                     withMovedIncludes(given, file.parent_path(), path.parent_path()), '\n');
  for (size_t i = 0; i < before.size() && i < after.size(); ++i)
    if (before[i] != after[i])
      part.linesMoved[after[i]] = before[i];
  return part;
}

/// `behind`: the place that the lines behind the part come from.
source::InsertedFile JoinedText::inserted(const Part &part, const source::LineOrigin &behind) const {
  source::InsertedFile inside{
      part.file.string(), part.beginning() + "\n" + lineDirective(1, part.file) + "\n", {0, 0}, part.given};
  std::string text = withMovedIncludes(part.given, part.file.parent_path(), path.parent_path());
  if (part.endsInLine)
    text += '\n';
  inside.text += text;
  for (unsigned line = 1; line <= unsigned(std::ranges::count(text, '\n')); ++line)
    inside.lines.push_back(line);
  inside.text += part.end() + "\n" + lineDirective(behind.line, behind.file);
  inside.lines.insert(inside.lines.end(), {0, 0});
  return inside;
}

source::InsertedFile JoinedText::embed(const fs::path &header, const std::string &given,
                                       const std::string &text, unsigned line) {
  Part part = partFor(header, given);
  const std::vector<std::string> lines = splitAt(text, '\n');
  part.include = lines[line - 1];
  // The line behind the #include is one of the part around it, whose #line is the last before.
  source::LineOrigin behind{path.string(), line + 1};
  for (unsigned i = line - 1; i > 0; --i)
    if (const llvm::StringRef directive = lines[i - 1]; isLineDirective(directive)) {
      unsigned first = 1;
      const auto [number, name] = directive.substr(6).split(' ');
      if (!number.getAsInteger(10, first))
        behind = {name.trim("\"").str(), first + line - i};
      break;
    }
  source::InsertedFile inside = inserted(part, behind);
  std::erase_if(headers, [&](const Part &other) { return other.file == header; });
  headers.push_back(std::move(part));
  return inside;
}

std::vector<std::string> JoinedText::arguments(const std::string &text) const {
  std::vector<std::string> flags;
  for (const Part &header : headers)
    if (text.find(header.beginning() + "\n") != std::string::npos)
      flags.insert(flags.end(),
                   {"-Xclang", "-remap-file", "-Xclang",
                    fmt::format("{};{}", header.file.string(), (folder.path() / "empty").string())});
  return flags;
}

/// Distributes the lines of the text.
class JoinedText::Splitter {
public:
  explicit Splitter(const JoinedText &joined) {
    for (const std::vector<Part> *list : {&joined.inputs, &joined.headers})
      for (const Part &part : *list) {
        begins[part.beginning()] = &part;
        ends[part.end()] = &part;
      }
  }

  /// False where the text is not one of parts within parts.
  bool run(llvm::StringRef text) {
    while (!text.empty()) {
      const auto [line, rest] = text.split('\n');
      text = rest;
      if (isBehindMark) {
        isBehindMark = false;
        if (isLineDirective(line))
          continue;
        return false;
      }
      if (!take(line.str()))
        return false;
    }
    return open.empty();
  }

  std::map<fs::path, std::string> files() {
    std::map<fs::path, std::string> all;
    for (auto &[part, text] : found) {
      if (part->endsInLine && !text.empty())
        text.pop_back();
      all[part->file] = std::move(text);
    }
    return all;
  }

private:
  bool take(const std::string &line) {
    if (auto begin = begins.find(line); begin != begins.end()) {
      const Part &part = *begin->second;
      if (!found.try_emplace(&part).second)
        return false;
      if (!part.include.empty() && (open.empty() || !take(part.include)))
        return false;
      open.push_back(&part);
      return isBehindMark = true;
    }
    if (auto end = ends.find(line); end != ends.end()) {
      if (open.empty() || open.back() != end->second)
        return false;
      open.pop_back();
      return isBehindMark = true;
    }
    if (open.empty())
      return llvm::StringRef(line).trim().empty();
    const auto moved = open.back()->linesMoved.find(line);
    found[open.back()] += (moved == open.back()->linesMoved.end() ? line : moved->second) + "\n";
    return true;
  }

  std::map<std::string, const Part *> begins, ends;
  std::map<const Part *, std::string> found;
  std::vector<const Part *> open; ///< from the outermost in
  bool isBehindMark = false;      ///< the next line is its #line
};

std::optional<std::map<fs::path, std::string>> JoinedText::split(const std::string &text) const {
  Splitter splitter(*this);
  if (!splitter.run(text))
    return std::nullopt;
  return splitter.files();
}

} // namespace heddle::transform
