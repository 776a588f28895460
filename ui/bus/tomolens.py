"""Drives the window of Tomolens from Python.

    import tomolens

    window = tomolens.Window()
    window.open("scan.h5")
    window.set(centre=1023.25, filter="hann")
    picture = window.read()
    print(picture.pixels.mean(), picture.recipe)

The window has to be open, or installed so that the session bus can start it.
Parameters have the names of a recipe, with _ in place of -. Pixels come in
shared memory, as a NumPy array that cannot be written to.

Needs Python 3.9, PyGObject and, for pixels, NumPy. This file can be copied to
where a script is.
"""

from __future__ import annotations

import mmap
import numbers
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from gi.repository import Gio, GLib

if TYPE_CHECKING:
    import numpy

__all__ = ["Error", "Picture", "Window"]

NAME = "org.tomolens.Tomolens"
PATH = "/org/tomolens/Tomolens"
ACTIONS = "org.gtk.Actions"
SCRIPT = NAME + ".Script"

Value = Union[bool, int, float, str]


class Error(RuntimeError):
    """What the window refuses or cannot do, in its own words; or that there is
    no window."""


class Picture(NamedTuple):
    """A finished picture.

    pixels: [rows, columns] of float32, shared with nobody who could change them
    kind: "slice", "sinogram", "projection" or "overlay"
    values: what the pixels mean
    scan: the file, or the address from which it came
    recipe: all parameters that made it, as the text of a recipe
    """
    pixels: numpy.ndarray
    kind: str
    values: str
    scan: str
    recipe: str


class Window:
    """The open window. Each method but set() and activate() returns when the
    window has done what it was asked for."""

    def __init__(self, timeout_s: float = 600):
        """@timeout_s: how long one call may take"""
        self._timeout_ms = round(1000 * timeout_s)
        try:
            self._bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        except GLib.Error as error:
            raise Error(f"there is no session bus: {error.message}") from None
        self._list_actions()

    def open(self, name: str | os.PathLike[str], **places: str) -> None:
        """Opens a scan or a recipe, and waits for its first picture. The axis
        is searched then, and read() waits for that, too.

        @places: where its parts are, if the file does not say it: data_path,
        flats_path, projections and so on, as in a recipe
        """
        text = os.fspath(name)
        if "://" not in text:
            text = os.path.abspath(text)
        self._call(SCRIPT, "Open", GLib.Variant(
            "(sa{ss})", (text, _with_dashes(places))))

    def set(self, **values: Value) -> None:
        """Sets parameters, all or none. Does not wait for the picture."""
        known = self.parameters()
        variants = {key: _make_variant(key, value, known.get(key))
                    for key, value in _with_dashes(values).items()}
        self._call(SCRIPT, "Set", GLib.Variant("(a{sv})", (variants,)))

    def parameters(self) -> dict[str, Value]:
        """Returns the state of all parameters and other actions that have one,
        by their names in a recipe."""
        return {name: state[0] for name, (_, _, state)
                in self._list_actions().items() if state}

    def read(self) -> Picture:
        """Waits until the picture that is shown is finished, and reads it."""
        import numpy as np
        reply, files = self._call(SCRIPT, "ReadPicture", None)
        index, facts = reply
        shape = facts["rows"], facts["columns"]
        file = files.get(index)
        try:
            memory = mmap.mmap(file, 4 * shape[0] * shape[1],
                               prot=mmap.PROT_READ)
        finally:
            os.close(file)
        pixels = np.frombuffer(memory, np.float32).reshape(shape)
        return Picture(pixels, facts["picture"], facts["values"], facts["scan"],
                       facts["recipe"])

    def show(self, kind: str, projection: int | None = None) -> None:
        """Shows a picture, which read() then reads: "slice", "sinogram" or
        "projection", whose number in the file can be given."""
        self._change("view", GLib.Variant("s", kind))
        if projection is not None:
            self._change("projection", GLib.Variant("u", projection))
        if self.parameters()["view"] != kind:
            raise Error(f'there is no picture "{kind}" to show')

    def activate(self, name: str, value: Any = None) -> None:
        """Activates any action, as "undo" or "hold"."""
        actions = self._list_actions()
        if name not in actions:
            raise Error(f'there is no action "{name}"')
        signature = actions[name][1]
        wanted = [] if value is None else [GLib.Variant(signature, value)]
        self._call(ACTIONS, "Activate",
                   GLib.Variant("(sava{sv})", (name, wanted, {})))

    def actions(self) -> list[str]:
        """Returns the names of all actions."""
        return sorted(self._list_actions())

    def _change(self, name: str, value: GLib.Variant) -> None:
        self._call(ACTIONS, "SetState",
                   GLib.Variant("(sva{sv})", (name, value, {})))

    def _list_actions(self) -> dict[str, tuple[bool, str, list[Any]]]:
        """Returns for each: whether it is possible now, the type that it takes,
        and its state, if it has one"""
        reply, _ = self._call(ACTIONS, "DescribeAll", None)
        actions: dict[str, tuple[bool, str, list[Any]]] = reply[0]
        return actions

    def _call(self, interface: str, method: str, arguments: GLib.Variant | None
              ) -> tuple[Any, Any]:
        try:
            reply, files = self._bus.call_with_unix_fd_list_sync(
                NAME, PATH, interface, method, arguments, None,
                Gio.DBusCallFlags.NONE, self._timeout_ms, None, None)
        except GLib.Error as error:
            raise Error(_explain(error)) from None
        return reply.unpack(), files


def _with_dashes(words: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "-"): value for key, value in words.items()}


def _make_variant(key: str, value: Value, present: Value | None
                  ) -> GLib.Variant:
    """@present: what the parameter is now; None: not known. Numbers may be
    those of NumPy."""
    if isinstance(value, (bool, str)):
        return GLib.Variant("b" if isinstance(value, bool) else "s", value)
    try:
        if isinstance(value, numbers.Integral) \
                and not isinstance(present, float):
            return GLib.Variant("u", int(value))
        if isinstance(value, numbers.Real):
            return GLib.Variant("d", float(value))
    except OverflowError:
        pass
    raise Error(f"{key}: {value!r} is no value of a parameter")


def _explain(error: GLib.Error) -> str:
    name = Gio.DBusError.get_remote_error(error)
    if name == NAME + ".Error":
        return str(error.message).removeprefix(f"GDBus.Error:{name}: ")
    if name in ("org.freedesktop.DBus.Error.ServiceUnknown",
                "org.freedesktop.DBus.Error.NameHasNoOwner"):
        return "no window of Tomolens is open, and the bus cannot start one"
    if name in ("org.freedesktop.DBus.Error.NoReply",
                "org.freedesktop.DBus.Error.UnknownMethod"):
        return "the window was closed"
    return str(error.message)
