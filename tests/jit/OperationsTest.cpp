// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of every arithmetic row of Ops.def, as native code and as the simulator interprets it: the same bits.
#include "jit/Operations.h"

#include "jit/NativeForms.h"
#include "jit/Values.h"
#include "vm/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace heddle::jit::test {
namespace {

constexpr size_t Cases = 1024, SlotsOfCase = 8, FormsAtOnce = 200, FormsOfRow = 400;

uint64_t seed() {
  static const uint64_t value = [] {
    const char *given = std::getenv("HEDDLE_SEED");
    return given ? std::strtoull(given, nullptr, 0) : 1;
  }();
  return value;
}

/// Sources and results of all cases of a form: slots of a case side by side, as the kernel reads and writes them.
using Table = std::vector<Slot>;

Table sourcesOf(const TestForm &form) {
  std::mt19937_64 random(seed());
  Table table(Cases * SlotsOfCase);
  for (size_t k = 0, stride = 1; k < form.sources.size(); ++k, stride *= 24)
    for (size_t i = 0; i < Cases; ++i)
      table[i * SlotsOfCase + k] = valueFor(form.sources[k].bits, i, stride, random);
  return table;
}

/// Runs the form's kernel. Nothing if the simulator has no such instruction.
class Interpreter {
public:
  std::optional<Table> run(const TestForm &form, const Table &sources) {
    Diagnostics problems;
    vm::LoadedModule *loaded = simulator.load(form.module, problems);
    vm::LaunchRequest request;
    request.kernel = loaded ? loaded->kernel("k", problems) : nullptr;
    if (!request.kernel)
      return std::nullopt;
    if (!in) {
      in = allocate(), out = allocate();
    }
    std::copy(sources.begin(), sources.end(), in);
    std::fill_n(out, sources.size(), Slot());
    request.grid = {Cases / 256}, request.block = {256};
    request.parameters.resize(16);
    std::memcpy(request.parameters.data(), &in, 8);
    std::memcpy(request.parameters.data() + 8, &out, 8);
    EXPECT_TRUE(simulator.launch(request, nullptr).ok()) << form.text;
    return Table(out, out + sources.size());
  }

private:
  Slot *allocate() {
    return static_cast<Slot *>(
        simulator.memory().allocate(Cases * SlotsOfCase * sizeof(Slot), vm::AllocationKind::Device));
  }
  vm::Simulator simulator{vm::Limits{}};
  Slot *in = nullptr, *out = nullptr;
};

size_t bytesOf(unsigned bits) { return std::max(1u, bits / 8); }

/// One operand of all cases, value beside value.
std::vector<uint8_t> columnOf(const Table &table, size_t k, unsigned bits) {
  std::vector<uint8_t> column(Cases * bytesOf(bits));
  for (size_t i = 0; i < Cases; ++i)
    std::memcpy(&column[i * bytesOf(bits)], &table[i * SlotsOfCase + k], bytesOf(bits));
  return column;
}

std::string shown(const std::vector<std::vector<uint8_t>> &columns, const std::vector<Place> &places,
                  size_t i) {
  std::string text;
  for (size_t k = 0; k < places.size(); ++k) {
    Slot slot;
    std::memcpy(&slot, &columns[k][i * bytesOf(places[k].bits)], bytesOf(places[k].bits));
    text += slot.high ? fmt::format(" {:x}{:016x}", slot.high, slot.low) : fmt::format(" {:x}", slot.low);
  }
  return text;
}

void expectSame(const TestForm &form, NativeOperation native, unsigned lanes, const Table &sources,
                const Table &wanted) {
  std::vector<std::vector<uint8_t>> in, out, want;
  for (size_t k = 0; k < form.sources.size(); ++k)
    in.push_back(columnOf(sources, k, form.sources[k].bits));
  for (size_t k = 0; k < form.results.size(); ++k) {
    want.push_back(columnOf(wanted, k, form.results[k].bits));
    out.emplace_back(want.back().size());
  }
  std::vector<const void *> from;
  std::vector<void *> to;
  for (auto &column : in)
    from.push_back(column.data());
  for (auto &column : out)
    to.push_back(column.data());
  for (size_t i = 0; i < Cases; i += lanes)
    callNative(native, from.data(), to.data(), i);
  if (out == want)
    return;
  for (size_t i = 0, shownCases = 0; i < Cases && shownCases < 3; ++i)
    if (shown(out, form.results, i) != shown(want, form.results, i)) {
      ++shownCases;
      ADD_FAILURE() << form.text << " with " << lanes << " lanes (seed " << seed()
                    << "):" << shown(in, form.sources, i) << " gives" << shown(out, form.results, i)
                    << ", the interpreter" << shown(want, form.results, i);
    }
}

/// The carry of the condition code has no register: the kernel makes it of any word but 0.
void fixCarry(const TestForm &form, Table &sources) {
  if (form.readsCarry)
    for (size_t i = 0; i < Cases; ++i)
      sources[i * SlotsOfCase + form.sources.size() - 1].low &= 1;
}

class Operations : public testing::TestWithParam<ptx::Op> {};

TEST_P(Operations, GiveTheBitsOfTheInterpreter) {
  Interpreter interpreter;
  std::vector<const TestForm *> batch;
  size_t refused = 0;
  auto flush = [&] {
    if (batch.empty())
      return;
    NativeCode code(batch);
    for (size_t f = 0; f < batch.size(); ++f) {
      Table sources = sourcesOf(*batch[f]);
      fixCarry(*batch[f], sources);
      const auto wanted = interpreter.run(*batch[f], sources);
      refused += !wanted;
      if (!wanted)
        continue;
      for (unsigned lanes : laneCountsOf(f, *batch[f]))
        expectSame(*batch[f], code.function(f, lanes), lanes, sources, *wanted);
    }
    batch.clear();
  };
  std::string missing;
  std::vector<const TestForm *> compiled;
  const std::vector<TestForm> forms = formsOf(GetParam());
  for (const TestForm &form : forms)
    if (isCompiled(*form.function, *form.instr))
      compiled.push_back(&form);
    else
      missing += "\n  not compiled: " + form.text;
  // Comparisons and conversions have thousands of forms: another choice of them with every seed.
  const size_t all = compiled.size();
  std::mt19937_64 random(seed());
  std::shuffle(compiled.begin(), compiled.end(), random);
  if (!std::getenv("HEDDLE_ALL_FORMS"))
    compiled.resize(std::min(all, FormsOfRow));
  for (const TestForm *form : compiled) {
    batch.push_back(form);
    if (batch.size() == FormsAtOnce)
      flush();
  }
  flush();
  EXPECT_EQ(refused, 0u) << "forms that are compiled and that the simulator does not have";
  fmt::print("{}: {} of {} forms are compiled, {} tested, seed {}{}\n", ptx::info(GetParam()).name, all,
             forms.size(), compiled.size(), seed(), missing);
}

INSTANTIATE_TEST_SUITE_P(Rows, Operations, testing::ValuesIn(arithmeticRows()),
                         [](const auto &info) { return std::string(ptx::info(info.param).name); });

} // namespace
} // namespace heddle::jit::test
