// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::vm {

class Kernel;

/// Whether nothing in the code lets a block see what other blocks of the launch do before they have ended: it uses no result of an atomic on
/// global memory, and reads none that is volatile or ordered. A block of such a kernel does the same work if others are left out.
bool areBlocksIndependent(const Kernel &kernel);

} // namespace heddle::vm
