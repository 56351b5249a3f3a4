// SPDX-License-Identifier: Apache-2.0
// Density and velocity as OpenVDB grids. Memory in here is OpenVDB's own, not the context's.
#include "cache/export_vdb.h"

#include <cstdio>
#include <exception>
#include <string>

#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

namespace {

enum { NODES = 512 };

template <typename Grid, typename Fill>
typename Grid::Ptr make_grid(const firn_vdb_def &def, const char *name, Fill fill) {
  typename Grid::Ptr grid = Grid::create();
  grid->setName(name);
  grid->setTransform(openvdb::math::Transform::createLinearTransform(def.cell));
  for (size_t b = 0; b < def.count; b++) {
    const int32_t *at = def.at + 3 * b;
    const float *density = def.density + b * NODES;
    typename Grid::TreeType::LeafNodeType *leaf = nullptr;
    for (openvdb::Index n = 0; n < NODES; n++) {
      if (!(density[n] > 0 && density[n] >= def.least)) continue;
      if (!leaf) leaf = grid->tree().touchLeaf(openvdb::Coord(8 * at[0], 8 * at[1], 8 * at[2]));
      leaf->setValueOn(n, fill(b, n)); // a leaf counts its voxels as firn does
    }
  }
  return grid;
}

size_t write(const firn_vdb_def &def, const char *path) {
  openvdb::initialize(); // does something the first time only
  auto density = make_grid<openvdb::FloatGrid>(
      def, "density", [&](size_t b, size_t n) { return def.density[b * NODES + n]; });
  density->setGridClass(openvdb::GRID_FOG_VOLUME);
  density->insertMeta("rest_density", openvdb::DoubleMetadata(def.rest_density));
  auto velocity = make_grid<openvdb::Vec3SGrid>(def, "velocity", [&](size_t b, size_t n) {
    const float *v = def.velocity + 3 * (b * NODES + n);
    return openvdb::Vec3s(v[0], v[1], v[2]);
  });
  velocity->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);

  openvdb::MetaMap notes;
  notes.insertMeta("creator", openvdb::StringMetadata(std::string("firn ") + def.version));
  if (def.time == def.time) notes.insertMeta("time", openvdb::DoubleMetadata(def.time));
  if (def.frame >= 0) notes.insertMeta("frame", openvdb::Int32Metadata(def.frame));
  openvdb::io::File file(path);
  file.write(openvdb::GridPtrVec{density, velocity}, notes);
  file.close();
  return static_cast<size_t>(density->activeVoxelCount());
}

} // namespace

extern "C" int firn_vdb_write(const firn_vdb_def *def, const char *path, size_t *voxels,
                              char *message, size_t size) {
  try {
    *voxels = write(*def, path);
    return 0;
  } catch (const std::exception &error) {
    std::snprintf(message, size, "%s", error.what());
  } catch (...) {
    std::snprintf(message, size, "unknown reason");
  }
  return 1;
}
