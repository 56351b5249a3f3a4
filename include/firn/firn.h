// SPDX-License-Identifier: Apache-2.0
//
// firn: a snow simulator.
//
// The whole public interface, a chapter a file, in the order in which a program uses them:
//
//   status.h     what functions return
//   context.h    memory, threads, messages
//   real.h       the precision that the library computes in
//   material.h   what the snow is made of
//   shape.h      where snow is, and what it meets
//   mesh.h       triangles, and bodies that deform
//   mpm.h        the material point method's settings
//   sph.h        those of smoothed particles
//   flip.h       those of incompressible flow
//   sim.h        create, step, read
//   fill.h       snow
//   motion.h     what moves with time
//   collider.h   what the snow meets
//   flow.h       emitters, sinks, a moving window
//   wind.h       air, which drags snow along
//   force.h      forces, by formula or by a function of yours
//   heat.h       temperatures, and what they do to stiffness
//   change.h     what may be set between steps
//   view.h       particles as they lie in memory
//   probe.h      averages in some place
//   file.h       frames and checkpoints
//   frame.h      frames read back
//   pieces.h     how many lumps the snow has broken into
//   scene.h      scene files
//   run.h        a scene into a folder
//   folder.h     what a run has written: its frames, checkpoints and tables
//   measure.h    a few numbers of a run, by which runs are compared
//   refine.h     fine particles: powder from coarser snow
//   export.h     frames for other programs
//   render.h     pictures by path tracing
//   preview.h    pictures for looking at motion, and numbers as colours
//   plot.h       curves from the statistics of a run
//
// Units are SI (metre, kilogram, second, pascal); Y is up; all numbers are double whatever the
// library computes in, but for those of force.h and view.h. Every def struct comes from its firn_default_*_def(): change what you need,
// leave the rest. Functions that can fail return a firn_status; the message is in the context.
// The library never prints, never exits, and keeps no global state: two contexts may run in two
// threads at once. One context must not be used from two threads at the same time.
#ifndef FIRN_FIRN_H
#define FIRN_FIRN_H

#include <firn/change.h>
#include <firn/collider.h>
#include <firn/context.h>
#include <firn/export.h>
#include <firn/file.h>
#include <firn/fill.h>
#include <firn/flip.h>
#include <firn/flow.h>
#include <firn/folder.h>
#include <firn/force.h>
#include <firn/frame.h>
#include <firn/heat.h>
#include <firn/material.h>
#include <firn/measure.h>
#include <firn/mesh.h>
#include <firn/mpm.h>
#include <firn/pieces.h>
#include <firn/plot.h>
#include <firn/preview.h>
#include <firn/probe.h>
#include <firn/real.h>
#include <firn/refine.h>
#include <firn/render.h>
#include <firn/run.h>
#include <firn/scene.h>
#include <firn/shape.h>
#include <firn/sim.h>
#include <firn/sph.h>
#include <firn/status.h>
#include <firn/view.h>
#include <firn/wind.h>

#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 1
#define FIRN_VERSION_PATCH 0

#endif
