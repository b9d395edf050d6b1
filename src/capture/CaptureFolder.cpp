// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/CaptureFolder.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace heddle::capture {
namespace {

std::string failure(const std::filesystem::path &file, const char *what) {
  return file.string() + ": cannot be " + what + ": " + std::strerror(errno);
}

std::optional<std::string> textIn(const std::filesystem::path &file, std::string &error) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in)
    text << in.rdbuf();
  if (in && text)
    return text.str();
  error = failure(file, "read");
  return std::nullopt;
}

} // namespace

std::optional<CaptureFolder> CaptureFolder::open(const std::filesystem::path &folder, std::string &error) {
  const std::optional<std::string> text = textIn(folder / "launch.txt", error);
  if (!text)
    return std::nullopt;
  std::optional<Manifest> manifest = manifestOf(*text, error);
  if (!manifest)
    return std::nullopt;
  std::optional<StoreReader> store = StoreReader::open(folder, error);
  if (!store)
    return std::nullopt;
  if (store->objects() != manifest->objects()) {
    error = "launch.txt has " + std::to_string(manifest->objects()) +
            " regions and variables, memory.index " + std::to_string(store->objects());
    return std::nullopt;
  }
  for (size_t i = 0; i < store->objects(); ++i)
    if (store->bytesOf(i) != manifest->objectBytes(i)) {
      error =
          manifest->objectName(i) + ": has " + std::to_string(store->bytesOf(i)) + " bytes in memory.index";
      return std::nullopt;
    }
  return CaptureFolder{std::move(*manifest), std::move(*store)};
}

bool CaptureFolder::read(size_t object, When when, void *to, std::string &error) const {
  std::string why;
  if (store.readObject(object, when, to, why))
    return true;
  error = manifest.objectName(object) + ": " + why;
  return false;
}

bool writeManifest(const std::filesystem::path &folder, const Manifest &manifest, std::string &error) {
  const std::filesystem::path file = folder / "launch.txt", fresh = folder / "launch.txt.new";
  std::ofstream out(fresh, std::ios::binary);
  out << textOf(manifest);
  out.close();
  std::error_code code;
  if (out)
    std::filesystem::rename(fresh, file, code);
  if (out && !code)
    return true;
  error = failure(file, "written");
  return false;
}

} // namespace heddle::capture
