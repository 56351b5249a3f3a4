# SPDX-License-Identifier: Apache-2.0
"""The same snow in firn and in Blender's Cycles: radiance of five regions, and time at equal noise.

    blender -b --factory-startup -P bench/cycles/compare.py -- [--firn build/firn] [--out TABLE.md]
            [--renders 16] [--firn-spp N] [--cycles-spp N] [--work DIR] [--look]
            [--extinction M2/KG]

firn makes the particles (scene.yaml), exports them as OpenVDB for Cycles, and renders them itself. Both
have the same density: of round kernels on coarse voxels as the scene says, or with --look of what
pictures have by default, narrow kernels fitted to their neighbours, with grain. Thick snow is as bright
whatever its density; with an --extinction of 0.0181 one sees through it, and light tells the density. Noise is the variance of a pixel between independent
renders, seconds are those of all cores together, so that other work on the machine matters less.
The quotient is (seconds x variance) of Cycles over that of firn: how many times longer Cycles takes to
the same noise.
"""
import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time

import bpy
import numpy as np
from mathutils import Matrix, Vector

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT = 160, 90
EYE, TARGET, FOV = (0.38, 0.28, 0.5), (0.0, 0.15, 0.0), math.radians(30)
SUN, SUN_SIZE, SKY = (0.8, 0.9, 0.2), 0.0093, (0.3, 0.35, 0.4)
ALBEDO, G, DENSITY = (0.9998, 0.9999, 0.99995), 0.5, 400
LOOK = ("kernel=0.6", "anisotropy=1", "detail=0.7", "voxel=0")
# Left, top, right, bottom in pixels.
REGIONS = {
    "lit side": (86, 30, 100, 44),
    "middle": (73, 38, 87, 52),
    "shadow": (58, 46, 70, 58),
    "top": (76, 22, 88, 28),
    "foot": (74, 62, 88, 68),
}


def to_blender(p):
    return Vector((p[0], -p[2], p[1]))


def load(path):
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.empty(WIDTH * HEIGHT * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(HEIGHT, WIDTH, 4)[::-1, :, :3].astype(np.float64)


def look(options):
    changes = [f"extinction={options.extinction}", *(LOOK if options.look else [])]
    return [word for change in changes for word in ("--set", f"render.snow.{change}")]


def firn(options, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.time()
    result = subprocess.run([options.firn, *words], check=True, capture_output=True, text=True)
    wall = time.time() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return cpu, wall, result.stdout


def firn_render(options, frame, seed, bounces):
    out = os.path.join(options.work, "firn.exr")
    cpu, wall, text = firn(
        options, "render", frame, "-o", out, "--force", "--json", "--threads", "2",
        "--scene", os.path.join(HERE, "scene.yaml"), "--size", f"{WIDTH}x{HEIGHT}",
        "--spp", str(options.firn_spp), "--set", f"render.seed={seed}", *look(options), *(
            ["--set", "render.sky.color=[0, 0, 0]"] if options.only == "sun" else []), *(
                ["--set", "render.sun.strength=0"] if options.only == "sky" else []),
        # Where Cycles does not bounce any more light still scatters once.
        "--set", f"render.bounces={bounces + 1 if bounces else 0}")
    return load(out), cpu, wall


def sun_irradiance(options, frame):
    """Of a surface square to it: a wall of albedo 1/2 shows E / (2 pi)."""
    out = os.path.join(options.work, "wall.exr")
    firn(options, "render", frame, "-o", out, "--force", "--json", "--scene",
         os.path.join(HERE, "white_wall.yaml"), "--size", f"{WIDTH}x{HEIGHT}", "--spp", "64")
    return load(out).mean(axis=(0, 1)) * 2 * math.pi


def blender_scene(options, vdb, irradiance):
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.object.volume_import(filepath=vdb, files=[{"name": os.path.basename(vdb)}],
                                 directory=os.path.dirname(vdb))
    volume = bpy.context.object
    assert volume.data.grids.load(), volume.data.grids.error_message
    options.voxel = volume.data.grids["density"].matrix_object[0][0]
    # Cycles has a voxel's value half a voxel above the place that OpenVDB gives it.
    volume.location = (-options.voxel / 2, -options.voxel / 2, -options.voxel / 2)
    volume.rotation_euler = (0, 0, 0)
    material = bpy.data.materials.new("snow")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    density = nodes.new("ShaderNodeAttribute")
    density.attribute_name = "density"
    sigma = nodes.new("ShaderNodeMath")
    sigma.operation = "MULTIPLY"
    sigma.inputs[1].default_value = DENSITY * options.extinction
    links.new(density.outputs["Fac"], sigma.inputs[0])
    both = nodes.new("ShaderNodeAddShader")
    for i, kind in enumerate(("ShaderNodeVolumeScatter", "ShaderNodeVolumeAbsorption")):
        node = nodes.new(kind)
        node.inputs["Color"].default_value = (*ALBEDO, 1)
        if "Anisotropy" in node.inputs:
            node.inputs["Anisotropy"].default_value = G
        links.new(sigma.outputs[0], node.inputs["Density"])
        links.new(node.outputs[0], both.inputs[i])
    links.new(both.outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs["Volume"])
    volume.data.materials.append(material)
    volume.data.render.precision = "FULL"

    light = bpy.data.lights.new("sun", "SUN")
    light.energy = 1
    light.angle = SUN_SIZE
    light.color = irradiance
    sun = bpy.data.objects.new("sun", light)
    sun.rotation_euler = to_blender(SUN).to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(sun)

    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*SKY, 1)
    scene.world = world
    if options.only == "sky":
        light.energy = 0
    if options.only == "sun":
        world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0

    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit = "VERTICAL"
    camera.angle = FOV
    eye, target = to_blender(EYE), to_blender(TARGET)
    body = bpy.data.objects.new("camera", camera)
    body.location = eye
    body.rotation_euler = (target - eye).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(body)
    scene.camera = body

    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.threads_mode, render.threads = "FIXED", 2
    render.filepath = os.path.join(options.work, "cycles.exr")
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_depth = "32"
    render.use_persistent_data = True
    cycles.device = "CPU"
    cycles.use_adaptive_sampling = False
    cycles.use_denoising = False
    cycles.samples = options.cycles_spp
    cycles.pixel_filter_type = "BOX"
    cycles.light_sampling_threshold = 0
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = 0
    cycles.volume_step_rate = options.step
    cycles.volume_max_steps = 1024
    return scene


def cycles_render(scene, seed, bounces):
    cycles = scene.cycles
    cycles.seed = seed
    cycles.max_bounces = cycles.volume_bounces = bounces if bounces else 1024
    cycles.transparent_max_bounces = 1024
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.time()
    bpy.ops.render.render(write_still=True)
    wall = time.time() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return load(scene.render.filepath), cpu, wall


def measure(renders, render):
    images, cpu, wall = [], [], []
    for seed in range(renders):
        image, c, w = render(seed + 1)
        images.append(image)
        cpu.append(c)
        wall.append(w)
    images = np.stack(images)
    # The snow, not the sky behind it.
    snow = np.abs(images.mean(axis=0) - np.array(SKY)).max(axis=2) > 0.02
    variance = images.var(axis=0, ddof=1)[snow].mean()
    return images.mean(axis=0), variance, float(np.median(cpu)), float(np.median(wall)), images


def whole(cycles, ours):
    """Means over the snow, and the standard error of their quotient, from one render to the next."""
    snow = np.abs(ours.mean(axis=0) - np.array(SKY)).max(axis=2) > 0.02
    means = [images[:, snow].mean(axis=(1, 2)) for images in (cycles, ours)]
    errors = [m.std(ddof=1) / math.sqrt(len(m)) / m.mean() for m in means]
    return means[0].mean(), means[1].mean(), math.hypot(*errors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--firn", default="build/firn")
    parser.add_argument("--out", default="")
    parser.add_argument("--work", default="/tmp/firn-cycles")
    parser.add_argument("--renders", type=int, default=16)
    parser.add_argument("--firn-spp", type=int, default=64)
    parser.add_argument("--cycles-spp", type=int, default=8)
    parser.add_argument("--step", type=float, default=1.0, help="Cycles' volume step rate")
    parser.add_argument("--extinction", type=float, default=1.81, help="m2/kg")
    parser.add_argument("--density", default=str(DENSITY), help="that the export is told, kg/m3")
    parser.add_argument("--look", action="store_true", help="kernel and grain of pictures")
    parser.add_argument("--only", choices=("sun", "sky"), help="leave out the other light")
    parser.add_argument("--bounces", default="1024,12")
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    options = parser.parse_args(words)
    options.firn = os.path.abspath(options.firn)
    os.makedirs(options.work, exist_ok=True)

    run = os.path.join(options.work, "run")
    if not os.path.exists(os.path.join(run, "frame_00000.hdf")):
        firn(options, "run", os.path.join(HERE, "scene.yaml"), "-o", run, "--frames", "0:0", "--quiet")
    frame = os.path.join(run, "frame_00000.hdf")
    firn(options, "export", run, "--format", "vdb", "--density", options.density, "--up", "z",
         "--frames", "0:0", "-o", os.path.join(options.work, "vdb"), "--quiet",
         *look(options))
    vdb = os.path.join(options.work, "vdb", "frame_00000.vdb")
    irradiance = sun_irradiance(options, frame)
    scene = blender_scene(options, vdb, irradiance)

    lines = [
        "# firn against Blender's Cycles",
        "",
        f"Blender {bpy.app.version_string}, {platform.processor() or platform.machine()}, 2 threads, "
        f"{WIDTH} x {HEIGHT} pixels, {options.renders} independent renders each; a ball of white snow "
        f"(albedo {ALBEDO[0]}, {ALBEDO[1]}, {ALBEDO[2]}; g {G}; {DENSITY * options.extinction:g} 1/m) on a grid of "
        f"{1000 * options.voxel:.3g} mm, {'as pictures have it by default' if options.look else 'round kernels'}. Cycles' step rate is {options.step:g}. Made by bench/cycles/compare.py.",
        "",
        "Seconds are of all cores together for one render, with all that a render does after the "
        "program has started (Cycles) or from the start of the program on (firn). Noise is the "
        "variance of a pixel between renders, mean over the snow.",
        "",
    ]
    for bounces in [int(b) for b in options.bounces.split(",")]:
        name = f"{bounces} bounces"
        f = measure(options.renders, lambda seed: firn_render(options, frame, seed, bounces))
        cycles_render(scene, 0, bounces)  # the first one also reads the volume
        c = measure(options.renders, lambda seed: cycles_render(scene, seed, bounces))
        lines += [f"## {name}", "", "| | samples | seconds | variance | seconds x variance |",
                  "|---|---|---|---|---|"]
        for who, spp, m in (("Cycles", options.cycles_spp, c), ("firn", options.firn_spp, f)):
            lines.append(f"| {who} | {spp} | {m[2]:.2f} | {m[1]:.3g} | {m[2] * m[1]:.3g} |")
        ratio = c[2] * c[1] / (f[2] * f[1])
        lines += ["", f"At equal noise firn is **{ratio:.0f} times** as quick.", "",
                  "| region | Cycles | firn | difference |", "|---|---|---|---|"]
        for region, (x0, y0, x1, y1) in REGIONS.items():
            a, b = c[0][y0:y1, x0:x1].mean(), f[0][y0:y1, x0:x1].mean()
            lines.append(f"| {region} | {a:.4f} | {b:.4f} | {100 * (b / a - 1):+.2f} % |")
        a, b, slack = whole(c[4], f[4])
        lines.append(f"| all of the snow | {a:.4f} | {b:.4f} | {100 * (b / a - 1):+.2f} % "
                     f"(noise {100 * slack:.2f} %) |")
        lines.append("")
        print(json.dumps({"bounces": bounces, "ratio": ratio, "cycles_wall": c[3], "firn_wall": f[3],
                          "cycles": a, "firn": b, "noise": slack}))
    text = "\n".join(lines)
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)


main()
