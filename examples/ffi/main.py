# SPDX-License-Identifier: MIT
"""Regions in Python, by means of ctypes: main.py LIBRARY"""
import contextlib
import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1])


class Frame(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 4)]


for name, result, arguments in (
    ("selfmon_region", ctypes.c_void_p, [ctypes.c_char_p]),
    ("selfmon_enter", None, [ctypes.c_void_p, ctypes.POINTER(Frame)]),
    ("selfmon_leave", None, [ctypes.POINTER(Frame)]),
    ("selfmon_region_bytes", None, [ctypes.c_uint64]),
    ("selfmon_region_items", None, [ctypes.c_uint64]),
    ("selfmon_region_ticks", ctypes.c_uint64, []),
    ("selfmon_region_name", ctypes.c_char_p, [ctypes.c_void_p]),
):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


@contextlib.contextmanager
def region(handle):
    frame = Frame()
    lib.selfmon_enter(handle, frame)
    try:
        yield
    finally:
        lib.selfmon_leave(frame)


def visit(handle, depth):
    with region(handle):
        lib.selfmon_region_bytes(8)
        lib.selfmon_region_items(1)
        if depth > 1:
            visit(handle, depth - 1)


outer = lib.selfmon_region(b"outer")
inner = lib.selfmon_region(b"inner")
ticks = 0
for _ in range(100):
    with region(outer):
        visit(inner, 3)
        ticks += lib.selfmon_region_ticks()
assert ticks > 0
assert lib.selfmon_region_name(outer) == b"outer"
