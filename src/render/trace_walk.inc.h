// SPDX-License-Identifier: Apache-2.0
// The walk through snow, for whatever width lane.h has here. Delta tracking (Woodcock et al. 1965) and
// ratio tracking (Novak et al. 2014) block by block, with the block's own majorant; both on one and
// the same step, so that paths and shadow rays share lanes.
//
// Whether a collision is real is a coin with probability density / majorant. The density between
// nodes is a mean of eight of them, so one node picked with the weights of that mean does as well,
// and costs one gather instead of eight. The same holds for 1 - density / majorant on shadow rays.
#undef FIRN_DOUBLE // pictures are float in either build
#include "math/random_lane.h"
#include "render/phase.h"
#include "render/trace_walk.h"

#define HUGE_WAY 1e30f

// Directions have no zeros: 1 / 0 times 0 would be nan.
FIRN_HD_INLINE lane inverse(lane d) {
  lane tiny = lane_set1(1e-15f);
  return lane_rcp(lane_select(lane_lt(lane_abs(d), tiny), lane_copysign(tiny, d), d));
}

typedef struct lane3 {
  lane x, y, z;
} lane3;

FIRN_HD_INLINE lane dot3(lane3 a, lane3 b) {
  return lane_fma(a.x, b.x, lane_fma(a.y, b.y, a.z * b.z));
}

// cosine against d, and (u, v) on the circle around it.
FIRN_HD_INLINE lane3 turned(lane3 d, lane cosine, lane u, lane v) {
  // firn_axes_about for lanes.
  const lane one = lane_set1(1);
  lane sign = lane_copysign(one, d.z), p = -lane_rcp(sign + d.z), q = d.x * d.y * p;
  lane sine = lane_sqrt(lane_max(lane_fnma(cosine, cosine, one), lane_zero()));
  lane a = sine * u, b = sine * v;
  lane3 out;
  out.x = lane_fma(cosine, d.x, lane_fma(a, lane_fma(sign * d.x * d.x, p, one), b * q));
  out.y = lane_fma(cosine, d.y, lane_fma(a, sign * q, b * lane_fma(d.y * d.y, p, sign)));
  out.z = lane_fma(cosine, d.z, lane_fnma(a, sign * d.x, -(b * d.y)));
  // A Newton step towards unit length, or it would drift over thousands of turns.
  lane fix = lane_fnma(lane_set1(0.5f), dot3(out, out), lane_set1(1.5f));
  out.x = out.x * fix;
  out.y = out.y * fix;
  out.z = out.z * fix;
  return out;
}

#define SET(mask, row, value) row = lane_select(mask, value, row)
#define LOAD(name)            lane name = lane_load(w->name);
#define STORE(name)           lane_store(w->name, name);

static void walk(const firn_walk_view *v, firn_walk *w) {
  FIRN_WALK_ROWS(LOAD)
  ilane slot = ilane_load(w->slot), kslot = ilane_load(w->kslot);
  lane_random random = {ilane_load(w->s0), ilane_load(w->s1)};
  const lane zero = lane_zero(), one = lane_set1(1), eight = lane_set1(8);
  const lane size_x = lane_set1((float)v->size[0]), size_y = lane_set1((float)v->size[1]);
  const lane size_z = lane_set1((float)v->size[2]);
  const bool thins = v->thin_after < HUGE_WAY;
  const lmask alive = lane_lt(mode, lane_set1(2.5f));
  uint64_t steps = 0;
  lmask stopped;

  do {
    steps++;
    lmask path = lane_eq(mode, zero), shadow = lmask_and(alive, lmask_not(path));
    lmask thinned = lane_ge(events, lane_set1(v->thin_after));

    // How far to the next collision, the block's side, the surface.
    lane way = lane_max(-lane_log(lane_uniform(&random)), lane_set1(1e-9f));
    lane rate = sigma;
    if (thins) rate = rate * lane_select(thinned, lane_set1(v->thin), one);
    way = way / rate;
    lmask up_x = lane_gt(ix, zero), up_y = lane_gt(iy, zero), up_z = lane_gt(iz, zero);
    lane far_x = lane_select(up_x, ax + wide, ax);
    lane far_y = lane_select(up_y, ay + wide, ay);
    lane far_z = lane_select(up_z, az + wide, az);
    lane tx = (far_x - x) * ix, ty = (far_y - y) * iy, tz = (far_z - z) * iz;
    lane side = lane_min(tx, lane_min(ty, tz)), out = lane_max(side, zero), free = limit;
    if (v->surfaces) {
      lmask open = lmask_and(lmask_and(lane_gt(sigma, zero), lane_eq(guarded, zero)),
                             lane_eq(exact, zero));
      free = lane_select(open, lane_set1(HUGE_WAY), limit);
    }
    lane end = lane_min(out, free);
    lmask collides = lmask_and(alive, lane_lt(way, end));
    lmask rest = lmask_and(alive, lmask_not(collides));
    lmask at_limit = lmask_and(rest, lane_le(free, out));
    lmask crosses = lmask_and(rest, lmask_not(at_limit));
    lane go = lane_min(way, end);
    x = lane_fma(go, dx, x);
    y = lane_fma(go, dy, y);
    z = lane_fma(go, dz, z);
    limit = limit - go;

    // Into the next cell. Along the axis that is crossed it is known; along the others rounding must
    // not put it beside the present one.
    const lmask none = lmask_and(alive, lmask_not(alive));
    lmask left = none;
    if (lmask_any(crosses)) {
      const lane edge = lane_set1(FIRN_WALK_CELL), unit = lane_set1(1.0f / FIRN_WALK_CELL);
      const lane split = lane_set1(FIRN_WALK_SPLIT), part = lane_set1(1.0f / FIRN_WALK_SPLIT);
      lmask on_x = lane_eq(tx, side), on_y = lmask_and(lmask_not(on_x), lane_eq(ty, side));
      lmask on_z = lmask_not(lmask_or(on_x, on_y));
      lane last = wide - edge;
      lane nx = lane_clamp(lane_floor(x * unit) * edge, ax, ax + last);
      lane ny = lane_clamp(lane_floor(y * unit) * edge, ay, ay + last);
      lane nz = lane_clamp(lane_floor(z * unit) * edge, az, az + last);
      nx = lane_select(on_x, ax + lane_select(up_x, wide, -edge), nx);
      ny = lane_select(on_y, ay + lane_select(up_y, wide, -edge), ny);
      nz = lane_select(on_z, az + lane_select(up_z, wide, -edge), nz);
      SET(lmask_and(crosses, on_x), x, far_x);
      SET(lmask_and(crosses, on_y), y, far_y);
      SET(lmask_and(crosses, on_z), z, far_z);
      lane nx_cell = nx * unit, ny_cell = ny * unit, nz_cell = nz * unit;
      lane hx = lane_floor(nx_cell * part), hy = lane_floor(ny_cell * part),
           hz = lane_floor(nz_cell * part);
      lmask inside = lmask_and(lmask_and(lane_ge(hx, zero), lane_lt(hx, size_x)),
                               lmask_and(lane_ge(hy, zero), lane_lt(hy, size_y)));
      inside = lmask_and(inside, lmask_and(lane_ge(hz, zero), lane_lt(hz, size_z)));
      left = lmask_and(crosses, lmask_not(inside));
      inside = lmask_and(crosses, inside);
      const ilane nothing = ilane_set1(0);
      ilane cell = ilane_add(ilane_mul(lane_to_ilane(hz), ilane_set1(v->size[1])),
                             lane_to_ilane(hy));
      cell = ilane_add(ilane_mul(cell, ilane_set1(v->size[0])), lane_to_ilane(hx));
      ilane there = ilane_gather(v->index, ilane_select(inside, cell, nothing));
      lmask empty = ilane_negative(there);
      ilane block = ilane_select(empty, nothing, there);
      lane whole = lane_gather(v->sigma, block), most = -lane_abs(whole);
      if (v->split) {
        lane sx = lane_fnma(hx, split, nx_cell), sy = lane_fnma(hy, split, ny_cell);
        lane sz = lane_fnma(hz, split, nz_cell);
        ilane sub = lane_to_ilane(lane_fma(lane_fma(sz, split, sy), split, sx));
        sub = ilane_select(inside, sub, nothing);
        most = lane_gather(v->cells, ilane_add(ilane_mul(block, ilane_set1(FIRN_WALK_CELLS)), sub));
      }
      // Empty blocks know how far that goes; even ones are walked as a whole.
      lane reach = lane_select(empty, -ilane_to_lane(there) - one, zero) * eight;
      lmask large = lmask_or(empty, lane_lt(most, zero));
      lane top = lane_abs(most);
      SET(inside, ax, lane_select(large, lane_fma(hx, eight, -reach), nx));
      SET(inside, ay, lane_select(large, lane_fma(hy, eight, -reach), ny));
      SET(inside, az, lane_select(large, lane_fma(hz, eight, -reach), nz));
      SET(inside, wide, lane_select(large, lane_fma(lane_set1(2), reach, eight), edge));
      SET(inside, sigma, lane_select(empty, zero, top));
      SET(inside, guarded, lane_select(lane_lt(whole, zero), one, zero));
      SET(inside, scale, lane_abs(whole) / lane_max(top, lane_set1(1e-20f)));
      slot = ilane_select(inside, there, slot);
    }

    // Collisions, real with probability q.
    lmask real = none, killed = none;
    if (lmask_any(collides)) {
      ilane jitter = lane_random_bits(&random);
      const lane fine = lane_set1(0x1p-10f), half = lane_set1(0x1p-11f);
      const ilane ten = ilane_set1(1023);
      lane jx = lane_fma(ilane_to_lane(ILANE_SHR(jitter, 22)), fine, half);
      lane jy = lane_fma(ilane_to_lane(ilane_and(ILANE_SHR(jitter, 12), ten)), fine, half);
      lane jz = lane_fma(ilane_to_lane(ilane_and(ILANE_SHR(jitter, 2), ten)), fine, half);
      const lane eighth = lane_set1(0.125f);
      lane gx = lane_floor(ax * eighth) * eight, gy = lane_floor(ay * eighth) * eight;
      lane gz = lane_floor(az * eighth) * eight;
      lane nx = lane_floor(lane_clamp(x - gx, zero, eight) + jx);
      lane ny = lane_floor(lane_clamp(y - gy, zero, eight) + jy);
      lane nz = lane_floor(lane_clamp(z - gz, zero, eight) + jz);
      const lane nine = lane_set1(FIRN_BLOCK_EDGE);
      ilane node = lane_to_ilane(lane_fma(lane_fma(nz, nine, ny), nine, nx));
      node = ilane_add(ilane_mul(slot, ilane_set1(FIRN_BLOCK_NODES)), node);
      ilane value = ilane_gather16(v->density, ilane_select(collides, node, ilane_set1(0)));
      lane q = ilane_to_lane(value) * (scale * lane_set1(1.0f / FIRN_DENSITY_ONE));
      lane coin = lane_uniform(&random);
      real = lmask_and(lmask_and(collides, path), lane_le(coin, q));

      // What a shadow ray lets through; below FIRN_WALK_PASS roulette decides.
      lmask dims = lmask_and(collides, shadow);
      SET(dims, pass, lane_fnma(pass, q, pass));
      const lane least = lane_set1(FIRN_WALK_PASS);
      lmask faint = lmask_and(dims, lane_lt(pass, least));
      killed = lmask_and(faint, lane_gt(coin * least, pass));
      SET(faint, pass, least);
    }
    stop = lane_select(lmask_and(left, path), lane_set1(FIRN_WALK_LEFT), zero);
    SET(lmask_and(at_limit, path), stop, lane_set1(FIRN_WALK_LIMIT));

    // Ends of shadow rays: gather their light, go on with the path.
    lmask through = lmask_and(shadow, lmask_or(left, at_limit));
    lmask back = lmask_or(killed, through);
    if (lmask_any(back)) {
      lane r = pass * sr, g = pass * sg, b = pass * sb;
      lmask sure = through;
      if (v->surfaces) {
        sure = lmask_and(through, lane_eq(mode, lane_set1(2)));
        // One of all rays to the sun is kept, each with a chance that goes with its light: in the end a
        // surface between it and the sun counts for all (Chao 1982, reservoirs).
        lmask perhaps = lmask_and(through, lane_eq(mode, one));
        lane much = lane_max(r, lane_max(g, b));
        SET(perhaps, ctotal, ctotal + much);
        lmask keep = lmask_and(perhaps, lane_le(lane_uniform(&random) * ctotal, much));
        lane share = lane_rcp(much);
        SET(keep, cx, kx);
        SET(keep, cy, ky);
        SET(keep, cz, kz);
        SET(keep, cdx, dx);
        SET(keep, cdy, dy);
        SET(keep, cdz, dz);
        SET(keep, cr, r * share);
        SET(keep, cg, g * share);
        SET(keep, cb, b * share);
      }
      SET(sure, lr, lr + r);
      SET(sure, lg, lg + g);
      SET(sure, lb, lb + b);
      // Whoever sent a ray to another light knows where the path goes on.
      lmask sent = lmask_and(back, lane_eq(mode, lane_set1(2)));
      SET(sent, stop, lane_set1(FIRN_WALK_BACK));
      back = lmask_and(back, lmask_not(sent));
      SET(back, x, kx);
      SET(back, y, ky);
      SET(back, z, kz);
      SET(back, dx, kdx);
      SET(back, dy, kdy);
      SET(back, dz, kdz);
      SET(back, ix, kix);
      SET(back, iy, kiy);
      SET(back, iz, kiz);
      SET(back, ax, kax);
      SET(back, ay, kay);
      SET(back, az, kaz);
      SET(back, sigma, ksigma);
      SET(back, limit, klimit);
      SET(back, exact, kexact);
      SET(back, wide, kwide);
      SET(back, scale, kscale);
      SET(back, guarded, kguarded);
      SET(lmask_or(back, sent), mode, zero);
      slot = ilane_select(back, kslot, slot);
      lmask spent = lmask_and(back, lane_le(lane_max(wr, lane_max(wg, wb)), zero));
      SET(spent, stop, lane_set1(FIRN_WALK_DONE));
    }

    // Events.
    if (lmask_any(real)) {
      SET(real, events, events + one);
      // One event too many: the path ends here, and gathers nothing more.
      lmask over = lmask_and(real, lane_gt(events, lane_set1(v->most)));
      SET(over, wr, zero);
      SET(over, wg, zero);
      SET(over, wb, zero);
      lmask goes = real;
      if (lmask_any(over)) goes = lmask_and(real, lmask_not(over));
      lane ar = lane_set1(v->albedo[0]), ag = lane_set1(v->albedo[1]), ab = lane_set1(v->albedo[2]);
      if (thins) {
        SET(thinned, ar, lane_set1(v->thin_albedo[0]));
        SET(thinned, ag, lane_set1(v->thin_albedo[1]));
        SET(thinned, ab, lane_set1(v->thin_albedo[2]));
      }
      SET(real, wr, wr * ar);
      SET(real, wg, wg * ag);
      SET(real, wb, wb * ab);

      // A new direction. The ray to the sun uses the same random numbers: sums of means do not mind.
      lane u = lane_uniform(&random), cu, cv;
      lane_circle(lane_random_bits(&random), &cu, &cv);
      lane cosine = firn_phase_hg_cosine(v->g, u);
      if (thins) cosine = lane_select(thinned, lane_fnma(lane_set1(2), u, one), cosine);
      lane3 in = {dx, dy, dz}, to = turned(in, cosine, cu, cv);
      lane3 inv = {inverse(to.x), inverse(to.y), inverse(to.z)};

      // Which events aim at lights.
      lmask aims = none, asks = none;
      if (v->sun || v->lights) {
        lane chance = lane_select(lane_le(events, lane_set1(v->early)), one, lane_set1(v->late));
        lane coin = lane_uniform(&random), at_sun = chance * lane_set1(v->sun_share);
        if (v->sun) aims = lmask_and(goes, lane_le(coin, at_sun));
        if (v->lights) {
          asks = lmask_and(lmask_and(goes, lmask_not(aims)), lane_le(coin, chance));
          SET(real, inx, in.x);
          SET(real, iny, in.y);
          SET(real, inz, in.z);
          SET(real, px, x);
          SET(real, py, y);
          SET(real, pz, z);
          lane density = firn_phase_hg(v->g, cosine);
          if (thins) density = lane_select(thinned, lane_set1(FIRN_PHASE_EVEN), density);
          SET(real, pdf, density);
          SET(asks, sr, wr);
          SET(asks, sg, wg);
          SET(asks, sb, wb);
        }
        if (lmask_any(aims)) {
          lane open = lane_set1(v->sun_open) * u, c = one - open;
          lane sine = lane_sqrt(lane_max(open * (lane_set1(2) - open), zero));
          lane sa = sine * cu, sb2 = sine * cv;
          lane3 s;
          s.x = lane_fma(c, lane_set1(v->sun_along[0]),
                         lane_fma(sa, lane_set1(v->sun_a[0]), sb2 * lane_set1(v->sun_b[0])));
          s.y = lane_fma(c, lane_set1(v->sun_along[1]),
                         lane_fma(sa, lane_set1(v->sun_a[1]), sb2 * lane_set1(v->sun_b[1])));
          s.z = lane_fma(c, lane_set1(v->sun_along[2]),
                         lane_fma(sa, lane_set1(v->sun_a[2]), sb2 * lane_set1(v->sun_b[2])));
          lane phase = firn_phase_hg(v->g, dot3(in, s));
          if (thins) phase = lane_select(thinned, lane_set1(FIRN_PHASE_EVEN), phase);
          phase = phase / at_sun;
          SET(aims, sr, wr * phase * lane_set1(v->sun_light[0]));
          SET(aims, sg, wg * phase * lane_set1(v->sun_light[1]));
          SET(aims, sb, wb * phase * lane_set1(v->sun_light[2]));
          SET(aims, dx, s.x);
          SET(aims, dy, s.y);
          SET(aims, dz, s.z);
          SET(aims, ix, inverse(s.x));
          SET(aims, iy, inverse(s.y));
          SET(aims, iz, inverse(s.z));
        }
      }

      // Roulette on the largest channel.
      lane most = lane_max(wr, lane_max(wg, wb));
      lmask plays = lmask_and(real, lane_gt(events, lane_set1(v->roulette)));
      plays = lmask_and(plays, lane_lt(most, one));
      if (lmask_any(plays)) {
        lmask lost = lmask_and(plays, lane_gt(lane_uniform(&random), most));
        lane gain = lane_rcp(most);
        lane factor = lane_select(lost, zero, gain);
        SET(plays, wr, wr * factor);
        SET(plays, wg, wg * factor);
        SET(plays, wb, wb * factor);
        SET(lost, wr, zero);
        SET(lost, wg, zero);
        SET(lost, wb, zero);
      }
      lane room = lane_set1(HUGE_WAY), known = one;
      if (v->surfaces) {
        lane ex = x - ball_x, ey = y - ball_y, ez = z - ball_z;
        lane off = lane_sqrt(lane_fma(ex, ex, lane_fma(ey, ey, ez * ez)));
        room = lane_max(ball_r - off, zero);
        known = zero;
      }
      goes = lmask_and(real, lmask_not(aims));
      SET(goes, dx, to.x);
      SET(goes, dy, to.y);
      SET(goes, dz, to.z);
      SET(goes, ix, inv.x);
      SET(goes, iy, inv.y);
      SET(goes, iz, inv.z);
      SET(goes, limit, room);
      SET(goes, exact, known);
      if (lmask_any(aims)) {
        SET(aims, kx, x);
        SET(aims, ky, y);
        SET(aims, kz, z);
        SET(aims, kdx, to.x);
        SET(aims, kdy, to.y);
        SET(aims, kdz, to.z);
        SET(aims, kix, inv.x);
        SET(aims, kiy, inv.y);
        SET(aims, kiz, inv.z);
        SET(aims, kax, ax);
        SET(aims, kay, ay);
        SET(aims, kaz, az);
        SET(aims, ksigma, sigma);
        SET(aims, kwide, wide);
        SET(aims, kscale, scale);
        SET(aims, kguarded, guarded);
        SET(aims, klimit, room);
        SET(aims, kexact, known);
        kslot = ilane_select(aims, slot, kslot);
        SET(aims, limit, lane_set1(HUGE_WAY));
        SET(aims, exact, one);
        SET(aims, pass, one);
        SET(aims, mode, one);
      }
      lmask spent = lmask_and(goes, lane_le(lane_max(wr, lane_max(wg, wb)), zero));
      SET(spent, stop, lane_set1(FIRN_WALK_DONE));
      if (v->first) {
        lmask first = lmask_and(real, lane_eq(events, one));
        SET(first, stop, stop + lane_set1(FIRN_WALK_FIRST));
      }
      if (v->lights) SET(asks, stop, stop + lane_set1(FIRN_WALK_LIGHTS));
    }
    stopped = lane_gt(stop, zero);
  } while (lmask_none(lmask_and(stopped, alive)));

  FIRN_WALK_ROWS(STORE)
  ilane_store(w->slot, slot);
  ilane_store(w->kslot, kslot);
  ilane_store(w->s0, random.s0);
  ilane_store(w->s1, random.s1);
  w->steps += steps;
}

const firn_walk_kernel WALKER_NAME = {FIRN_LANES, walk};
