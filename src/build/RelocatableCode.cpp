// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/RelocatableCode.h"

#include "support/Files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

/// Spellings of one wish.
constexpr std::array kAsks = {
    "-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c", "-dlink", "--device-link",
    "-fgpu-rdc"};
constexpr std::array kDeclines = {"-rdc=false", "--relocatable-device-code=false", "-dw", "--device-w",
                                  "-fno-gpu-rdc"};
constexpr std::array kWithValue = {"-rdc", "--relocatable-device-code"};

constexpr std::string_view kRegisters = "__cudaRegisterLinkedBinary";

template <class Words> bool hasWord(const Words &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Names of symbols are plain text in an object file, each with a zero after it.
void findNames(std::string_view object, std::set<std::string> &names) {
  for (size_t at = object.find(kRegisters); at != std::string_view::npos;
       at = object.find(kRegisters, at + 1)) {
    size_t end = at;
    while (end < object.size() && isNameCharacter(object[end]))
      ++end;
    if (end > at + kRegisters.size() && end < object.size() && object[end] == '\0')
      names.emplace(object.substr(at, end - at));
  }
}

} // namespace

bool linksDeviceCode(const std::vector<std::string> &flags) {
  for (size_t i = 0; i < flags.size(); ++i)
    if (hasWord(kAsks, flags[i]) ||
        (hasWord(kWithValue, flags[i]) && i + 1 < flags.size() && flags[i + 1] == "true"))
      return true;
  return false;
}

std::vector<std::string> withoutDeviceLinking(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i)
    if (hasWord(kWithValue, flags[i]))
      ++i;
    else if (!hasWord(kAsks, flags[i]) && !hasWord(kDeclines, flags[i]))
      kept.push_back(flags[i]);
  return kept;
}

std::string registrationSource(const std::vector<fs::path> &objects) {
  std::set<std::string> names;
  for (const fs::path &object : objects)
    findNames(contentsOf(object), names);
  std::string source = "extern void __heddleRegisterLinked(void (*)(void **), const void *);\n";
  for (const std::string &name : names)
    source += fmt::format(
        "void {}(void (*callback)(void **), void *wrapper, void *id, void (*reference)(void *)) {{\n"
        "  (void)id, (void)reference;\n"
        "  __heddleRegisterLinked(callback, wrapper);\n"
        "}}\n",
        name);
  return source;
}

} // namespace heddle::build
