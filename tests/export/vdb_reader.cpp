// SPDX-License-Identifier: Apache-2.0
#include "export/vdb_reader.h"

#include <exception>

#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

extern "C" int vdb_read(const char *path, const char *name, vdb_voxel_fn voxel, void *user,
                        vdb_note *note) {
  try {
    openvdb::initialize();
    openvdb::io::File file(path);
    file.open();
    auto notes = file.getMetadata();
    auto grid = file.readGrid(name);
    note->voxel = grid->voxelSize()[0];
    note->grids = static_cast<int>(file.readAllGridMetadata()->size());
    note->time = (*notes)["time"] ? notes->metaValue<double>("time") : -1;
    note->rest_density = (*grid)["rest_density"] ? grid->metaValue<double>("rest_density") : 0;
    if (auto scalar = openvdb::gridPtrCast<openvdb::FloatGrid>(grid)) {
      for (auto i = scalar->cbeginValueOn(); i; ++i) {
        const float value[3] = {*i, 0, 0};
        voxel(user, i.getCoord().data(), value);
      }
    } else if (auto vector = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grid)) {
      for (auto i = vector->cbeginValueOn(); i; ++i)
        voxel(user, i.getCoord().data(), (*i).asPointer());
    } else {
      return 1;
    }
    return 0;
  } catch (const std::exception &) {
    return 1;
  }
}
