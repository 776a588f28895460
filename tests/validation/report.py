"""Writes REPORT.md: report.py PROGRAM SCANS [LACK…], called by against-world in the
environment that it has made; LACK is a sentence about a package that is not to be
had."""

import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import world
from measures import (INTERPOLATIONS, SMALL, enlarge, half_turn, measure, number,
                      table, use_ours, write_gaussians, write_objects)
from objects import OBJECTS, Ellipse, Gaussian, draw, project
from real import list_real_scans
from slices import expect, run, window

HERE = Path(__file__).resolve().parent
PROGRAM, SCANS, *LACKS = sys.argv[1:]
SCRATCH = tempfile.TemporaryDirectory(prefix="against-world-")
FOLDER = Path(SCRATCH.name)

FILTERS = ["ramp", "shepp-logan", "cosine", "hamming", "hann"]

# Name: the function, the interpolation of which the expected slice is known, and
# the filters that mean the same.
OURS = {f"Tomolens, {name}": (use_ours(PROGRAM, FOLDER, name, "--engine", "host"),
                              name, FILTERS)
        for name in INTERPOLATIONS}
WORLD = {
    **{f"scikit-image, {name}": (world.use_iradon(name), known, FILTERS)
       for name, known in (("nearest", "nearest"), ("linear", "linear"),
                           ("cubic", None))},
    **{f"ASTRA, {name}": (world.use_astra(name), None, FILTERS)
       for name in ("line", "linear", "strip")},
    "algotom, linear": (world.use_algotom, "linear", ["ramp", "hamming", "hann"]),
}
PROGRAMS = {**OURS, **WORLD}
# Those that can have the axis anywhere.
BETWEEN = {
    **{f"ASTRA, {name}, moved": (world.use_moved_astra(name), None, ["ramp"])
       for name in ("line", "linear", "strip")},
    "algotom, linear": WORLD["algotom, linear"],
}
# On real scans, beside ours with linear interpolation.
OTHERS_OF_OURS = ["Tomolens, cubic", "Tomolens, fourier"]
# Those in pictures.
MAIN = ["Tomolens, linear", "Tomolens, cubic", "Tomolens, fourier",
        "scikit-image, linear", "ASTRA, linear", "algotom, linear"]


# --- measures of this report alone ---

def average_rings(power, n_rings=20):
    """@power: [n][n], of the two-dimensional transform. Returns: frequencies up
    to 0.5, and the mean of each"""
    f = np.fft.fftfreq(len(power))
    ring = (np.hypot(f[:, None], f) * 2 * n_rings).astype(int)
    total, n = (np.bincount(ring.ravel(), weights)[:n_rings]
                for weights in (power.ravel(), np.ones(power.size)))
    return (np.arange(n_rings) + 0.5) / (2 * n_rings), total / n


def measure_mtf(function, filter_name):
    """How much of each frequency of small spots is in the slice."""
    chance = np.random.default_rng(5)
    spots = [Gaussian(1, *place, 0.8, 0.8)
             for place in chance.uniform(-70, 70, (150, 2))]
    angles = half_turn(400)
    got, _ = function(project(spots, SMALL, SMALL // 2, angles), angles,
                      SMALL // 2, filter_name)
    got, want = np.fft.fft2(got), np.fft.fft2(draw(spots, SMALL))
    f, shared = average_rings((got * want.conj()).real)
    return f, shared / average_rings(np.abs(want) ** 2)[1]


def measure_noise(function, filter_name):
    """The power of white noise of variance 1 in a slice, times the number of
    projections, of four such slices."""
    angles = half_turn(400)
    total = 0
    for seed in range(4):
        rows = np.random.default_rng(seed).standard_normal((len(angles), SMALL))
        got, _ = function(rows, angles, SMALL // 2, filter_name)
        part = got[64:192, 64:192]
        f, power = average_rings(np.abs(np.fft.fft2(part)) ** 2 / part.size)
        total = total + power * len(angles) / 4
    return f, total


# --- what is written ---

def save(name, figure):
    (HERE / "report").mkdir(exist_ok=True)
    figure.savefig(HERE / "report" / f"{name}.png", dpi=70,
                   metadata={"Software": None})
    plt.close(figure)


def write_filters():
    shapes = enlarge(OBJECTS["discs"], 2)
    angles = half_turn(400)
    sinogram = project(shapes, SMALL, SMALL // 2, angles)
    want = draw(shapes, SMALL)
    rows = []
    for name, (function, _, filters) in PROGRAMS.items():
        row = [name]
        for filter_name in FILTERS:
            if filter_name in filters:
                got, axis = function(sinogram, angles, SMALL // 2, filter_name)
                row.append(number(measure(got, expect(want, lambda f: window(
                    filter_name, f)), 120, axis)[0]))
            else:
                row.append("")
        rows.append(row)
    return table(["program", *FILTERS], rows)


def draw_differences():
    shapes = enlarge(OBJECTS["bars"], 2)
    angles = half_turn(400)
    sinogram = project(shapes, SMALL, SMALL // 2, angles)
    want = draw(shapes, SMALL)
    figure, axes = plt.subplots(2, 4, figsize=(12, 6.2), layout="constrained")
    images = {"object": want, **{name: PROGRAMS[name][0](
        sinogram, angles, SMALL // 2, "ramp")[0] - want for name in MAIN}}
    for axis in axes.ravel():
        axis.set_axis_off()
    for axis, (name, image) in zip(axes.T.ravel(), images.items()):
        limit = (want.max() if name == "object" else 0.05 * want.max())
        axis.imshow(image[28:228, 28:228], cmap="gray", vmax=limit,
                    vmin=0 if name == "object" else -limit)
        axis.set_title(name)
    axes[1, 3].text(0, 0.5, "differences from the object,\n"
                    "black and white are 5 %\nof its largest value",
                    transform=axes[1, 3].transAxes)
    save("differences", figure)


def draw_edges():
    disc = [Ellipse(1, 3.3, -2.1, 80, 80)]
    angles = half_turn(400)
    sinogram = project(disc, SMALL, SMALL // 2, angles, blur=0.5)
    away = np.arange(SMALL) - SMALL // 2
    distance = np.hypot(away[None, :] - 3.3, -away[:, None] + 2.1) - 80
    bins = np.arange(-6, 6.01, 0.25)
    where = np.digitize(distance, bins)
    want = draw(disc, SMALL, blur=0.5)
    figure, axes = plt.subplots(2, 2, figsize=(12, 7), sharex=True,
                                height_ratios=[2, 1], layout="constrained")
    for (profile, rest), filter_name in zip(axes.T, ("ramp", "hann")):
        ideal = expect(want, lambda f: window(filter_name, f))
        for name, image in {
                **{name: PROGRAMS[name][0](sinogram, angles, SMALL // 2,
                                           filter_name)[0] for name in MAIN},
                "object through the filter": ideal}.items():
            line = {"linewidth": 1, "label": name,
                    **({"color": "k", "linestyle": ":"} if image is ideal else {})}
            profile.plot(bins[1:] - 0.125, average(image, where), **line)
            rest.plot(bins[1:] - 0.125, average(image - ideal, where), **line)
        profile.set_title(filter_name)
        rest.set_xlabel("pixels beyond the edge")
        rest.set_ylabel("difference")
        profile.grid(alpha=0.3)
        rest.grid(alpha=0.3)
    axes[0, 0].legend(fontsize=8)
    save("edge", figure)


def average(image, where):
    n_bins = where.max()
    return [image[where == k].mean() for k in range(1, n_bins)]


def write_curves(name, measure_curve, label):
    """Draws a curve for each program with the ramp, and for each filter of ours.
    Returns: the table of the same, with hann for the others"""
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    rows = []
    for program, (function, *_) in PROGRAMS.items():
        f, curve = measure_curve(function, "ramp")
        axes[0 if program in OURS else 1].plot(f, curve, label=program)
        rows.append([program, "ramp", *pick(f, curve)])
        if program in WORLD:
            rows.append([program, "hann", *pick(*measure_curve(function,
                                                               "hann"))])
    for filter_name in ("ramp", "shepp-logan", "cosine", "hamming", "hann",
                        "parzen", "butterworth"):
        f, curve = measure_curve(PROGRAMS["Tomolens, linear"][0], filter_name)
        axes[2].plot(f, curve, label=f"Tomolens, linear, {filter_name}")
        if filter_name != "ramp":
            rows.append(["Tomolens, linear", filter_name, *pick(f, curve)])
            rows.append(["Tomolens, cubic", filter_name, *pick(*measure_curve(
                PROGRAMS["Tomolens, cubic"][0], filter_name))])
    for axis in axes:
        axis.set_xlabel("cycles per pixel")
        axis.set_ylabel(label)
        axis.set_ylim(0)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    axes[1].set_ylim(axes[0].get_ylim())
    save(name, figure)
    return table(["program", "filter", *map(str, FREQUENCIES)], rows)


FREQUENCIES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.45]


def pick(f, curve):
    return [f"{np.interp(at, f, curve):.3f}" for at in FREQUENCIES]


def write_real(scans):
    """Returns: the table, and the differences of each program from ours"""
    rows, images, found, facts = [], [], {}, []
    for scan in scans:
        if scan.lack:
            rows.append([scan.name, scan.lack,
                         *[""] * (len(WORLD) + len(OTHERS_OF_OURS))])
            continue
        sinogram = scan.move_axis_to_middle()
        n = sinogram.shape[1]
        radius = scan.radius
        ours, axis = OURS["Tomolens, linear"][0](sinogram, scan.angles, n // 2,
                                                 "ramp")
        others = {name: function(sinogram, scan.angles, n // 2, "ramp")[0]
                  for name, (function, *_) in
                  {**{name: OURS[name] for name in OTHERS_OF_OURS},
                   **WORLD}.items()}
        facts.append(f"{scan.name}: centre {scan.centre}, {len(scan.angles)} "
                     f"angles, within {radius} columns of the axis")
        from_file = run(PROGRAM, FOLDER, [*scan.options, "--method",
                                          "back-projection"])
        from_rows, _ = use_ours(PROGRAM, FOLDER, "linear")(
            scan.sinogram, scan.angles, scan.centre, "ramp")
        differences = {name: measure(got, ours, radius, axis)[0]
                       for name, got in others.items()}
        for name, difference in differences.items():
            found.setdefault(name, []).append(difference)
        rows.append([scan.name, number(measure(
            from_file, from_rows, radius, (len(from_file) - 1) / 2)[0]),
            *map(number, differences.values())])
        images.append((scan.name, ours, {name: others[name] - ours for name in (
            "scikit-image, linear", "ASTRA, linear", "algotom, linear")}, radius))
    if images:
        draw_real(images)
    return (table(["scan", "Tomolens from the scan itself", *OTHERS_OF_OURS,
                   *WORLD], rows) + f"\n\n({'; '.join(facts)}.)"), found


def write_smooth_real(scans):
    """Returns: the table of ours without the upper half of the frequencies"""
    names = ["linear", "fourier"]
    rows = []
    for scan in scans:
        if scan.lack:
            rows.append([scan.name, scan.lack, *[""] * (len(names) - 1)])
            continue
        sinogram = scan.move_axis_to_middle()
        n = sinogram.shape[1]

        def reconstruct_smooth(name):
            return use_ours(PROGRAM, FOLDER, name, "--engine", "host", "--cutoff",
                            "0.5")(sinogram, scan.angles, n // 2, "hann")
        cubic, axis = reconstruct_smooth("cubic")
        rows.append([scan.name, *(number(measure(
            reconstruct_smooth(name)[0], cubic, scan.radius, axis)[0])
            for name in names)])
    return table(["scan", *(f"Tomolens, {name}" for name in names)], rows)


def draw_real(images):
    figure, axes = plt.subplots(len(images), 4, squeeze=False,
                                figsize=(12, 3.2 * len(images)),
                                layout="constrained")
    for row, (name, ours, differences, radius) in zip(axes, images):
        middle = len(ours) // 2
        part = np.s_[middle - radius:middle + radius,
                     middle - radius:middle + radius]
        low, high = np.percentile(ours[part], (1, 99))
        row[0].imshow(ours[part], cmap="gray", vmin=low, vmax=high)
        row[0].set_title(f"{name}: Tomolens, linear", fontsize=9)
        for axis, (other, difference) in zip(row[1:], differences.items()):
            axis.imshow(difference[part], cmap="gray",
                        vmin=-0.1 * (high - low), vmax=0.1 * (high - low))
            axis.set_title(f"{other}, difference x 10", fontsize=9)
    for axis in axes.ravel():
        axis.set_axis_off()
    save("real", figure)


def sum_up(errors, found):
    """@errors: on Gaussians; @found: differences from ours on real scans"""
    lines = [f"| {name} | {number(errors.get(name))} | "
             + number(max(found[name]) if name in found else None) + " |"
             for name in PROGRAMS if not name.endswith(("nearest", "oversampled"))]
    return "\n".join(["| program | error, Gaussians "
                      "| largest difference from ours, real scans |",
                      "| --- | --- | --- |", *lines])


def main():
    gaussians, errors = write_gaussians(PROGRAMS, 256)
    between, _ = write_gaussians({**OURS, **BETWEEN}, 243.3)
    scans = list(list_real_scans(Path(SCANS)))
    real, found = write_real(scans)
    draw_differences()
    draw_edges()
    version = subprocess.run([PROGRAM, "--version"], capture_output=True,
                             text=True, check=True).stdout.split()[-1]
    versions = [f"Tomolens {version}"] + [
        f"{name} {importlib.metadata.version(name)}"
        for name in ("scikit-image", "astra-toolbox", "algotom", "numpy")]
    (HERE / "REPORT.md").write_text(f"""\
# Numbers against the world

Written by `tests/validation/against-world build/app/tomolens-cli`, which repeats
all of it but the part about GPUs. The programs, all on the processor except there:
{", ".join(versions)}.
{"".join(f"Not compared, because it cannot be installed: {lack}." for lack in LACKS)}
Gridrec of tomopy, built from its source, is in the [measured figures](../bench/README.md#the-fourier-method).

Every program gets the same sinograms, the same filter, centre and scale. Rows are
padded with zeros, as the others do it; by default Tomolens repeats their ends
(`--padding edge`), which differs where rows do not end in zeros.
Sinograms and objects are closed forms (`objects.py`). An error is the root of the
mean square of the difference from the object, relative to that of the object; the
worst pixel is relative to the largest value. Pixels count within 230 columns of the
axis where there are 512, within 120 where there are 257. The test `validation-host`
has other scans, bounds a tenth above what it measures, and mistakes that these bounds
have to refuse. The manual's page about
[numbers](../../ui/help/pages/numbers.md) has our conventions.

In short, of the tables below; ours on real scans is that with linear interpolation:

{sum_up(errors, found)}

Where the others differ in their conventions (`world.py`):

- scikit-image has the axis in column M // 2, and a pixel of the slice on it.
- ASTRA's filtered back-projection on the processor has the axis in the middle
  (M - 1) / 2; sinograms whose axis is elsewhere get columns of zeros.
- algotom takes the first and the last projection as half a turn apart; its
  slices are multiplied by (P - 1) / P. On several threads its back-projection on
  the processor loses sums, and is not the same twice; it runs on one.

## Gaussians

512 columns, 800 angles over half a turn, ramp, the axis in column 256. In the last
column the reference is the object blurred by the kernel of the interpolation, so
that only other errors remain.

{gaussians}

The same with the axis at 243.3, for the programs that can have it between columns.
Of ASTRA that is the back-projection, of rows that NumPy has filtered.

{between}

## Objects with edges

{SMALL} columns, 400 angles, ramp, edges blurred by a Gaussian of one column.

{write_objects(PROGRAMS)}

![Difference of the bars from the object](report/differences.png)

The edge of a disc of radius 80 and value 1, averaged around it; it is blurred by
half a column.

![Profiles across an edge](report/edge.png)

{(HERE / "report" / "on-gpu.md").read_text()}
## Filters

The error of the discs, compared with the disc as the filter shows it.

{write_filters()}

## Sharpness

The part of each frequency that is left, of small spots (the modulation transfer
function), at some frequencies in cycles per pixel.

![Modulation transfer](report/mtf.png)

{write_curves("mtf", measure_mtf, "part of the frequency that is left")}

## Noise

The power of the noise in a slice of white noise of variance 1, times the number of
projections (the noise power spectrum); the mean of four slices, {SMALL} columns, 400
angles.

![Noise power spectra](report/noise.png)

{write_curves("noise", measure_noise, "power of the noise")}

## Real scans

The difference of each program from ours with linear interpolation, ramp, relative
to our slice. Rows are shifted by linear interpolation so that the axis is in the
middle column, which all programs have in the same place. In the first column
Tomolens corrects and logarithms the raw file itself, with the axis where it is, and is
compared with Tomolens on the attenuation that NumPy computed: 0 is equal to the bit.
Cubic interpolation and the Fourier method keep what linear interpolation damps, fine
detail and noise: that is what they differ by.

{real}

Without the upper half of the frequencies (Hann with a cut-off of 0.5), where
interpolation matters little, ours with linear interpolation and by the Fourier method
compared with ours by cubic interpolation:

{write_smooth_real(scans)}

{"![Real scans](report/real.png)" if found else ""}
""")


main()
