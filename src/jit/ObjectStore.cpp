// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of an object is a hash of the IR that it is made of, as it is emitted, so whatever the emitter looks at is part of it: the
// function, the shape of the launch, the width of the host's vectors, the addresses of variables (the same in each process, as a
// rule). Emitting takes a small part of the time; optimizing and generating code take the rest.
#include "jit/ObjectStore.h"

#include "jit/Session.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <link.h>

namespace heddle::jit {
namespace {

constexpr const char *objectFormat = "heddle-jit-1";

/// The build id of the library or program that contains the address, which the linker computes from its contents.
struct BuildIdSearch {
  uintptr_t address = 0;
  std::string found;
};

int lookAtObject(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<BuildIdSearch *>(data);
  bool isHere = false;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto &part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    isHere |= part.p_type == PT_LOAD && search.address >= begin && search.address < begin + part.p_memsz;
  }
  if (!isHere)
    return 0;
  auto rounded = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto &part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr), *end = at + part.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char *name = at + sizeof note, *content = name + rounded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID &&
          std::string_view(name, note.n_namesz) == std::string_view("GNU", 4))
        search.found = llvm::toHex(llvm::StringRef(content, note.n_descsz));
      at = content + rounded(note.n_descsz);
    }
  }
  return 1;
}

const std::string &ownBuildId() {
  static const std::string id = [] {
    BuildIdSearch search{reinterpret_cast<uintptr_t>(&lookAtObject), {}};
    dl_iterate_phdr(lookAtObject, &search);
    return search.found;
  }();
  return id;
}

} // namespace

std::string ObjectStore::hashOf(std::string_view bytes) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bytes));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::optional<KeptFiles> ObjectStore::ofUser() {
  return KeptFiles::ofUser("HEDDLE_JIT_CACHE", "jit", hashOf);
}

std::string ObjectStore::nameOf(const llvm::Module &module) const {
  if (!files)
    return module.getModuleIdentifier();
  std::string all =
      fmt::format("{} {} {} {}\n", objectFormat, LLVM_VERSION_STRING, ownBuildId(), int(codeGenLevel()));
  llvm::raw_string_ostream out(all);
  llvm::WriteBitcodeToFile(module, out);
  return hashOf(all);
}

std::unique_ptr<llvm::MemoryBuffer> ObjectStore::find(const llvm::Module &module) const {
  const std::string &name = module.getModuleIdentifier();
  std::optional<std::string> found = files ? files->find(name) : std::nullopt;
  if (!found)
    return nullptr;
  auto object = llvm::MemoryBuffer::getMemBufferCopy(*found, name);
  auto read = llvm::object::ObjectFile::createObjectFile(object->getMemBufferRef());
  if (!read) { // somebody else's file, with a hash
    llvm::consumeError(read.takeError());
    return nullptr;
  }
  return object;
}

void ObjectStore::notifyObjectCompiled(const llvm::Module *module, llvm::MemoryBufferRef object) {
  if (files && module->getModuleIdentifier() != UnnamedModule)
    files->keep(module->getModuleIdentifier(), object.getBuffer());
}

} // namespace heddle::jit
