"""Slices of objects that are known in closed form, and whether the judge of
these slices would notice a mistake. Usage: closed-forms.py PROGRAM ENGINE [--measure]

A slice is compared with the object as its filter and its interpolation show it
(slices.expect()), so that only what no program can avoid is left: the sampling.
Each bound is a tenth above what was measured, or 2e-6 for rounding; --measure
prints what is measured now.

Every case is also run with a centre that is wrong by 0.02 columns, and one of each
scan with the angles in the other direction. Its slice is made 1.004 times as
bright, mirrored, turned upside down and moved by half a pixel. The bounds have to
refuse all of these, or the case fails. Over a full turn a wrong centre only blurs,
in proportion to its square: there, 0.02 columns show only beside the small errors
of the cubic interpolation and of the Fourier method.
"""

import functools
import sys
from dataclasses import astuple, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cases import run as run_cases

try:
    import numpy as np
except ImportError as missing:
    print(f"1..0 # SKIP no numpy: {missing}")
    sys.exit()

from objects import OBJECTS, draw, draw_volume, project, project_volume
from scans import write_tiff
from slices import Judge, expect, interpolate, reconstruct, run, window

PROGRAM, ENGINE = str(Path(sys.argv[1]).resolve()), sys.argv[2]
MEASURES = "--measure" in sys.argv

RADIUS = 54     # beyond what is in the objects, in all slices
WRONG_COLUMNS = 0.02
WRONG_SCALE = 1.004


@dataclass(frozen=True)
class Scan:
    n_cols: int
    centre: float
    first: float    # degrees, of equally spaced angles
    step: float
    n: int
    wobble: float = 0   # degrees: the angles are not equally spaced

    def list_angles(self):
        steps = np.arange(self.n)
        return np.radians(self.first + self.step * steps
                          + self.wobble * np.sin(5 * steps * self.step))

    def is_half_turn(self):
        return abs(self.step * self.n) < 200


HALF_TURN = Scan(128, 61.3, 0, 0.9, 200)
SCANS = {
    "half-turn": HALF_TURN,
    "middle": replace(HALF_TURN, centre=63.5),
    "odd": replace(HALF_TURN, n_cols=127, centre=63),
    "off": replace(HALF_TURN, centre=70.75),
    "integer": replace(HALF_TURN, centre=60),
    "end-point": replace(HALF_TURN, n=201),
    "elsewhere": replace(HALF_TURN, first=-88.2),
    "downward": replace(HALF_TURN, first=180, step=-0.9),
    "uneven": replace(HALF_TURN, wobble=0.25),
    "full-turn": replace(HALF_TURN, n=400),
    "left": Scan(90, 26.3, 0, 0.9, 400),
    "right": Scan(90, 62.7, 0, 0.9, 400),
}

# Object, scan, options, and bounds: of the error of all pixels and of the worst
# pixel, as in slices.Verdict.
CASES = """
gaussians half-turn nearest                                                    | 1.8e-02 3.1e-02
gaussians half-turn linear                                                     | 1.2e-03 1.7e-03
gaussians half-turn oversampled                                                | 5.3e-03 6.2e-03
gaussians half-turn cubic                                                      | 1.3e-05 1.8e-05
gaussians half-turn fourier                                                    | 2.0e-06 2.0e-06
discs half-turn nearest                                                        | 1.7e-02 2.4e-02
discs half-turn linear                                                         | 2.4e-03 3.1e-03
discs half-turn oversampled                                                    | 5.1e-03 5.9e-03
discs half-turn cubic                                                          | 4.9e-04 5.9e-04
discs half-turn fourier                                                        | 1.4e-04 1.5e-04
ellipses half-turn nearest                                                     | 1.8e-02 4.1e-02
ellipses half-turn linear                                                      | 2.7e-03 5.6e-03
ellipses half-turn oversampled                                                 | 5.7e-03 9.2e-03
ellipses half-turn cubic                                                       | 5.3e-04 1.3e-03
ellipses half-turn fourier                                                     | 1.8e-04 3.6e-04
bars half-turn nearest                                                         | 6.7e-02 1.9e-01
bars half-turn linear                                                          | 1.2e-02 3.3e-02
bars half-turn oversampled                                                     | 2.3e-02 5.0e-02
bars half-turn cubic                                                           | 1.7e-03 4.6e-03
bars half-turn fourier                                                         | 6.6e-04 1.1e-03
wedge half-turn nearest                                                        | 3.7e-02 1.3e-01
wedge half-turn linear                                                         | 5.2e-03 1.4e-02
wedge half-turn oversampled                                                    | 1.2e-02 3.0e-02
wedge half-turn cubic                                                          | 1.1e-03 1.6e-03
wedge half-turn fourier                                                        | 3.1e-04 3.1e-04
discs half-turn linear --filter shepp-logan                                    | 2.2e-03 2.9e-03
bars half-turn cubic --filter shepp-logan                                      | 1.4e-03 3.8e-03
discs half-turn linear --filter cosine                                         | 1.9e-03 2.5e-03
bars half-turn cubic --filter cosine                                           | 8.6e-04 2.8e-03
discs half-turn linear --filter hann                                           | 1.5e-03 2.1e-03
bars half-turn cubic --filter hann                                             | 5.7e-04 2.1e-03
discs half-turn linear --filter hamming                                        | 1.6e-03 2.2e-03
bars half-turn cubic --filter hamming                                          | 6.4e-04 2.2e-03
discs half-turn linear --filter parzen                                         | 1.1e-03 1.8e-03
bars half-turn cubic --filter parzen                                           | 3.2e-04 1.2e-03
bars half-turn cubic --filter butterworth                                      | 1.6e-03 4.3e-03
discs half-turn linear --filter butterworth --cutoff 0.5                       | 1.9e-03 2.8e-03
bars half-turn fourier --filter butterworth --butterworth-order 3 --cutoff 0.6 | 4.0e-05 5.8e-05
bars half-turn cubic --cutoff 0.6                                              | 1.4e-03 3.9e-03
ellipses half-turn linear --filter hann --cutoff 0.7                           | 1.2e-03 2.1e-03
gaussians middle linear                                                        | 1.2e-03 1.7e-03
gaussians middle cubic                                                         | 1.3e-05 1.8e-05
gaussians odd nearest                                                          | 1.8e-02 3.1e-02
gaussians odd fourier                                                          | 2.0e-06 2.0e-06
gaussians odd cubic                                                            | 1.3e-05 2.1e-05
gaussians off linear                                                           | 1.1e-03 1.7e-03
gaussians off cubic                                                            | 1.3e-05 1.8e-05
gaussians off fourier                                                          | 2.0e-06 2.0e-06
gaussians integer nearest                                                      | 1.9e-02 3.5e-02
gaussians integer oversampled                                                  | 5.4e-03 5.3e-03
gaussians integer cubic                                                        | 1.3e-05 1.8e-05
gaussians end-point cubic                                                      | 1.3e-05 1.8e-05
gaussians elsewhere linear                                                     | 1.2e-03 1.7e-03
gaussians elsewhere fourier                                                    | 2.0e-06 2.0e-06
gaussians downward nearest                                                     | 1.8e-02 3.1e-02
gaussians downward cubic                                                       | 1.3e-05 1.8e-05
gaussians uneven linear                                                        | 1.4e-03 1.7e-03
gaussians uneven cubic                                                         | 6.7e-05 8.0e-05
gaussians uneven fourier                                                       | 6.5e-05 8.0e-05
gaussians full-turn cubic                                                      | 1.3e-05 1.8e-05
gaussians full-turn fourier                                                    | 2.0e-06 2.0e-06
gaussians left linear                                                          | 1.2e-03 1.7e-03
gaussians left oversampled                                                     | 5.3e-03 6.2e-03
gaussians left cubic                                                           | 2.2e-05 2.8e-05
gaussians left fourier                                                         | 2.3e-05 2.9e-05
gaussians right linear                                                         | 1.2e-03 1.7e-03
gaussians right oversampled                                                    | 5.3e-03 6.2e-03
gaussians right cubic                                                          | 2.2e-05 2.8e-05
gaussians right fourier                                                        | 2.3e-05 2.9e-05
discs left linear                                                              | 2.4e-03 3.1e-03
discs right linear                                                             | 2.4e-03 3.1e-03
gaussians right cubic --feather 30                                             | 1.4e-04 1.9e-04
discs half-turn linear --padding zero                                          | 2.4e-03 3.1e-03
gaussians half-turn nearest --precision fast                                   | 1.8e-02 3.1e-02
gaussians half-turn linear --precision fast                                    | 1.2e-03 1.7e-03
gaussians half-turn oversampled --precision fast                               | 5.3e-03 6.2e-03
gaussians half-turn cubic --precision fast                                     | 1.3e-05 1.8e-05
gaussians half-turn fourier --precision fast                                   | 2.0e-06 2.0e-06
"""

# Of the scale and of the centre. Errors of the coarser two cancel less well.
LIMITS = {"nearest": (1e-3, 2e-3), "oversampled": (2e-3, 1e-3)}
LIMITS_OTHERWISE = (2e-4, 4e-4)

# Of a scan with an axis that leans by so many degrees. A small tilt only moves
# the centre from row to row, and a slice is taken from its own row.
N_ROWS = 40
TILT_BOUNDS = {4: (1.6e-3, 2e-3, 4e-4, 1e-3), 0.3: (8.1e-3, 5.2e-3, 2.8e-3,
                                                     1.6e-2)}
PLANE_BOUND = 1.2e-3

COUNTS_LIKE = "gaussians/half-turn/cubic"


@dataclass(frozen=True)
class Case:
    name: str
    shapes: str
    scan: Scan
    options: tuple
    bounds: tuple   # of the four values of a Verdict
    is_first: bool  # of its scan

    def __str__(self):
        return self.name

    def get(self, option, otherwise):
        if option in self.options:
            return self.options[self.options.index(option) + 1]
        return otherwise

    def get_interpolation(self):
        if self.get("--method", "") == "fourier":
            return "fourier"
        return self.get("--interpolation", "linear")

    def find_factor(self, f):
        """Of the frequency @f in the expected slice."""
        return interpolate(self.get_interpolation(), f) * window(
            self.get("--filter", "ramp"), f, float(self.get("--cutoff", 1)),
            int(self.get("--butterworth-order", 8)))

    def reconstruct(self, folder, off=0, turn=1):
        """@off: columns, added to the centre; @turn: -1 turns the other way"""
        return reconstruct(
            PROGRAM, folder, make_sinogram(self.shapes, self.scan),
            turn * self.scan.list_angles(),
            ["--engine", ENGINE, "--centre", repr(self.scan.centre + off),
             *self.options])

    def make_judge(self, n):
        """@n: pixels along a side of the slice"""
        want = expect(make_slice(self.shapes, n), self.find_factor)
        return Judge(want, RADIUS, self.scan.is_half_turn())


def list_cases():
    scans = set()
    for line in CASES.strip().splitlines():
        words, _, bounds = line.partition("|")
        shapes, scan, interpolation, *options = words.split()
        if interpolation == "fourier" and ENGINE != "host":
            continue
        # the rounding of half precision hides what cubic leaves
        if interpolation == "cubic" and "fast" in options and ENGINE != "host":
            continue
        if interpolation == "fourier":
            options += ["--method", "fourier"]
        else:
            options += ["--interpolation", interpolation]
        limits = LIMITS.get(interpolation, LIMITS_OTHERWISE)
        yield Case("/".join(words.split()).replace("--", ""), shapes,
                   SCANS[scan], tuple(options),
                   (*map(float, bounds.split()), *limits), scan not in scans)
        scans.add(scan)


@functools.lru_cache(maxsize=None)
def make_sinogram(shapes, scan):
    return project(OBJECTS[shapes], scan.n_cols, scan.centre, scan.list_angles())


@functools.lru_cache(maxsize=None)
def make_slice(shapes, n):
    return draw(OBJECTS[shapes], n)


def find_excess(verdict, bounds):
    """Returns: what of @verdict is above its bound"""
    return {name: (value, bound) for (name, value), bound
            in zip(vars(verdict).items(), bounds) if abs(value) > bound}


def check_slice(folder, case):
    got = case.reconstruct(folder)
    judge = case.make_judge(len(got))
    verdict = judge.look(got)
    if MEASURES:
        print(f"# {case} {astuple(verdict)}")
        return
    excess = find_excess(verdict, case.bounds)
    if excess:
        yield f"value, bound: {excess}"
    for name, wrong in make_mistakes(case, folder, got):
        if not find_excess(judge.look(wrong), case.bounds):
            yield f"not noticed: {name}"


def make_mistakes(case, folder, got):
    yield "centre", case.reconstruct(folder, off=WRONG_COLUMNS)
    if case.is_first:   # all others would be turned upside down, too
        yield "direction", case.reconstruct(folder, turn=-1)
    yield "scale", WRONG_SCALE * got
    yield "mirrored", got[:, ::-1]
    yield "upside down", got[::-1]
    yield "half a pixel to the right", (got + np.roll(got, 1, 1)) / 2
    yield "half a pixel down", (got + np.roll(got, 1, 0)) / 2


@functools.lru_cache(maxsize=None)
def make_volume_scan(tilt):
    """Projections of an axis that leans by @tilt degrees."""
    return project_volume(OBJECTS["volume"], N_ROWS, HALF_TURN.n_cols,
                          HALF_TURN.centre, HALF_TURN.list_angles(),
                          np.radians(tilt))


@functools.lru_cache(maxsize=None)
def expect_volume():
    return np.array([expect(image, functools.partial(interpolate, "linear"))
                     for image in draw_volume(OBJECTS["volume"], N_ROWS,
                                              HALF_TURN.n_cols)])


def reconstruct_volume(folder, tilt, *options):
    return reconstruct(PROGRAM, folder, make_volume_scan(tilt),
                       HALF_TURN.list_angles(),
                       ["--engine", ENGINE, "--centre", repr(HALF_TURN.centre),
                        *options])


def check_tilt(folder, tilt, z):
    """The slice at the height @z of an axis that leans by @tilt degrees."""
    def recon(tilt_too, z_too):
        return reconstruct_volume(folder, tilt, "--tilt", str(tilt_too),
                                  "--slice", str(z_too))

    judge = Judge(expect_volume()[z], RADIUS)
    verdict = judge.look(recon(tilt, z))
    if MEASURES:
        print(f"# tilt {tilt} {z} {astuple(verdict)}")
    excess = find_excess(verdict, TILT_BOUNDS[tilt])
    if excess:
        yield f"value, bound: {excess}"
    for name, wrong in (("the other tilt", recon(-tilt, z)),
                        ("no tilt", recon(0, z)),
                        ("next slice", recon(tilt, z + 1)),
                        ("counted from below", recon(tilt, N_ROWS - 1 - z))):
        if not find_excess(judge.look(wrong), TILT_BOUNDS[tilt]):
            yield f"not noticed: {name}"


def check_plane(folder, plane):
    """x, or the rows of the slices, to the right, and z downwards."""
    want = (expect_volume()[:, 50] if plane == "xz"
            else expect_volume()[:, :, 50])
    got = reconstruct_volume(folder, 4, "--tilt", "4", "--plane", f"{plane}:50")
    inside = np.s_[5:35, 10:118]    # other pixels need rows beyond the detector
    errors = [np.linalg.norm((image - want)[inside])
              / np.linalg.norm(want[inside])
              for image in (got, got[::-1], got[:, ::-1])]
    if MEASURES:
        print(f"# {plane} {errors}")
    if errors[0] > PLANE_BOUND:
        yield f"{errors[0]}, above {PLANE_BOUND}"
    if min(errors[1:]) < 0.5:
        yield f"turned over without being noticed: {errors}"


def check_counts(folder):
    """From counts with flats and darks, to the same slice."""
    case = next(case for case in list_cases() if case.name == COUNTS_LIKE)
    attenuation = make_sinogram(case.shapes, case.scan)
    cols = np.arange(case.scan.n_cols)
    dark, flat = 90 + cols % 7, 30000 + 9000 * np.sin(cols)
    for k, row in enumerate(dark + (flat - dark) * np.exp(-attenuation)):
        write_tiff(folder / "scan" / f"scan_{k:03}.tif", [[row]], code="f")
    write_tiff(folder / "scan" / "darks" / "dark.tif", [[dark]], code="f")
    write_tiff(folder / "scan" / "flats" / "flat.tif", [[flat]], code="f")
    (folder / "scan" / "angles.txt").write_text("".join(
        f"{angle!r}\n" for angle in np.degrees(case.scan.list_angles()).tolist()))
    got = run(PROGRAM, folder, ["scan", "--engine", ENGINE, *case.options,
                                "--centre", case.scan.centre])
    excess = find_excess(case.make_judge(len(got)).look(got), case.bounds)
    if excess:
        yield f"value, bound: {excess}"


def check_same(folder, *options):
    """The slice that has these options in place of a centre is the same."""
    case = next(list_cases())
    got = reconstruct(PROGRAM, folder, make_sinogram(case.shapes, case.scan),
                      case.scan.list_angles(),
                      ["--engine", ENGINE, *case.options, *options])
    if not np.array_equal(got, case.reconstruct(folder)):
        yield "another slice"


if __name__ == "__main__":
    sys.exit(run_cases(
        [(check_slice, case) for case in list_cases()]
        + [(check_tilt, 4, z) for z in (12, 19, 26)]
        + [(check_tilt, 0.3, 12),
           (check_plane, "xz"), (check_plane, "yz"), (check_counts,),
           (check_same, "--boundary", repr(HALF_TURN.centre + 0.5)),
           (check_same, "--centre", repr(HALF_TURN.centre), "--pixel-size",
            "2.5")]))
