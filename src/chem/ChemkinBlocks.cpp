// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinBlocks.h"

#include <algorithm>

namespace heddle::chem {
namespace {

struct Keyword {
  std::string_view word;
  Block kind;
};

constexpr Keyword keywords[] = {
    {"ELEM", Block::Elements},       {"ELEMENTS", Block::Elements}, {"SPEC", Block::Species},
    {"SPECIES", Block::Species},     {"THER", Block::Thermo},       {"THERM", Block::Thermo},
    {"THERMO", Block::Thermo},       {"TRAN", Block::Transport},    {"TRANS", Block::Transport},
    {"TRANSPORT", Block::Transport}, {"REAC", Block::Reactions},    {"REACTION", Block::Reactions},
    {"REACTIONS", Block::Reactions},
};

std::optional<Block> blockOf(std::string_view word) {
  for (const Keyword &each : keywords)
    if (equalsIgnoringCase(each.word, word))
      return each.kind;
  return std::nullopt;
}

bool isEnd(std::string_view word) {
  return equalsIgnoringCase(word, "END") || equalsIgnoringCase(word, "ENDOFDATA");
}

/// ELEMENTS and SPECIES are lists of words: what follows their keyword, and what precedes END in a line,
/// belongs to them.
bool isWordList(Block kind) { return kind == Block::Elements || kind == Block::Species; }

/// A species may be called as a keyword is; its thermo card is recognized by the 1 in column 80, its reactions by
/// their arrows.
bool mayBeKeyword(const Line &line) {
  std::string_view code = line.code();
  bool isThermoCard = code.size() >= 80 && code[79] == '1';
  return !isThermoCard && code.find('=') == std::string_view::npos;
}

class Cutter {
public:
  Cutter(ChemkinBlocks &file, std::optional<Block> initial, Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics), isData(initial.has_value()) {
    if (initial)
      open({*initial, std::nullopt, {}, {}});
  }

  void run() {
    for (const Line &line : file.lines)
      if (std::vector<Word> words = splitWords(line); !words.empty())
        take(line, words);
  }

private:
  void take(const Line &line, const std::vector<Word> &words) {
    std::optional<Block> keyword = mayBeKeyword(line) ? blockOf(words[0].text) : std::nullopt;
    if (keyword)
      begin(*keyword, line, words);
    else if (isEnd(words[0].text) && mayBeKeyword(line))
      close();
    else if (isOpen)
      add(line, words);
    else
      complainOnce(line, words[0]);
  }

  void begin(Block kind, const Line &line, const std::vector<Word> &words) {
    open({kind, line, {}, {}});
    if (!isWordList(kind)) {
      file.blocks.back().options.assign(words.begin() + 1, words.end());
      return;
    }
    if (words.size() == 1)
      return;
    Line rest = line;
    rest.begin = words[1].column;
    add(rest, {words.begin() + 1, words.end()});
  }

  void add(Line line, const std::vector<Word> &words) {
    bool ends = false;
    if (isWordList(file.blocks.back().kind))
      if (auto end = std::ranges::find_if(words, [](const Word &word) { return isEnd(word.text); });
          end != words.end()) {
        line.end = end->column;
        ends = true;
      }
    if (!line.isBlank())
      file.blocks.back().lines.push_back(std::move(line));
    if (ends)
      close();
  }

  void open(ChemkinBlock block) {
    file.blocks.push_back(std::move(block));
    isOpen = true;
    complained = false;
  }

  void close() {
    // CHEMKIN reads no further than the END of the reactions, so that files have their references after it.
    isAfterReactions |= isOpen && file.blocks.back().kind == Block::Reactions;
    isOpen = false;
    complained = false;
  }

  /// One error for all lines up to the next END or keyword: they are most likely one block. Notes after the
  /// END of a thermo or transport file are no fault.
  void complainOnce(const Line &line, const Word &word) {
    if (!complained && !isData && !isAfterReactions)
      diagnostics
          .error(line.at(word.column, word.text.size()),
                 fmt::format("'{}' begins no block that CHEMKIN knows", word.text))
          .withHint("blocks are ELEMENTS, SPECIES, THERMO, TRANSPORT and REACTIONS");
    complained = true;
  }

  ChemkinBlocks &file;
  Diagnostics &diagnostics;
  bool isData, isOpen = false, isAfterReactions = false, complained = false;
};

} // namespace

bool ChemkinBlock::isAll() const {
  return std::ranges::any_of(options, [](const Word &word) { return equalsIgnoringCase(word.text, "ALL"); });
}

std::vector<const ChemkinBlock *> ChemkinBlocks::of(Block kind) const {
  std::vector<const ChemkinBlock *> found;
  for (const ChemkinBlock &block : blocks)
    if (block.kind == kind)
      found.push_back(&block);
  return found;
}

void cutIntoBlocks(ChemkinBlocks &file, std::optional<Block> initial, Diagnostics &diagnostics) {
  Cutter(file, initial, diagnostics).run();
}

std::string orPermissive(Severity repeats) {
  return repeats == Severity::Error ? "; heddle chem --permissive uses the first one" : "";
}

} // namespace heddle::chem
