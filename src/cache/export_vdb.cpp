// SPDX-License-Identifier: Apache-2.0
// Density and velocity as OpenVDB grids. Memory in here is OpenVDB's own, not the context's.
#include "cache/export_vdb.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <streambuf>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>

namespace {

// Below this part of the rest density there is nothing to see, and voxels without end.
constexpr float least = 1e-4f;
constexpr float most_half = 65504; // the largest number that 16 bits hold

struct Grids {
  openvdb::FloatGrid::Ptr density = openvdb::FloatGrid::create();
  openvdb::Vec3SGrid::Ptr velocity = openvdb::Vec3SGrid::create();
  float most_density = 0, most_speed = 0;
};

// Turned voxel by voxel, and not by the transform, which not every program heeds.
Grids fill(const firn_vdb_def &def) {
  Grids grids;
  auto density = grids.density->getAccessor();
  auto velocity = grids.velocity->getAccessor();
  const float scale = static_cast<float>(1 / def.rest_density);
  float rho[512], u[512][3];
  int32_t at[3];
  for (size_t cell = 0; cell < def.count; cell++) {
    if (!def.cell(def.user, cell, at, rho, u)) continue;
    for (int n = 0; n < 512; n++) {
      const float value = scale * rho[n];
      if (!(value >= least)) continue;
      const int x = 8 * at[0] + (n >> 6), y = 8 * at[1] + (n >> 3 & 7), z = 8 * at[2] + (n & 7);
      const openvdb::Coord here = def.z_up ? openvdb::Coord(x, -z, y) : openvdb::Coord(x, y, z);
      density.setValue(here, value);
      grids.most_density = std::max(grids.most_density, value);
      if (!def.velocity_name) continue;
      const openvdb::Vec3s v = def.z_up ? openvdb::Vec3s(u[n][0], -u[n][2], u[n][1])
                                        : openvdb::Vec3s(u[n]);
      velocity.setValue(here, v);
      for (int c = 0; c < 3; c++) grids.most_speed = std::max(grids.most_speed, std::fabs(v[c]));
    }
  }
  return grids;
}

// An open file as a stream that throws when the disk is full: OpenVDB's own File writes on and
// reports nothing.
class Disk : public std::streambuf {
public:
  explicit Disk(int file) : fd(file), room(1 << 18) {
    setp(room.data(), room.data() + room.size());
  }

protected:
  int sync() override {
    for (const char *at = pbase(); at < pptr();) {
      const ssize_t n = ::write(fd, at, static_cast<size_t>(pptr() - at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw std::system_error(n ? errno : ENOSPC, std::generic_category());
      at += n;
    }
    setp(room.data(), room.data() + room.size());
    return 0;
  }
  int_type overflow(int_type c) override {
    sync();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  pos_type seekoff(off_type to, std::ios_base::seekdir from, std::ios_base::openmode) override {
    sync();
    const off_t at = ::lseek(fd, to,
                             from == std::ios_base::beg   ? SEEK_SET
                             : from == std::ios_base::cur ? SEEK_CUR
                                                          : SEEK_END);
    if (at < 0) throw std::system_error(errno, std::generic_category());
    return at;
  }
  pos_type seekpos(pos_type to, std::ios_base::openmode mode) override {
    return seekoff(to, std::ios_base::beg, mode);
  }

private:
  int fd;
  std::vector<char> room;
};

// OpenVDB's way to write grids with their offsets, to a stream of ours.
class Archive : public openvdb::io::Archive {
public:
  void put(const openvdb::GridPtrVec &grids, const openvdb::MetaMap &notes, int fd) const {
    Disk disk(fd);
    std::ostream stream(&disk);
    stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
    openvdb::io::Archive::write(stream, grids, true, notes);
    stream.flush();
  }
};

size_t write(const firn_vdb_def &def, int fd) {
  openvdb::initialize(); // does something the first time only
  Grids grids = fill(def);
  openvdb::GridPtrVec all{grids.density};
  grids.density->setName("density");
  grids.density->setGridClass(openvdb::GRID_FOG_VOLUME);
  grids.density->insertMeta("rest_density", openvdb::DoubleMetadata(def.rest_density));
  // Half the disk for 11 bits of a number, of which the renderer has no more than 16.
  grids.density->setSaveFloatAsHalf(grids.most_density < most_half);
  if (def.velocity_name) {
    grids.velocity->setName(def.velocity_name);
    grids.velocity->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    grids.velocity->setSaveFloatAsHalf(grids.most_speed < most_half);
    all.push_back(grids.velocity);
  }
  for (auto &grid : all)
    grid->setTransform(openvdb::math::Transform::createLinearTransform(def.voxel));

  openvdb::MetaMap notes;
  notes.insertMeta("creator", openvdb::StringMetadata(std::string("firn ") + def.version));
  if (def.time == def.time) notes.insertMeta("time", openvdb::DoubleMetadata(def.time));
  if (def.frame >= 0) notes.insertMeta("frame", openvdb::Int32Metadata(def.frame));
  Archive().put(all, notes, fd);
  return static_cast<size_t>(grids.density->activeVoxelCount());
}

} // namespace

extern "C" int firn_vdb_write(const firn_vdb_def *def, int fd, size_t *voxels, char *message,
                              size_t size) {
  try {
    *voxels = write(*def, fd);
    return 0;
  } catch (const std::exception &error) {
    std::snprintf(message, size, "%s", error.what());
  } catch (...) {
    std::snprintf(message, size, "unknown reason");
  }
  return 1;
}
