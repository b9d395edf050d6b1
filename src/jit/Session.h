// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ORC for the host's processor, as the compiler and the tests of single operations use it.
#pragma once

#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <memory>

namespace llvm {
class ObjectCache;
}

namespace heddle::jit {

/// How much LLVM's code generator optimizes: $HEDDLE_JIT_LEVEL, from 0 to 3; 2 if it is not set or none of these.
llvm::CodeGenOptLevel codeGenLevel();

/// The host, with code that rounds after each operation.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> hostMachine();

/// `objects`: receives each object that is made; may be null.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> openSession(llvm::orc::JITTargetMachineBuilder machine,
                                                              llvm::ObjectCache *objects = nullptr);

/// Gives code in the library the functions that emitted code calls.
llvm::Error defineCalledFunctions(llvm::orc::LLJIT &session, llvm::orc::JITDylib &library);

} // namespace heddle::jit
