// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the kernels of tests/vm/rows, and holds the table to account: every row of Ops.def must have a
// case, every type and flag of an arithmetic row one too.
#include "ptx/Rows.h"
#include "vm/Runner.h"
#include "vm/rows/Cases.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace heddle::vm::test {
namespace {

struct FaultCase {
  const char *rows, *body;
  FaultKind kind;
};
struct RefusedCase {
  const char *rows, *instruction;
};

constexpr KernelCase Kernels[] = {
#define ROW_KERNEL(ROWS, THREADS, VARIABLES, BODY, WANT)                                                     \
  {ROWS, THREADS, VARIABLES, BODY, []([[maybe_unused]] unsigned i) -> uint32_t { return uint32_t(WANT); }},
#define ROW_FAULT(ROWS, BODY, KIND)
#include "vm/rows/Async.def"
#include "vm/rows/Flow.def"
#include "vm/rows/Images.def"
#include "vm/rows/Lanes.def"
#include "vm/rows/Matrix.def"
#include "vm/rows/Memory.def"
#include "vm/rows/Sync.def"
#undef ROW_KERNEL
#undef ROW_FAULT
};

constexpr FaultCase Faults[] = {
#define ROW_KERNEL(...)
#define ROW_FAULT(ROWS, BODY, KIND) {ROWS, BODY, FaultKind::KIND},
#include "vm/rows/Flow.def"
#undef ROW_KERNEL
#undef ROW_FAULT
};

constexpr RefusedCase Refusals[] = {
#define ROW_REFUSED(ROWS, INSTRUCTION) {ROWS, INSTRUCTION},
#include "vm/rows/Refused.def"
#undef ROW_REFUSED
};

/// A texture and a surface whose content is a formula (rows/Images.def states it).
class Images : public Services {
public:
  bool texture(const TextureFetch &f, uint32_t (&texel)[4]) override {
    const float x = f.integerCoordinates ? float(f.ix) : f.x, y = f.integerCoordinates ? float(f.iy) : f.y;
    const float plain[4] = {x, 10 * y, 100 * f.z + 1000 * f.level + 10000 * float(f.layer),
                            float(f.dimensions)};
    const float gathered = float(5 + f.component);
    for (unsigned k = 0; k < 4; ++k)
      std::memcpy(&texel[k], f.gather ? &gathered : &plain[k], 4);
    return f.handle == 77;
  }
  bool queryTexture(uint64_t handle, TextureQuery query, uint32_t &answer) override {
    answer = 500 + uint32_t(query);
    return handle == 77 || handle == 78;
  }
  bool loadSurface(const SurfaceAccess &s, void *bytes) override {
    const bool inside = isInside(s);
    if (inside)
      std::memcpy(bytes, at(s), s.bytes);
    return s.handle == 78 && (inside || s.border == SurfaceAccess::Border::Zero);
  }
  bool storeSurface(const SurfaceAccess &s, const void *bytes) override {
    if (!isInside(s) || s.handle != 78)
      return false;
    std::memcpy(at(s), bytes, s.bytes);
    return true;
  }
  Images() {
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 16; x += 4)
        surface[y][x / 4] = 100 * y + x;
  }

private:
  static bool isInside(const SurfaceAccess &s) {
    return s.y >= 0 && s.y < 4 && s.x >= 0 && s.x + int32_t(s.bytes) <= 16;
  }
  uint8_t *at(const SurfaceAccess &s) { return reinterpret_cast<uint8_t *>(surface[s.y]) + s.x; }
  uint32_t surface[4][4];
};

std::string kernelText(const char *variables, std::string_view body) {
  return std::string(variables) +
         ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
         ".reg .b64 %rd<32>; .reg .b32 %r<32>; .reg .b16 %h<8>; .reg .pred %p<8>; .reg .f32 %f<16>;\n"
         ".reg .f64 %fd<8>; .reg .b128 %q<4>;\n"
         "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r0, %tid.x;\n"
         "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd3, %rd2, %rd1; add.u64 %rd1, %rd0, %rd1;\n" +
         std::string(body) + "\nst.global.u32 [%rd1], %r1; ret; }\n";
}

constexpr unsigned Words = 1024;

LaunchResult launch(Runner &runner, unsigned threads, uint32_t *&out) {
  std::vector<uint32_t> values(Words);
  for (uint32_t k = 0; k < Words; ++k)
    values[k] = 3 * k + 1;
  uint32_t *in = runner.buffer(values);
  out = runner.buffer<uint32_t>(Words);
  return runner.launch({1}, {threads}, out, in);
}

void expectKernel(const KernelCase &one) {
  SCOPED_TRACE(fmt::format("{}: {}", one.rows, one.body));
  Images images;
  Runner runner(kernelText(one.variables, one.body));
  runner.simulator.setServices(&images);
  if (!runner.kernel())
    return;
  uint32_t *out = nullptr;
  LaunchResult result = launch(runner, one.threads, out);
  ASSERT_TRUE(result.ok()) << (result.fault ? Runner::story(*result.fault) : result.refusal);
  for (unsigned i = 0; i < one.threads; ++i)
    ASSERT_EQ(out[i], one.want(i)) << "thread " << i;
}

// --- what is covered
// -------------------------------------------------------------------------------------------

std::vector<std::string> wordsOf(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// The rows whose instructions are in a piece of PTX.
std::set<std::string> rowsIn(const std::string &text) {
  Diagnostics problems;
  ptx::Module module =
      ptx::parse(".version 9.0\n.target sm_100a\n.address_size 64\n" + text, "rows.ptx", problems);
  EXPECT_TRUE(problems.empty()) << textOf(problems) << text;
  std::set<std::string> rows;
  for (const ptx::Function &function : module.functions)
    for (const ptx::Instr &instr : function.instrs)
      rows.insert(std::string(ptx::info(instr.op).name));
  return rows;
}

/// Adds the rows that a case claims, after a look whether its text has them at all.
void claim(std::set<std::string> &covered, const char *rows, const char *variables, const char *body) {
  const std::set<std::string> there = rowsIn(kernelText(variables, body));
  for (const std::string &row : wordsOf(rows)) {
    EXPECT_TRUE(there.contains(row)) << "a case says that it shows " << row
                                     << ", but has no such instruction: " << body;
    covered.insert(row);
  }
}

std::set<std::string> coveredByKernels() {
  std::set<std::string> covered;
  for (const KernelCase &one : Kernels)
    claim(covered, one.rows, one.variables, one.body);
  for (const FaultCase &one : Faults)
    claim(covered, one.rows, "", one.body);
  for (const RefusedCase &one : Refusals)
    claim(covered, one.rows, "", one.instruction);
  return covered;
}

struct Seen {
  std::set<ptx::Type> types[4];
  uint64_t flags = 0;
};

std::map<ptx::Op, Seen> seenInForms() {
  std::map<ptx::Op, Seen> seen;
  for (const FormCases &form : allForms()) {
    const ptx::Form decoded = ptx::decodeMnemonic(form.form);
    EXPECT_EQ(decoded.reason, "") << form.form;
    Seen &row = seen[decoded.op];
    for (unsigned k = 0; k < 4; ++k)
      row.types[k].insert(decoded.types[k]);
    row.flags |= decoded.mods.flags;
  }
  return seen;
}

} // namespace

namespace {

TEST(RowKernels, GiveTheComputedValues) {
  for (const KernelCase &one : Kernels)
    expectKernel(one);
}

TEST(RowKernels, FaultsAreThoseAskedFor) {
  for (const FaultCase &one : Faults) {
    Runner runner(kernelText("", one.body));
    uint32_t *out = nullptr;
    LaunchResult result = launch(runner, 32, out);
    ASSERT_EQ(result.status, LaunchStatus::Fault) << one.body;
    EXPECT_EQ(result.fault->kind, one.kind) << one.body;
  }
}

TEST(RowKernels, WhatTheSimulatorDoesNotRunIsRefusedByName) {
  for (const RefusedCase &one : Refusals) {
    std::string why = Runner(kernelText("", one.instruction)).whyNoKernel();
    std::string_view mnemonic(one.instruction, std::string_view(one.instruction).find(' '));
    EXPECT_NE(why.find(mnemonic), std::string::npos) << why;
    EXPECT_NE(why.find("not supported"), std::string::npos) << why;
  }
}

TEST(RowKernels, KnownRowsAreRefusedByName) {
  for (unsigned i = 0; i < ptx::kNumOps; ++i) {
    const ptx::OpInfo &row = ptx::info(ptx::Op(i));
    if (row.supported)
      continue;
    std::string why = Runner(kernelText("", fmt::format("{}.x %r1, %r2;", row.text))).whyNoKernel();
    EXPECT_NE(why.find(row.text), std::string::npos) << row.name << ": " << why;
    EXPECT_NE(why.find("not supported"), std::string::npos) << row.name << ": " << why;
  }
}

TEST(Rows, EveryRowOfTheTableIsExecuted) {
  const std::set<std::string> kernels = coveredByKernels();
  const std::map<ptx::Op, Seen> forms = seenInForms();
  for (unsigned i = 0; i < ptx::kNumOps; ++i) {
    const ptx::OpInfo &row = ptx::info(ptx::Op(i));
    EXPECT_TRUE(!row.supported || kernels.contains(std::string(row.name)) || forms.contains(row.op))
        << "Ops.def, row " << row.name << " (" << row.text << ") has no case in tests/vm/rows";
  }
}

TEST(Rows, EveryTypeAndFlagOfAnArithmeticRowIsExecuted) {
  for (const auto &[op, seen] : seenInForms()) {
    const ptx::Row &row = ptx::rowOf(op);
    for (size_t k = 0; k < row.types.size(); ++k)
      for (unsigned type = 0; type < 64; ++type)
        if (row.types[k] >> type & 1)
          EXPECT_TRUE(seen.types[k].contains(ptx::Type(type)))
              << "tests/vm/rows has no case for " << row.info->text << " with ." << ptx::text(ptx::Type(type))
              << " as type " << k + 1;
    for (const ptx::SuffixSlot &slot : row.suffix)
      if (slot.kind == ptx::SuffixSlot::Kind::Flag)
        EXPECT_TRUE(seen.flags >> unsigned(slot.flag) & 1)
            << "tests/vm/rows has no case for " << row.info->text << " with ." << ptx::text(slot.flag);
  }
}

} // namespace
} // namespace heddle::vm::test
