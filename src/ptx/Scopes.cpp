// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Scopes.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

/// Braces inside braces. Compilers use three or four.
constexpr size_t kMaxScopes = 256;

/// The largest number a register of a range may carry. ptxas runs out of memory long before.
constexpr uint64_t kMaxRange = uint64_t(1) << 24;

struct Numbered {
  std::string_view prefix;
  uint64_t number;
};

/// "%r12" is %r and 12; "%r012" and "%r" are not of a range.
std::optional<Numbered> splitNumber(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  size_t count = name.size() - digits;
  if (count == 0 || count > 9 || digits == 0 || (count > 1 && name[digits] == '0'))
    return std::nullopt;
  uint64_t number = 0;
  for (char c : name.substr(digits))
    number = number * 10 + uint64_t(c - '0');
  return Numbered{name.substr(0, digits), number};
}

} // namespace

void Scopes::begin(Function &fn) {
  function = &fn;
  names.clear();
  ranges.clear();
  taken.clear();
  made.clear();
  frames.clear();
  frames.emplace_back();
  nestedRanges = 0;
  callOffset = 0;
}

void Scopes::finish() {
  while (frames.size() > 1)
    close();
  Frame last = std::move(frames.back());
  frames.clear();
  indexLabels(last);
  for (const LabelUse &use : last.uses)
    if (const uint32_t *label = labelIndex.find(use.name.text))
      resolve(use, last.labels[*label]);
    else
      cursor.error(use.name,
                   fmt::format("label '{}' is not in function '{}'", use.name.text, function->name));
}

bool Scopes::open(const Token &at) {
  if (frames.size() >= kMaxScopes) {
    cursor.error(at, fmt::format("braces are nested more than {} deep", kMaxScopes));
    return false;
  }
  frames.emplace_back();
  frames.back().callOffset = callOffset;
  return true;
}

void Scopes::close() {
  Frame frame = std::move(frames.back());
  frames.pop_back();
  // Undone backwards: a name hidden twice in one scope gets back what it had at the start.
  for (auto it = frame.hiddenNames.rbegin(); it != frame.hiddenNames.rend(); ++it)
    names.set(it->first, it->second);
  for (auto it = frame.hiddenRanges.rbegin(); it != frame.hiddenRanges.rend(); ++it) {
    ranges.set(it->first, it->second);
    --nestedRanges;
  }
  callOffset = frame.callOffset;
  indexLabels(frame);
  for (const LabelUse &use : frame.uses)
    if (const uint32_t *label = labelIndex.find(use.name.text))
      resolve(use, frame.labels[*label]);
    else
      frames.back().uses.push_back(use);
}

void Scopes::indexLabels(const Frame &frame) {
  labelIndex.clear();
  for (uint32_t i = 0; i < frame.labels.size(); ++i) {
    const Token &name = frame.labels[i].name;
    if (labelIndex.find(name.text))
      cursor.error(name, fmt::format("label '{}' appears twice in one scope", name.text));
    labelIndex.set(name.text, i);
  }
}

void Scopes::resolve(const LabelUse &use, const LabelDef &def) {
  if (use.kind != def.kind) {
    constexpr std::string_view kNames[] = {"a label", "a .branchtargets list", "a call prototype"};
    cursor.error(use.name, fmt::format("wanted {}, but '{}' is {}", kNames[unsigned(use.kind)], use.name.text,
                                       kNames[unsigned(def.kind)]));
    return;
  }
  if (use.list != kNone)
    function->targetLists[use.list][use.position] = def.index;
  else
    function->operands[use.operand].index = def.index;
}

std::string Scopes::unique(std::string_view name) {
  uint32_t *next = taken.find(name);
  if (!next) {
    // `taken` points at the text's own characters where it can; a name that comes from elsewhere is kept.
    made.emplace_back(name);
    taken.set(made.back(), 1);
    return std::string(name);
  }
  for (;;) {
    std::string candidate = fmt::format("{}_${}", name, (*next)++);
    if (!taken.find(candidate)) {
      made.push_back(candidate);
      taken.set(made.back(), 1);
      return candidate;
    }
  }
}

void Scopes::bind(std::string_view name, Binding binding) {
  if (binding.depth > 1) {
    const Binding *before = names.find(name);
    frames[binding.depth - 1].hiddenNames.emplace_back(name, before ? *before : Binding{});
  }
  names.set(name, binding);
}

bool Scopes::reportIfDeclaredHere(const Token &name) {
  const Binding *before = names.find(name.text);
  if (!before || before->kind == Binding::Kind::None || before->depth != depth())
    return false;
  cursor.error(name, fmt::format("'{}' is declared twice in this scope", name.text));
  return true;
}

uint32_t Scopes::addRegister(std::string_view name, Type type) {
  RegClass cls = classOf(type);
  function->registers.push_back({unique(name), type, cls, function->slots[unsigned(cls)]++});
  return uint32_t(function->registers.size() - 1);
}

uint32_t Scopes::declareRegister(const Token &name, Type type) {
  if (reportIfDeclaredHere(name))
    return kNone;
  uint32_t index = addRegister(name.text, type);
  bind(name.text, {Binding::Kind::Reg, uint16_t(depth()), index});
  return index;
}

void Scopes::declareRange(const Token &prefix, Type type, uint64_t count) {
  if (count > kMaxRange) {
    cursor.error(prefix, fmt::format("'{}<{}>' declares too many registers, at most {} are read", prefix.text,
                                     count, kMaxRange));
    return;
  }
  const Range *before = ranges.find(prefix.text);
  if (before && before->depth == depth() && before->count != 0) {
    cursor.error(prefix, fmt::format("'{}<...>' is declared twice in this scope", prefix.text));
    return;
  }
  if (depth() > 1) {
    frames.back().hiddenRanges.emplace_back(prefix.text, before ? *before : Range{});
    ++nestedRanges;
  }
  ranges.set(prefix.text, {type, uint16_t(depth()), count});
}

void Scopes::bindVariable(const Token &name, uint32_t variable) {
  if (!reportIfDeclaredHere(name))
    bind(name.text, {Binding::Kind::Var, uint16_t(depth()), variable});
}

/// Makes the register of a range that `name` belongs to, where the range was declared deeper than
/// `aboveDepth`.
Binding Scopes::materialize(std::string_view name, unsigned aboveDepth) {
  std::optional<Numbered> numbered = splitNumber(name);
  if (!numbered)
    return {};
  const Range *range = ranges.find(numbered->prefix);
  if (!range || range->depth <= aboveDepth || numbered->number >= range->count)
    return {};
  Binding binding{Binding::Kind::Reg, range->depth, addRegister(name, range->type)};
  bind(name, binding);
  return binding;
}

Binding Scopes::find(std::string_view name) {
  const Binding *found = names.find(name);
  bool isKnown = found && found->kind != Binding::Kind::None;
  if (isKnown && nestedRanges == 0)
    return *found;
  Binding known = isKnown ? *found : Binding{};
  Binding deeper = materialize(name, known.depth);
  return deeper.kind != Binding::Kind::None ? deeper : known;
}

void Scopes::defineLabel(const Token &name, LabelKind kind, uint32_t index) {
  frames.back().labels.push_back({name, kind, index});
}

void Scopes::useLabel(const Token &name, LabelKind kind, uint32_t operand) {
  frames.back().uses.push_back({name, kind, operand, kNone, 0});
}

void Scopes::useLabelInList(const Token &name, uint32_t list, uint32_t position) {
  frames.back().uses.push_back({name, LabelKind::Instr, kNone, list, position});
}

uint64_t Scopes::allocateCallArea(uint64_t bytes, uint32_t align) {
  uint64_t offset = (callOffset + align - 1) / align * align;
  callOffset = offset + bytes;
  function->callBytes = std::max(function->callBytes, callOffset);
  return offset;
}

} // namespace heddle::ptx
