"""Objects whose slices and projections are known in closed form.

Lengths are columns of the detector, from the axis: x to the right, y up. A ray
of the projection at the angle t is s columns from the axis and consists of the
points s (cos t, sin t) + u (-sin t, cos t). An object is a list of shapes, whose
values add up.

A shape with sharp edges is blurred by a Gaussian, as a detector would do it. The
blurred projections are those of the blurred object, and both are smooth enough
for the columns. Chords are closed forms; the blur is an integral along them, by
Gauss's rule, with an error of some 1e-9.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

ERF = np.vectorize(math.erf, otypes=[float])


@dataclass
class Gaussian:
    """Of two widths, the first one along the direction @turn; in a volume it is
    also a Gaussian over the height z, in rows."""
    value: float
    x: float
    y: float
    sigma: float
    other_sigma: float
    turn: float = 0
    z: float = 0
    sigma_z: float = math.inf

    def weigh(self, z):
        return self.value * np.exp(-0.5 * ((z - self.z) / self.sigma_z) ** 2)

    def project(self, s, t, _blur=0, z=0):
        width = np.hypot(self.sigma * np.cos(t - self.turn),
                         self.other_sigma * np.sin(t - self.turn))
        away = s - self.x * np.cos(t) - self.y * np.sin(t)
        return (self.weigh(z) * math.sqrt(2 * math.pi) * self.sigma
                * self.other_sigma / width * np.exp(-0.5 * (away / width) ** 2))

    def draw(self, x, y, _blur=0, z=0):
        c, s = math.cos(self.turn), math.sin(self.turn)
        along = (x - self.x) * c + (y - self.y) * s
        across = (y - self.y) * c - (x - self.x) * s
        return self.weigh(z) * np.exp(-0.5 * ((along / self.sigma) ** 2
                                              + (across / self.other_sigma) ** 2))


class Convex:
    """A shape of one value that each ray enters once. Subclasses have

    list_corners(t): the s at which the length of the chord is not smooth
    cut(s, t): the first and the last u of the chord"""

    def list_places(self, t, step):
        """Returns: places s and their weights, for integrals over s of what
        changes within @step"""
        corners = np.sort(self.list_corners(t))
        places, weights = [], []
        for begin, end in zip(corners[:-1], corners[1:]):
            # the sine takes away the square roots at the ends of an ellipse
            half = (end - begin) / 2
            nodes, shares = find_nodes(math.ceil(half * 4 / step / 8 + 1) * 8)
            places.append((begin + end) / 2 + half * np.sin(nodes))
            weights.append(half * shares * np.cos(nodes))
        return np.concatenate(places), np.concatenate(weights)

    def project(self, s, t, blur):
        places, weights = self.list_places(t, blur)
        first, last = self.cut(places, t)
        return self.value * (bell(s[:, None] - places, blur)
                             @ (weights * (last - first)))

    def draw(self, x, y, blur):
        """@x: [1][n]; @y: [n][1]"""
        places, weights = self.list_places(math.pi / 2, blur / 4)
        first, last = self.cut(places, math.pi / 2)     # of -x
        width = blur * math.sqrt(2)
        rows = (ERF((x + last[:, None]) / width)
                - ERF((x + first[:, None]) / width))
        return self.value / 2 * ((bell(y - places, blur) * weights) @ rows)


@dataclass
class Ellipse(Convex):
    """Of two half axes, the first one along the direction @turn."""
    value: float
    x: float
    y: float
    a: float
    b: float
    turn: float = 0

    def list_corners(self, t):
        reach = math.hypot(self.a * math.cos(t - self.turn),
                           self.b * math.sin(t - self.turn))
        middle = self.x * math.cos(t) + self.y * math.sin(t)
        return np.array([middle - reach, middle + reach])

    def cut(self, s, t):
        c, n = math.cos(t - self.turn), math.sin(t - self.turn)
        square = (self.a * c) ** 2 + (self.b * n) ** 2
        away = s - self.x * math.cos(t) - self.y * math.sin(t)
        middle = (self.y * math.cos(t) - self.x * math.sin(t)
                  + away * n * c * (self.b ** 2 - self.a ** 2) / square)
        half = (self.a * self.b / square
                * np.sqrt(np.maximum(square - away ** 2, 0)))
        return middle - half, middle + half


@dataclass
class Polygon(Convex):
    """@corners: (x, y), counter-clockwise"""
    value: float
    corners: list

    def list_corners(self, t):
        return np.array([x * math.cos(t) + y * math.sin(t)
                         for x, y in self.corners])

    def cut(self, s, t):
        first, last = np.full(s.shape, -np.inf), np.full(s.shape, np.inf)
        for (x, y), (next_x, next_y) in zip(
                self.corners, self.corners[1:] + self.corners[:1]):
            # the outside of an edge is to its right
            normal_x, normal_y = next_y - y, x - next_x
            steep = normal_y * math.cos(t) - normal_x * math.sin(t)
            if abs(steep) < 1e-9:
                continue
            u = (normal_x * (x - s * math.cos(t))
                 + normal_y * (y - s * math.sin(t))) / steep
            if steep > 0:
                last = np.minimum(last, u)
            else:
                first = np.maximum(first, u)
        return first, np.maximum(first, last)


@functools.lru_cache(maxsize=None)
def find_nodes(n):
    """Gauss's, from -pi / 2 to pi / 2"""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return math.pi / 2 * nodes, math.pi / 2 * weights


def bell(away, sigma):
    return (np.exp(-0.5 * (away / sigma) ** 2)
            / (sigma * math.sqrt(2 * math.pi)))


def make_bars(value, width, x, y, turn):
    """Returns: four bars around (x, y), their width apart and 20 columns long"""
    c, s = math.cos(turn), math.sin(turn)
    return [Polygon(value, [(x + u * c - v * s, y + u * s + v * c)
                            for u, v in ((left, -10), (left + width, -10),
                                         (left + width, 10), (left, 10))])
            for left in width * np.array([-3.5, -1.5, 0.5, 2.5])]


def project(shapes, n_cols, centre, angles, blur=1.0):
    """Returns: the sinogram, [angle][column]; @angles in radians"""
    s = np.arange(n_cols) - centre
    return sum(np.array([shape.project(s, t, blur) for t in angles])
               for shape in shapes)


def draw(shapes, n, blur=1.0, axis=None):
    """@axis: the column and row in which it is, if that is not the middle.
    Returns: the slice of n x n pixels, [row][column]"""
    x = (np.arange(n) - ((n - 1) / 2 if axis is None else axis))[None, :]
    return sum(shape.draw(x, -x.T, blur) for shape in shapes)


def project_volume(shapes, n_rows, n_cols, centre, angles, tilt):
    """Of Gaussians and an axis that leans by @tilt radians, its lower end to the
    right. Returns: [angle][row][column]"""
    col = np.arange(n_cols) - centre
    row = (np.arange(n_rows) - (n_rows - 1) / 2)[:, None]
    s = col * math.cos(tilt) - row * math.sin(tilt)
    z = col * math.sin(tilt) + row * math.cos(tilt) + (n_rows - 1) / 2
    return sum(np.array([shape.project(s, t, z=z) for t in angles])
               for shape in shapes)


def draw_volume(shapes, n_rows, n):
    """Returns: all slices of such objects, [z][row][column]"""
    x = (np.arange(n) - (n - 1) / 2)[None, :]
    return np.array([sum(shape.draw(x, -x.T, z=z) for shape in shapes)
                     for z in range(n_rows)])


# Each lies within 44 columns of the axis and has no symmetry.
OBJECTS = {
    "gaussians": [Gaussian(0.02, 6, -4, 11, 8, 0.5),
                  Gaussian(0.05, 21, 11, 4, 3, 1.2),
                  Gaussian(-0.01, -16, 13, 5, 5),
                  Gaussian(0.04, -9, -21, 3, 6, -0.3)],
    "discs": [Ellipse(0.02, 2, -3, 40, 40), Ellipse(0.03, 20, 12, 9, 9),
              Ellipse(-0.01, -17, 9, 12, 12), Ellipse(0.05, -8, -24, 4, 4)],
    "ellipses": [Ellipse(0.02, -2, 3, 38, 27, 0.6),
                 Ellipse(0.03, 14, 16, 11, 4, 2.0),
                 Ellipse(-0.02, -15, -9, 5, 12, 0.2)],
    "bars": [bar for place in ((4, -20, 16, 0), (3, 20, 16, 0.5),
                               (2.5, -18, -18, 1.3), (2, 18, -18, 0))
             for bar in make_bars(0.03, *place)],
    "wedge": [Polygon(0.03, [(-34, -11), (36, 8), (30, 21)]),
              Ellipse(0.04, -12, 20, 5, 5)],
    # heights in a detector of 40 rows
    "volume": [Gaussian(0.03, 15, 8, 6, 4, 0.4, 14, 4),
               Gaussian(0.03, -12, 14, 4, 4, 0, 22, 3),
               Gaussian(0.02, -4, -14, 5, 8, 1, 27, 5)],
}
