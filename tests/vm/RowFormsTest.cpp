// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes every form of tests/vm/rows: one kernel for a family, one instruction for a form, one lane for a
// case; once with a full warp and once with three lanes off, since the simulator takes other roads then.
#include "TestPaths.h"
#include "vm/Runner.h"
#include "vm/rows/Cases.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace heddle::vm::test {
namespace {

// --- reading the lines
// -----------------------------------------------------------------------------------------

Token readToken(const std::string &word) {
  Token token;
  if (word[0] == '#') {
    token.kind = Token::Kind::Immediate;
    token.low = std::stoull(word.substr(1));
    return token;
  }
  if (word.starts_with("carry:")) {
    token.kind = Token::Kind::Carry;
    token.low = word.back() == '1';
    return token;
  }
  token.bits = word.size() == 1 ? 1 : unsigned(word.size()) * 4;
  const size_t split = word.size() > 16 ? word.size() - 16 : 0;
  token.low = std::stoull(word.substr(split), nullptr, 16);
  token.high = split ? std::stoull(word.substr(0, split), nullptr, 16) : 0;
  return token;
}

FormCase readCase(const std::string &text) {
  FormCase one;
  std::istringstream words(text);
  std::vector<Token> *side = &one.in;
  for (std::string word; words >> word;)
    if (word == "=")
      side = &one.out;
    else
      side->push_back(readToken(word));
  return one;
}

FormCases readLine(const std::string &line) {
  FormCases form;
  const size_t colon = line.find(": ");
  std::istringstream head(line.substr(0, colon)), cases(line.substr(colon + 2));
  head >> form.form;
  for (std::string word; head >> word;) {
    form.refused |= word == "!";
    if (word[0] == '~')
      form.ulps = unsigned(std::stoul(word.substr(1)));
  }
  for (std::string text; std::getline(cases, text, ';');)
    form.cases.push_back(readCase(text));
  return form;
}

// --- the kernel
// ------------------------------------------------------------------------------------------------

constexpr unsigned SlotBytes = 16, OperandBytes = 32 * SlotBytes, Operands = 8,
                   FormBytes = Operands * OperandBytes;

bool isSubtraction(const FormCases &form) { return form.form.starts_with("sub"); }

std::string load(const FormCases &form, const Token &token, unsigned k, size_t at) {
  if (token.kind == Token::Kind::Carry) // the condition code is set by a sum, or difference, that does so
    return fmt::format("ld.global.b32 %t, [%in+{}]; {}\n", at,
                       isSubtraction(form) ? "sub.cc.u32 %t, 0, %t;" : "add.cc.u32 %t, %t, 0xffffffff;");
  if (token.bits == 1)
    return fmt::format(".reg .pred %a{0}; ld.global.b32 %t, [%in+{1}]; setp.ne.b32 %a{0}, %t, 0;\n", k, at);
  return fmt::format(".reg .b{0} %a{1}; ld.global.b{0} %a{1}, [%in+{2}];\n", token.bits, k, at);
}

std::string store(const FormCases &form, const Token &token, unsigned k, size_t at) {
  if (token.kind == Token::Kind::Carry)
    return fmt::format("{} %t, 0, 0; and.b32 %t, %t, 1; st.global.b32 [%out+{}], %t;\n",
                       isSubtraction(form) ? "subc.u32" : "addc.u32", at);
  if (token.bits == 1)
    return fmt::format("selp.b32 %t, 1, 0, %d{}; st.global.b32 [%out+{}], %t;\n", k, at);
  return fmt::format("st.global.b{} [%out+{}], %d{};\n", token.bits, at, k);
}

/// "add.s32 %d0, %a0, %a1;" with the loads before it and the stores behind.
std::string textOf(const FormCases &form, size_t base) {
  std::string before, sources, destinations, after, registers;
  const FormCase &first = form.cases[0];
  for (unsigned k = 0; k < first.in.size(); ++k) {
    const Token &token = first.in[k];
    if (token.kind != Token::Kind::Immediate)
      before += load(form, token, k, base + k * OperandBytes);
    if (token.kind != Token::Kind::Carry)
      sources +=
          token.kind == Token::Kind::Immediate ? fmt::format(", {}", token.low) : fmt::format(", %a{}", k);
  }
  for (unsigned k = 0; k < first.out.size(); ++k) {
    const Token &token = first.out[k];
    after += store(form, token, k, base + k * OperandBytes);
    if (token.kind == Token::Kind::Carry)
      continue;
    registers += token.bits == 1 ? fmt::format(".reg .pred %d{}; ", k)
                                 : fmt::format(".reg .b{} %d{}; ", token.bits, k);
    destinations += fmt::format("{}%d{}", k ? "|" : "", k);
  }
  return fmt::format("{{ {}\n{}{} {}{};\n{}}}\n", registers, before, form.form, destinations, sources, after);
}

std::string kernelOf(const std::vector<const FormCases *> &forms) {
  std::string text =
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .b64 %in; .reg .b64 %out; .reg .b64 %o; .reg .b32 %t;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 16; add.u64 %in, %in, %o; add.u64 %out, %out, %o;\n";
  for (size_t f = 0; f < forms.size(); ++f)
    text += textOf(*forms[f], f * FormBytes);
  return text + "ret;\n}\n";
}

// --- comparing
// -------------------------------------------------------------------------------------------------

/// Floats in their order as integers, so that a difference counts units of the last place.
int64_t placeOf(uint64_t bits, unsigned width) {
  const uint64_t sign = uint64_t(1) << (width - 1);
  return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
}

bool near(uint64_t got, uint64_t want, unsigned width, unsigned ulps) {
  return std::abs(placeOf(got, width) - placeOf(want, width)) <= int64_t(ulps);
}

bool agrees(const FormCases &form, const Token &want, uint64_t low, uint64_t high) {
  if (low == want.low && high == want.high)
    return true;
  if (!form.ulps)
    return false;
  if (!form.form.ends_with("x2"))
    return near(low, want.low, want.bits, form.ulps);
  return near(low & 0xffff, want.low & 0xffff, 16, form.ulps) &&
         near(low >> 16, want.low >> 16, 16, form.ulps);
}

std::string shown(const FormCase &one) {
  std::string text;
  for (const Token &token : one.in)
    text += token.high ? fmt::format(" {:x}{:016x}", token.high, token.low) : fmt::format(" {:x}", token.low);
  return text;
}

struct Slot {
  uint64_t low, high;
};
constexpr Slot Untouched = {0xababababababababu, 0xababababababababu};

void expectLane(const FormCases &form, const FormCase &one, const Slot *out, unsigned lane) {
  for (size_t k = 0; k < one.out.size(); ++k) {
    const Token &want = one.out[k];
    Slot got = out[k * 32 + lane];
    const unsigned bits = want.bits == 1 || want.kind == Token::Kind::Carry ? 32 : want.bits;
    got.low &= bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
    got.high = bits == 128 ? got.high : 0;
    EXPECT_TRUE(agrees(form, want, got.low, got.high))
        << form.form << shown(one) << ": got " << fmt::format("{:x}, want {:x}", got.low, want.low)
        << (one.out.size() > 1 ? fmt::format(" (result {})", k) : "");
  }
}

void runForms(const std::vector<const FormCases *> &forms, unsigned lanes) {
  Runner runner(kernelOf(forms));
  if (!runner.kernel())
    return;
  const size_t slots = forms.size() * FormBytes / SlotBytes, perForm = FormBytes / SlotBytes;
  Slot *in = runner.buffer<Slot>(slots), *out = runner.buffer<Slot>(slots, Untouched);
  auto caseOf = [&](size_t f, unsigned lane) -> const FormCase & {
    return forms[f]->cases[lane % forms[f]->cases.size()];
  };
  for (size_t f = 0; f < forms.size(); ++f)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (size_t k = 0; k < caseOf(f, lane).in.size(); ++k)
        in[f * perForm + k * 32 + lane] = {caseOf(f, lane).in[k].low, caseOf(f, lane).in[k].high};
  if (!runner.run({1}, {lanes}, in, out).ok())
    return;
  for (size_t f = 0; f < forms.size(); ++f)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lane < lanes)
        expectLane(*forms[f], caseOf(f, lane), &out[f * perForm], lane);
      else
        EXPECT_EQ(out[f * perForm + lane].low, Untouched.low)
            << forms[f]->form << " wrote to a lane that is off";
}

std::vector<const FormCases *> formsThat(bool areRefused) {
  std::vector<const FormCases *> chosen;
  for (const FormCases &form : allForms())
    if (form.refused == areRefused)
      chosen.push_back(&form);
  return chosen;
}

} // namespace

const std::vector<FormCases> &allForms() {
  static const std::vector<FormCases> forms = [] {
    std::vector<FormCases> all;
    for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_BUILD_DIR "/tests/vm/rows")) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#')
          all.push_back(readLine(line));
    }
    return all;
  }();
  return forms;
}

namespace {

TEST(RowForms, NoLaneHasMoreCasesThanAWarpHasLanes) {
  for (const FormCases &form : allForms())
    EXPECT_LE(form.cases.size(), 29u) << form.form << ": cases beyond the last lane would not run";
}

TEST(RowForms, GiveTheComputedValuesInAFullWarp) { runForms(formsThat(false), 32); }

TEST(RowForms, GiveTheSameWithSomeLanesOff) { runForms(formsThat(false), 29); }

TEST(RowForms, WhatTheSimulatorDoesNotRunIsRefusedByName) {
  for (const FormCases *form : formsThat(true)) {
    Runner runner(kernelOf({form}));
    std::string why = runner.whyNoKernel();
    EXPECT_NE(why.find(form->form), std::string::npos) << form->form << ": " << why;
    EXPECT_NE(why.find("not supported"), std::string::npos) << form->form << ": " << why;
  }
}

} // namespace
} // namespace heddle::vm::test
