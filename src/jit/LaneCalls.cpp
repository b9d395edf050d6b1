// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/LaneCalls.h"

#include "jit/Operations.h"

#include <llvm/IR/Module.h>

#include <cmath>

namespace heddle::jit {
namespace {

/// The names under which emitted code calls them, not those of the C library: LLVM must not replace the calls.
struct Callee {
  const char *name;
  double (*address)(double);
};
constexpr Callee Callees[] = {
    {"heddle_exp2", std::exp2}, {"heddle_log2", std::log2}, {"heddle_sin", std::sin},
    {"heddle_cos", std::cos},   {"heddle_tanh", std::tanh},
};

llvm::Value *callOne(llvm::IRBuilderBase &ir, llvm::Value *a, Function function) {
  llvm::Module *module = ir.GetInsertBlock()->getModule();
  llvm::Type *type = ir.getDoubleTy();
  auto callee = module->getOrInsertFunction(Callees[unsigned(function)].name,
                                            llvm::FunctionType::get(type, {type}, false));
  auto *call = ir.CreateCall(callee, {a});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

llvm::Value *callEach(llvm::IRBuilderBase &ir, llvm::Value *a, Function function) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (!vector)
    return callOne(ir, a, function);
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
    result = ir.CreateInsertElement(result, callOne(ir, ir.CreateExtractElement(a, lane), function), lane);
  return result;
}

/// A function of the module that is compiled for the same processor as the one that is being emitted.
llvm::Function *localFunction(llvm::Function &like, llvm::Type *type, const std::string &name) {
  llvm::Module &module = *like.getParent();
  auto *function = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false),
                                          llvm::Function::InternalLinkage, name, module);
  for (const char *attribute : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"})
    if (like.hasFnAttribute(attribute))
      function->addFnAttr(like.getFnAttribute(attribute));
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  return function;
}

} // namespace

std::vector<std::pair<std::string, void *>> calledFunctions() {
  std::vector<std::pair<std::string, void *>> all;
  for (const Callee &callee : Callees)
    all.emplace_back(callee.name, reinterpret_cast<void *>(callee.address));
  return all;
}

Real called(const Real &a, Function function) {
  return {a.builder(), callEach(a.builder(), a.value(), function)};
}

Real approximated(const Real &a, Function function, const std::function<Approximation(Real)> &approximate) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(a.type());
  if (!vector)
    return called(a, function);
  // In a function of its own: what an operation emits must stay one basic block.
  llvm::Function &current = *a.builder().GetInsertBlock()->getParent();
  const std::string name =
      std::string(Callees[unsigned(function)].name) + "_lanes" + std::to_string(vector->getNumElements());
  llvm::Function *helper = current.getParent()->getFunction(name);
  if (!helper) {
    llvm::LLVMContext &context = current.getContext();
    helper = localFunction(current, vector, name);
    auto *begin = llvm::BasicBlock::Create(context, "", helper);
    auto *some = llvm::BasicBlock::Create(context, "", helper),
         *end = llvm::BasicBlock::Create(context, "", helper);
    llvm::IRBuilder<> ir(begin);
    const Approximation first = approximate(Real(ir, helper->getArg(0)));
    ir.CreateCondBr(ir.CreateOrReduce(first.undecided.value()), some, end);
    ir.SetInsertPoint(some);
    auto *exact = callEach(ir, helper->getArg(0), function);
    auto *chosen = ir.CreateSelect(first.undecided.value(), exact, first.value.value());
    ir.CreateBr(end);
    ir.SetInsertPoint(end);
    auto *result = ir.CreatePHI(vector, 2);
    result->addIncoming(first.value.value(), begin);
    result->addIncoming(chosen, some);
    ir.CreateRet(result);
  }
  return {a.builder(), a.builder().CreateCall(helper, {a.value()})};
}

} // namespace heddle::jit
