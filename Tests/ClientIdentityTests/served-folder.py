"""Mounts a folder with one program, as an AppImage does, and serves it until it is killed.

served-folder.py FOLDER NAME PROGRAM mounts a file system of this name at FOLDER. It contains a copy of PROGRAM, which is
called "program". Prints "mounted". Speaks the kernel's protocol: linux/fuse.h, version 7.31.
"""
import ctypes
import errno
import os
import stat
import struct
import sys

FOLDER, NAME, PROGRAM = sys.argv[1:]
CONTENTS = open(PROGRAM, "rb").read()
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, OPENDIR, BATCH_FORGET = 1, 2, 3, 14, 15, 18, 25, 26, 27, 42
READ_ONLY_NOSUID_NODEV = 1 | 2 | 4


def attributes(node):
    is_folder = node == 1
    mode = (stat.S_IFDIR if is_folder else stat.S_IFREG) | 0o555
    size = 0 if is_folder else len(CONTENTS)
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def reply(request, node, body):
    """The result of a request, or the number of an error."""
    if request == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, *[0] * 8)
    if request == LOOKUP:
        if body != b"program\0":
            return errno.ENOENT
        return struct.pack("<4Q2I", 2, 1, 1, 1, 0, 0) + attributes(2)
    if request == GETATTR:
        return struct.pack("<QII", 1, 0, 0) + attributes(node)
    if request in (OPEN, OPENDIR):
        return struct.pack("<QII", 1, 0, 0)
    if request == READ:
        offset, size = struct.unpack_from("<QI", body, 8)
        return CONTENTS[offset:offset + size]
    if request in (RELEASE, FLUSH):
        return b""
    return errno.ENOSYS


device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(NAME.encode(), FOLDER.encode(), f"fuse.{NAME}".encode(), READ_ONLY_NOSUID_NODEV, options.encode()):
    sys.exit(os.strerror(ctypes.get_errno()))
print("mounted", flush=True)
while True:
    try:
        message = os.read(device, 1 << 20)
    except OSError:
        break
    _, request, unique, node = struct.unpack_from("<IIQQ", message)
    if request in (FORGET, BATCH_FORGET):
        continue
    result = reply(request, node, message[40:])
    error, result = (result, b"") if isinstance(result, int) else (0, result)
    os.write(device, struct.pack("<IiQ", 16 + len(result), -error, unique) + result)
