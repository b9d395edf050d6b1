// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DT_NEEDED entries of the dynamic section. A damaged file has none: every offset is checked.
#include "build/RuntimeLinkage.h"

#include "support/Files.h"

#include <elf.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace heddle::build {
namespace {

/// The structure at an offset of the file.
template <class T> std::optional<T> at(const std::string &bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Where in the file something of an address of the loaded program is.
std::optional<uint64_t> offsetOf(const std::vector<Elf64_Phdr> &segments, uint64_t address) {
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  return std::nullopt;
}

std::vector<std::string> neededLibraries(const std::string &bytes, const Elf64_Ehdr &header) {
  std::vector<Elf64_Phdr> segments;
  for (unsigned i = 0; i < header.e_phnum; ++i)
    if (auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr)))
      segments.push_back(*segment);
  std::vector<uint64_t> names;
  std::optional<uint64_t> strings;
  for (const Elf64_Phdr &segment : segments)
    for (uint64_t done = 0; segment.p_type == PT_DYNAMIC && done < segment.p_filesz;
         done += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(bytes, segment.p_offset + done);
      if (!entry || entry->d_tag == DT_NULL)
        break;
      if (entry->d_tag == DT_NEEDED)
        names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB)
        strings = offsetOf(segments, entry->d_un.d_ptr);
    }
  std::vector<std::string> libraries;
  for (uint64_t name : names)
    if (strings && *strings + name < bytes.size())
      libraries.emplace_back(bytes.c_str() + *strings + name);
  return libraries;
}

} // namespace

RuntimeLinkage runtimeLinkageOf(const std::filesystem::path &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || access(file.c_str(), X_OK) != 0)
    return RuntimeLinkage::NoProgram;
  const std::string bytes = contentsOf(file);
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || bytes.compare(0, SELFMAG, ELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      (header->e_type != ET_EXEC && header->e_type != ET_DYN))
    return RuntimeLinkage::NoProgram;
  RuntimeLinkage linkage = RuntimeLinkage::Other;
  for (const std::string &library : neededLibraries(bytes, *header))
    if (library.starts_with("libheddle_cudart.so"))
      return RuntimeLinkage::Simulator;
    else if (library.starts_with("libcudart.so"))
      linkage = RuntimeLinkage::Shared;
  return linkage;
}

} // namespace heddle::build
