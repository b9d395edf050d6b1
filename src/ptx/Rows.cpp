// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the strings of Ops.def once, at first use, into vectors that the decoder can walk. A mistake in the
// table is our own fault and cannot be mended at run time: it stops the program with the row's name, and
// since every test reads the table, it cannot get far.
#include "ptx/Rows.h"

#include "ptx/Forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

namespace heddle::ptx {
namespace {

struct ModRow {
  ModKind kind;
  uint8_t value;
  std::string_view word;
};

constexpr ModRow kMods[] = {
#define PTX_MOD(KIND, NAME, TEXT) {ModKind::KIND, uint8_t(KIND::NAME), TEXT},
#include "ptx/Mods.def"
};

struct KindRow {
  ModKind kind;
  std::string_view field;
};

constexpr KindRow kKinds[] = {
#define PTX_KIND(KIND, FIELD) {ModKind::KIND, #FIELD},
#include "ptx/Mods.def"
};

constexpr unsigned kNumTypes = []() {
  unsigned n = 1;
#define PTX_TYPE(NAME, TEXT, BITS, KIND) ++n;
#include "ptx/Types.def"
  return n;
}();
static_assert(kNumTypes <= 64, "a set of types is one word");

constexpr unsigned kNumFlags = []() {
  unsigned n = 0;
#define PTX_FLAG(NAME, TEXT) ++n;
#include "ptx/Mods.def"
  return n;
}();

struct TypeGroup {
  std::string_view name, members;
};

constexpr TypeGroup kGroups[] = {
    {"int", "u16 u32 u64 s16 s32 s64"},
    {"bits", "b16 b32 b64"},
    {"flt", "f32 f64"},
    {"half", "f16 f16x2 bf16 bf16x2"},
    {"mem", "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 f32x2"},
};

[[noreturn]] void badRow(const OpInfo &info, std::string_view word) {
  fmt::print(stderr, "internal error: Ops.def, row {}: '{}' means nothing\n", info.name, word);
  std::abort();
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    size_t end = std::min(text.find(at), text.size());
    if (end != 0)
      words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::optional<uint8_t> findMod(ModKind kind, std::string_view word) {
  for (const ModRow &row : kMods)
    if (row.kind == kind && row.word == word)
      return row.value;
  return std::nullopt;
}

std::optional<Flag> findFlag(std::string_view word) {
  for (unsigned i = 0; i < kNumFlags; ++i)
    if (text(Flag(i)) == word)
      return Flag(i);
  return std::nullopt;
}

SuffixSlot readSuffixWord(const OpInfo &info, std::string_view word, const std::vector<SuffixSlot> &before) {
  SuffixSlot slot;
  if (word == "T" || word == "T?") {
    slot.isRequired = word == "T";
    return slot;
  }
  if (word[0] == '.') {
    std::optional<Flag> flag = findFlag(word.substr(1));
    if (!flag)
      badRow(info, word);
    slot.kind = SuffixSlot::Kind::Flag;
    slot.flag = *flag;
    return slot;
  }
  slot.kind = SuffixSlot::Kind::Mod;
  std::string_view field = word.substr(0, word.find_first_of("!="));
  const KindRow *kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&](const KindRow &row) { return row.field == field; });
  if (kind == std::end(kKinds))
    badRow(info, word);
  slot.mod = kind->kind;
  slot.isRequired = field != word;
  if (size_t eq = word.find('='); eq != std::string_view::npos)
    slot.only = findMod(slot.mod, word.substr(eq + 1)).value_or(0);
  slot.isSecond = std::any_of(before.begin(), before.end(), [&](const SuffixSlot &other) {
    return other.kind == SuffixSlot::Kind::Mod && other.mod == slot.mod;
  });
  return slot;
}

uint64_t readTypeSet(const OpInfo &info, std::string_view words) {
  std::optional<uint64_t> set = typeSetOf(words);
  if (!set)
    badRow(info, words);
  return *set;
}

OperandSpec readOperandWord(const OpInfo &info, std::string_view word) {
  OperandSpec spec;
  std::string_view rest = word;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] == '=')
      spec.isWritten = true;
    else if (rest[0] == '~')
      spec.mayBeWider = true;
    else if (rest[0] == '?')
      spec.isOptional = true;
    else if (rest[0] == '-')
      spec.maySink = true;
    else if (rest[0] == '^')
      spec.maySelect = true;
    else
      break;
  }
  if (rest.ends_with("|p")) {
    spec.mayHavePred = true;
    rest.remove_suffix(2);
  }
  using Kind = OperandSpec::Kind;
  constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"any", Kind::Any},     {"vec", Kind::AnyVector}, {"mov", Kind::Mov},      {"@", Kind::Address},
      {"label", Kind::Label}, {"func", Kind::Func},     {"list", Kind::Targets}, {"imm", Kind::Imm},
      {"*", Kind::Rest},      {"V", Kind::Vector},
  };
  for (auto [name, kind] : kWords)
    if (rest == name) {
      spec.kind = kind;
      return spec;
    }
  spec.kind = Kind::Typed;
  constexpr std::string_view kIndices = "TUXY";
  if (rest == "W")
    spec.widens = true;
  else if (rest.size() == 1 && kIndices.find(rest) != std::string_view::npos)
    spec.typeIndex = uint8_t(kIndices.find(rest));
  else if (std::optional<Type> type = findType(rest))
    spec.fixed = *type;
  else
    badRow(info, word);
  return spec;
}

Row readRow(const OpInfo &info) {
  Row row;
  row.info = &info;
  for (std::string_view word : split(info.suffix, ' '))
    row.suffix.push_back(readSuffixWord(info, word, row.suffix));
  for (std::string_view set : split(info.types, '/'))
    row.types.push_back(readTypeSet(info, set));
  for (std::string_view word : split(info.operands, ' '))
    row.operands.push_back(readOperandWord(info, word));
  return row;
}

using OpsByText = std::unordered_map<std::string_view, std::vector<Op>>;

const OpsByText &opsByText() {
  static const OpsByText kByText = [] {
    OpsByText map;
    for (unsigned i = 0; i < kNumOps; ++i)
      map[info(Op(i)).text].push_back(Op(i));
    return map;
  }();
  return kByText;
}

const std::vector<Row> &allRows() {
  static const std::vector<Row> kRows = [] {
    std::vector<Row> rows;
    for (unsigned i = 0; i <= kNumOps; ++i)
      rows.push_back(readRow(info(Op(i))));
    return rows;
  }();
  return kRows;
}

/// Where Mods keeps a kind. One case a kind, from the table.
uint8_t *fieldOf(Mods &mods, ModKind kind, bool second) {
  if (second)
    switch (kind) {
    case ModKind::Space: return reinterpret_cast<uint8_t *>(&mods.space2);
    case ModKind::MatrixLayout: return reinterpret_cast<uint8_t *>(&mods.layout2);
    case ModKind::EvictL2: return reinterpret_cast<uint8_t *>(&mods.evictL22);
    default: break;
    }
  switch (kind) {
#define PTX_KIND(KIND, FIELD)                                                                                \
  case ModKind::KIND: return reinterpret_cast<uint8_t *>(&mods.FIELD);
#include "ptx/Mods.def"
  }
  return nullptr;
}

/// "shared::cta" and similar spaces: a space with a flag beside it that remembers the spelling.
struct SpaceAlias {
  std::string_view word;
  Space space;
  Flag flag;
};

constexpr SpaceAlias kSpaceAliases[] = {
    {"shared::cta", Space::Shared, Flag::SharedCta},
    {"param::entry", Space::Param, Flag::ParamEntry},
    {"param::func", Space::Param, Flag::ParamFunc},
};

bool fillMod(const SuffixSlot &slot, std::string_view word, Mods &mods) {
  uint8_t *field = fieldOf(mods, slot.mod, slot.isSecond);
  if (*field != 0)
    return false;
  if (std::optional<uint8_t> value = findMod(slot.mod, word)) {
    if (slot.only != 0 && slot.only != *value)
      return false;
    *field = *value;
    return true;
  }
  if (slot.mod == ModKind::Space)
    for (const SpaceAlias &alias : kSpaceAliases)
      if (alias.word == word) {
        *field = uint8_t(alias.space);
        mods.set(alias.flag);
        return true;
      }
  return false;
}

/// Puts one word where the row has room for it.
bool fill(const Row &row, std::string_view word, Form &form, unsigned &numTypes) {
  std::optional<Type> type = findType(word);
  unsigned typeSlot = 0;
  for (const SuffixSlot &slot : row.suffix) {
    if (slot.kind == SuffixSlot::Kind::Type) {
      if (type && typeSlot++ == numTypes) {
        if (typeSlot > row.types.size() || !(row.types[numTypes] >> unsigned(*type) & 1))
          return false;
        form.types[numTypes++] = *type;
        return true;
      }
    } else if (slot.kind == SuffixSlot::Kind::Flag) {
      if (text(slot.flag) == word && !form.mods.has(slot.flag)) {
        form.mods.set(slot.flag);
        return true;
      }
    } else if (fillMod(slot, word, form.mods)) {
      return true;
    }
  }
  return false;
}

std::string kindName(ModKind kind) {
  for (const KindRow &row : kKinds)
    if (row.kind == kind)
      return std::string(row.field);
  return "";
}

/// "", or what the row asks for and the mnemonic does not have.
std::string missing(const Row &row, Form &form, unsigned numTypes) {
  unsigned wantedTypes = 0;
  for (const SuffixSlot &slot : row.suffix) {
    if (slot.kind == SuffixSlot::Kind::Type && slot.isRequired)
      ++wantedTypes;
    if (slot.kind == SuffixSlot::Kind::Mod && slot.isRequired &&
        *fieldOf(form.mods, slot.mod, slot.isSecond) == 0)
      return fmt::format("'{}' needs a word of kind '{}'", row.info->text, kindName(slot.mod));
  }
  if (numTypes < wantedTypes)
    return fmt::format("'{}' needs {} type{}, found {}", row.info->text, wantedTypes,
                       wantedTypes == 1 ? "" : "s", numTypes);
  return "";
}

/// Tries one row; the reason is "" when it fits.
Form tryRow(const Row &row, std::span<const std::string_view> words) {
  Form form;
  form.op = row.info->op;
  unsigned numTypes = 0;
  for (std::string_view word : words)
    if (!fill(row, word, form, numTypes)) {
      form.reason = fmt::format("'.{}' does not go with '{}' here", word, row.info->text);
      return form;
    }
  form.reason = missing(row, form, numTypes);
  if (form.reason.empty())
    form.reason = contradiction(form, words);
  return form;
}

/// Instructions of several words have names of at most this many.
constexpr size_t kMaxNameWords = 5;

} // namespace

std::optional<uint64_t> typeSetOf(std::string_view names) {
  uint64_t set = 0;
  for (std::string_view word : split(names, ' ')) {
    const TypeGroup *group = std::find_if(std::begin(kGroups), std::end(kGroups),
                                          [&](const TypeGroup &g) { return g.name == word; });
    if (group != std::end(kGroups)) {
      set |= *typeSetOf(group->members);
      continue;
    }
    std::optional<Type> type = findType(word);
    if (!type)
      return std::nullopt;
    set |= uint64_t(1) << unsigned(*type);
  }
  return set;
}

const Row &rowOf(Op op) { return allRows()[unsigned(op)]; }

std::span<const Op> rowsOf(std::string_view text) {
  auto found = opsByText().find(text);
  return found == opsByText().end() ? std::span<const Op>() : std::span<const Op>(found->second);
}

std::optional<Type> findType(std::string_view word) {
  static const std::unordered_map<std::string_view, Type> kByText = [] {
    std::unordered_map<std::string_view, Type> map;
    for (unsigned i = 1; i < kNumTypes; ++i)
      map[text(Type(i))] = Type(i);
    return map;
  }();
  auto found = kByText.find(word);
  return found == kByText.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SpecialReg> findSpecial(std::string_view word) {
  static const std::unordered_map<std::string_view, SpecialReg> kByText = [] {
    std::unordered_map<std::string_view, SpecialReg> map;
#define PTX_SREG(NAME, TEXT, BITS) map[TEXT] = SpecialReg::NAME;
#include "ptx/SpecialRegs.def"
    return map;
  }();
  auto found = kByText.find(word);
  return found == kByText.end() ? std::nullopt : std::optional(found->second);
}

namespace {

/// Older code has ".sync" further back ("vote.ballot.sync.b32"), and ptxas takes it there too. Nothing where
/// it comes second already or not at all.
std::optional<std::string> withSyncSecond(std::span<const std::string_view> words) {
  auto sync = std::find(words.begin(), words.end(), "sync");
  if (words.size() < 3 || sync == words.end() || sync <= words.begin() + 1)
    return std::nullopt;
  std::string moved = fmt::format("{}.sync", words[0]);
  for (auto word = words.begin() + 1; word != words.end(); ++word)
    if (word != sync)
      moved += fmt::format(".{}", *word);
  return moved;
}

Form decodeWords(std::string_view mnemonic, std::span<const std::string_view> words) {
  Form form;
  form.name = std::string(words.empty() ? mnemonic : words[0]);
  form.reason = "not supported";
  for (size_t n = std::min(kMaxNameWords, words.size()); n > 0; --n) {
    size_t length = size_t(words[n - 1].data() + words[n - 1].size() - mnemonic.data());
    std::string_view name = mnemonic.substr(0, length);
    std::span<const Op> rows = rowsOf(name);
    if (rows.empty())
      continue;
    if (!info(rows[0]).supported)
      return {rows[0], {}, {}, std::string(name), "not supported"};
    for (Op op : rows) {
      Form tried = tryRow(rowOf(op), words.subspan(n));
      if (tried.reason.empty())
        return tried;
      form.reason = "not supported: " + tried.reason;
    }
    form.name = std::string(mnemonic);
    return form;
  }
  return form;
}

} // namespace

Form decodeMnemonic(std::string_view mnemonic) {
  std::vector<std::string_view> words = split(mnemonic, '.');
  Form form = decodeWords(mnemonic, words);
  if (form.reason.empty() || form.op != Op::Unsupported)
    return form;
  if (std::optional<std::string> moved = withSyncSecond(words))
    if (Form again = decodeWords(*moved, split(*moved, '.')); again.reason.empty())
      return again;
  return form;
}

uint8_t valueOf(const Mods &mods, ModKind kind, bool second) {
  return *fieldOf(const_cast<Mods &>(mods), kind, second);
}

namespace {

std::string_view wordOf(const SuffixSlot &slot, const Mods &mods) {
  uint8_t value = valueOf(mods, slot.mod, slot.isSecond);
  if (slot.mod == ModKind::Space)
    for (const SpaceAlias &alias : kSpaceAliases)
      if (mods.has(alias.flag) && value == uint8_t(alias.space))
        return alias.word;
  for (const ModRow &row : kMods)
    if (row.kind == slot.mod && row.value == value)
      return row.word;
  return "";
}

} // namespace

std::string printMnemonic(Op op, const Type *types, const Mods &mods) {
  const Row &row = rowOf(op);
  std::string out(row.info->text);
  unsigned typeIndex = 0;
  for (const SuffixSlot &slot : row.suffix) {
    std::string_view word;
    if (slot.kind == SuffixSlot::Kind::Type)
      word = text(types[typeIndex++]);
    else if (slot.kind == SuffixSlot::Kind::Flag)
      word = mods.has(slot.flag) ? text(slot.flag) : "";
    else
      word = wordOf(slot, mods);
    if (!word.empty())
      out += fmt::format(".{}", word);
  }
  return out;
}

} // namespace heddle::ptx
