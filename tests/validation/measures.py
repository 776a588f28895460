"""Errors of slices whose object has a closed form; used by report.py and on-gpu."""

import numpy as np

from objects import OBJECTS, Ellipse, Gaussian, Polygon, draw, project
from slices import expect, interpolate, reconstruct

INTERPOLATIONS = ["nearest", "linear", "oversampled", "cubic", "fourier"]
SMALL = 257     # columns; the axis is in column 128, the middle


def list_options(interpolation, centre, filter_name):
    method = (["--method", "fourier"] if interpolation == "fourier"
              else ["--method", "back-projection",
                    "--interpolation", interpolation])
    return ["--centre", repr(float(centre)), "--filter", filter_name,
            "--padding", "zero", *method]


def use_ours(program, folder, interpolation, *options):
    """@folder: gets the scan and the slice. Returns: the function that reconstructs with @program;
    those of other programs are in world.py"""
    def reconstruct_ours(sinogram, angles, centre, filter_name):
        image = reconstruct(program, folder, sinogram, angles, [
            *list_options(interpolation, centre, filter_name), *options])
        return image, (len(image) - 1) / 2
    return reconstruct_ours


def half_turn(n):
    return np.arange(n) * np.pi / n


def enlarge(shapes, factor):
    """Returns: the shapes, @factor times as large"""
    larger = []
    for s in shapes:
        if isinstance(s, Gaussian):
            larger.append(Gaussian(s.value, factor * s.x, factor * s.y,
                                   factor * s.sigma, factor * s.other_sigma,
                                   s.turn))
        elif isinstance(s, Ellipse):
            larger.append(Ellipse(s.value, factor * s.x, factor * s.y,
                                  factor * s.a, factor * s.b, s.turn))
        else:
            larger.append(Polygon(s.value, [(factor * x, factor * y)
                                            for x, y in s.corners]))
    return larger


def find_distance(n, axis):
    away = np.arange(n) - axis
    return np.hypot(away[:, None], away)


def measure(got, want, radius, axis):
    """Returns: the relative error of all pixels within @radius of the axis, and
    of the worst one"""
    inside = find_distance(len(got), axis) <= radius
    wrong = (got - want)[inside]
    return (np.linalg.norm(wrong) / np.linalg.norm(want[inside]),
            np.abs(wrong).max() / np.abs(want[inside]).max())


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def number(value):
    return "" if value is None else f"{value:.1e}"


def write_gaussians(programs, centre):
    """Returns: the table, and the error of each program"""
    shapes = enlarge(OBJECTS["gaussians"], 4)
    angles = half_turn(800)
    sinogram = project(shapes, 512, centre, angles)
    rows, errors = [], {}
    for name, (function, interpolation, _) in programs.items():
        got, axis = function(sinogram, angles, centre, "ramp")
        want = draw(shapes, len(got), axis=axis)
        error, worst = measure(got, want, 230, axis)
        rest = None
        if interpolation:
            rest, _ = measure(got, expect(want, lambda f: interpolate(
                interpolation, f)), 230, axis)
        rows.append([name, number(error), number(worst), number(rest)])
        errors[name] = error
    return table(["program", "error", "worst pixel",
                  "error beyond the interpolation's own"], rows), errors


def write_objects(programs):
    angles = half_turn(400)
    rows = {name: [name] for name in programs}
    names = ["discs", "ellipses", "bars", "wedge"]
    for shapes in names:
        shapes = enlarge(OBJECTS[shapes], 2)
        sinogram = project(shapes, SMALL, SMALL // 2, angles)
        want = draw(shapes, SMALL)
        for name, (function, *_) in programs.items():
            got, axis = function(sinogram, angles, SMALL // 2, "ramp")
            rows[name] += map(number, measure(got, want, 120, axis))
    return table(["program", *(f"{name}{what}" for name in names
                               for what in (", error", ", worst"))],
                 rows.values())
