// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler that the simulator loads (vm/Compiled.h).
#include "jit/Emitter.h"
#include "jit/Native.h"

#include <fmt/format.h>

namespace heddle::jit {
namespace {

/// What is kept of a function while it is compiled grows with the product of its instructions and its blocks.
constexpr size_t MostInstructions = 100'000;

/// Rows that are scalars in compiled code, for each entry.
std::vector<std::vector<vm::ExpectedRow>> expectedRows(const Program &program, const Shapes &shapes,
                                                       unsigned width) {
  std::vector<std::vector<vm::ExpectedRow>> all;
  for (uint32_t at : program.entries) {
    auto &rows = all.emplace_back();
    for (unsigned reg : program.liveBefore(at).set_bits()) {
      if (!program.isHeld(reg) || !shapes[reg].isScalar())
        continue;
      const unsigned lanes = shapes[reg].isOneScalar() ? vm::Lanes : width;
      rows.push_back({program.request.registers[reg], uint8_t(program.bitsOf(reg) / 8), uint8_t(lanes),
                      int32_t(shapes[reg].stride)});
    }
  }
  return all;
}

/// Code of a function in one or both versions, part by part. What lanes of a mask need is compiled when some are separated for the first time: in
/// most kernels none ever are.
class NativeCode final : public vm::CompiledCode {
public:
  NativeCode(Native &made, const vm::CompileRequest &asked)
      : native(made), request(asked), program(request), wholeShapes(program, true),
        maskedShapes(program, false) {
    program.addEntries(maskedShapes.meetingBlocks());
    for (vm::CompiledVersion *each : {&whole, &masked})
      each->parts = std::vector<vm::CompiledPart>(program.parts().size());
    whole.expected = expectedRows(program, wholeShapes, native.width());
    masked.expected = expectedRows(program, maskedShapes, native.width());
    places.resize(request.code.insts.size() + 1);
    for (uint32_t i = 0; i < program.count(); ++i)
      places[program.firstInst(i)].mayWrap = program.wayOf(i) == Way::Operation && wholeShapes.mayWrap(i);
    for (uint32_t i = 0; i < program.entries.size(); ++i) {
      vm::CompiledPlace &place = places[program.firstInst(program.entries[i])];
      place.entry = i + 1;
      place.part = uint16_t(program.partOf(program.entries[i]));
    }
  }
  ~NativeCode() override {
    for (Native::Loaded &each : loaded)
      native.unload(each);
  }

  vm::CompiledFunction prepare(vm::CompiledVersion &version, uint32_t part) const override {
    const bool isMasked = &version == &masked;
    NewModule made = native.newModule();
    FunctionEmitter(*made.module, program, program.parts()[part], isMasked ? maskedShapes : wholeShapes,
                    {native.width(), isMasked})
        .emit(EntryName);
    llvm::Expected<void *> found = native.load(std::move(made), loaded);
    if (!found) {
      failure = llvm::toString(found.takeError());
      return nullptr;
    }
    auto run = reinterpret_cast<vm::CompiledFunction>(*found);
    version.parts[part].run.store(run, std::memory_order_release);
    return run;
  }

  /// Whether every instruction is one at which compiled code is left.
  bool isEmpty() const { return program.entries.empty(); }

  std::string problem() const override { return failure; }

private:
  Native &native;
  const vm::CompileRequest request;
  Program program;
  const Shapes wholeShapes, maskedShapes;
  mutable std::string failure;
  mutable std::vector<Native::Loaded> loaded;
};

class NativeCompiler final : public vm::Compiler {
public:
  std::unique_ptr<vm::CompiledCode> compile(const vm::CompileRequest &request, std::string &why) override {
    why = native.problem();
    if (const size_t count = request.code.function->instrs.size(); count > MostInstructions)
      why = fmt::format("it has {} instructions, more than are compiled ({})", count, MostInstructions);
    if (!why.empty())
      return nullptr;
    auto made = std::make_unique<NativeCode>(native, request);
    return made->isEmpty() ? nullptr : std::move(made);
  }
  void setBetweenPasses(void (*look)()) override {
    native.setBetweenPasses(look);
    if (native.problem().empty())
      native.warmUp();
  }

private:
  Native native;
};

} // namespace
} // namespace heddle::jit

extern "C" __attribute__((visibility("default"))) heddle::vm::Compiler *heddleCompiler() {
  static auto *compiler = new heddle::jit::NativeCompiler; // kept until the process ends: kernels may be
  return compiler;
}
