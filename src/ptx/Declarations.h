// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Cursor.h"
#include "ptx/Module.h"
#include "ptx/NameTable.h"

#include <cstdint>

namespace heddle::ptx {

/// What a name of the module's own scope represents.
struct Global {
  bool isFunction = false;
  uint32_t index = kNone;
};
using Globals = NameTable<Global>;

/// A variable as declared, with the token of its name.
struct Declared {
  Variable variable;
  Token name;
};

/// Reads what follows a state space: ".align 4 .b8 name[16]". Array lengths of an initialized array may
/// be left out. Nothing where it could not be read (reported).
std::optional<Declared> readDeclarator(Cursor &cursor, Space space);

/// Further names of the same declaration: ", b[4]". The type and alignment are those of `first`.
std::optional<Declared> readNextDeclarator(Cursor &cursor, const Declared &first);

/// Reads "= ..." where it is, into the variable.
bool readInitializer(Cursor &cursor, const Globals &globals, Declared &declared);

/// .global, .const, .shared, .local or .param; nothing for another directive.
std::optional<Space> spaceOfDirective(std::string_view directive);

} // namespace heddle::ptx
