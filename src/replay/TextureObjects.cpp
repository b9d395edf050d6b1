// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/TextureObjects.h"

#include <cstring>

namespace heddle::replay {
namespace {

using capture::TextureObject;

cu::Resource resourceOf(const TextureObject &object, const Arrays &arrays) {
  cu::Resource resource;
  switch (object.memory) {
  case TextureObject::Memory::Array:
    resource.type = cu::ResourceArray;
    resource.memory.array = arrays[object.array];
    break;
  case TextureObject::Memory::Linear:
    resource.type = cu::ResourceLinear;
    resource.memory.linear = {object.address, formatOf(object.format), object.format.channels(),
                              size_t(object.width)};
    break;
  case TextureObject::Memory::Pitch:
    resource.type = cu::ResourcePitch;
    resource.memory.pitch = {object.address,       formatOf(object.format), object.format.channels(),
                             size_t(object.width), size_t(object.height),   size_t(object.pitch)};
    break;
  }
  return resource;
}

cu::Texture textureOf(const TextureObject &object) {
  cu::Texture texture;
  for (size_t i = 0; i < 3; ++i)
    texture.addressModes[i] = int(object.addressModes[i]);
  texture.filter = int(object.filter);
  texture.flags = (object.readMode == 0 ? cu::TextureReadsIntegers : 0) |
                  (object.isNormalized ? cu::TextureIsNormalized : 0) |
                  (object.isSrgb ? cu::TextureIsSrgb : 0);
  texture.anisotropy = object.anisotropy;
  std::memcpy(texture.border, object.border, sizeof texture.border);
  return texture;
}

} // namespace

std::vector<std::string> parameterTypes(const std::string &name) {
  std::vector<std::string> types;
  if (name.empty() || name.back() != ')')
    return types;
  // Backwards to the parenthesis that begins the list.
  size_t begin = name.size();
  int depth = 0;
  while (begin > 0) {
    const char c = name[--begin];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (depth == 0)
      break;
  }
  std::string type;
  depth = 0;
  for (size_t i = begin + 1; i + 1 < name.size(); ++i) {
    const char c = name[i];
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      types.push_back(std::move(type)), type.clear();
    else if (c != ' ' || !type.empty())
      type += c;
  }
  if (!type.empty())
    types.push_back(std::move(type));
  return types;
}

TextureObjects::TextureObjects(Driver &driver, const capture::Manifest &manifest, const Arrays &arrays)
    : driver(driver), manifest(manifest) {
  if (manifest.textures.empty())
    return;
  if (!driver.textureCreate || !driver.textureDestroy || !driver.surfaceCreate || !driver.surfaceDestroy)
    throw ReplayError("the CUDA driver has no functions for textures, which the captured launch uses");
  try {
    for (const TextureObject &object : manifest.textures) {
      Made made = {object.kind, object.handle};
      const cu::Resource resource = resourceOf(object, arrays);
      const cu::Texture texture = textureOf(object);
      const bool isTexture = object.kind == TextureObject::Kind::Texture;
      driver.check(isTexture ? driver.textureCreate(&made.handle, &resource, &texture, nullptr)
                             : driver.surfaceCreate(&made.handle, &resource),
                   isTexture ? "a texture of the capture cannot be created"
                             : "a surface of the capture cannot be created");
      all.push_back(made);
    }
  } catch (...) {
    release();
    throw;
  }
}

TextureObjects::~TextureObjects() { release(); }

void TextureObjects::release() {
  for (const Made &each : all)
    each.kind == TextureObject::Kind::Texture ? driver.textureDestroy(each.handle)
                                              : driver.surfaceDestroy(each.handle);
  all.clear();
}

void TextureObjects::setIn(std::vector<uint8_t> &parameters) const {
  const std::vector<std::string> types = parameterTypes(manifest.name);
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const capture::Parameter &parameter = manifest.parameters[i];
    uint64_t value = 0;
    if (parameter.bytes.size() != sizeof value || parameter.offset + sizeof value > parameters.size())
      continue;
    // A size may be the same small number.
    if (types.size() == manifest.parameters.size() && types[i] != "unsigned long long")
      continue;
    std::memcpy(&value, parameters.data() + parameter.offset, sizeof value);
    for (const Made &each : all)
      if (each.captured == value) {
        std::memcpy(parameters.data() + parameter.offset, &each.handle, sizeof each.handle);
        break;
      }
  }
}

} // namespace heddle::replay
