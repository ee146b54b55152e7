"""Sends mutated calls of org.example.Dictation on raw sockets.

    mutated-messages.py ADDRESS COUNT

The bus drops a connection at the first message that is not valid, and passes on those that still are.
"""
import os
import random
import select
import socket
import struct
import sys

address, count = sys.argv[1], int(sys.argv[2])
path = dict(p.split("=", 1) for p in address.split(":", 1)[1].split(","))["path"]
seed = random.randrange(1 << 32)
rng = random.Random(seed)


def field(code, signature, value):
    if signature == "g":
        return struct.pack("<BB", code, 1) + b"g\0" + struct.pack("<B", len(value)) + value + b"\0"
    return struct.pack("<BB", code, 1) + signature.encode() + b"\0" + struct.pack("<I", len(value)) + value + b"\0"


def message(serial, destination, path, interface, member, signature="", body=b""):
    fields = b""
    parts = [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)]
    for code, kind, value in parts + ([(8, "g", signature)] if signature else []):
        fields += b"\0" * (-len(fields) % 8) + field(code, kind, value.encode())
    head = struct.pack("<BBBBIII", ord("l"), 1, 0, 1, len(body), serial, len(fields)) + fields
    return head + b"\0" * (-len(head) % 8) + body


def text(value):
    return struct.pack("<I", len(value)) + value + b"\0"


def options(entries):
    """An a{sv} at a multiple of 8, of strings."""
    content = b""
    for key, value in entries:
        content += b"\0" * (-len(content) % 8) + text(key) + b"\1s\0"
        content += b"\0" * (-len(content) % 4) + text(value)
    return struct.pack("<I", len(content)) + b"\0" * 4 + content


NAME, OBJECT = "org.example.Dictation", "/org/example/Dictation"
BUS = "org.freedesktop.DBus"
CALLS = [
    ("Start", "a{sv}", options([(b"language", b"en-US"), (b"engine", b"none")])),
    ("Subscribe", "a{sv}", options([(b"text", b"yes")])),
    ("SelectRoute", "sa{sv}", text(b"abc") + options([(b"key", b"value")])),
    ("GetSession", "", b""),
    ("Commit", "", b""),
]


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(path)
    connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    connection.recv(100)
    connection.sendall(b"BEGIN\r\n" + message(1, BUS, "/org/freedesktop/DBus", BUS, "Hello"))
    connection.recv(4096)
    return connection


def mutated(serial):
    member, signature, body = rng.choice(CALLS)
    data = bytearray(message(serial, NAME, OBJECT, NAME, member, signature, body))
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        # Not the length of the body, which would have the bus wait for more.
        place = rng.randrange(16, len(data))
        data[place] = rng.choice([0, 0xFF, data[place] ^ (1 << rng.randrange(8)), rng.randrange(256)])
    return bytes(data)


dropped = 0
sent = 0
connection = connect()
while sent < count:
    sent += 1
    try:
        connection.sendall(mutated(sent + 1))
        while select.select([connection], [], [], 0)[0]:
            if not connection.recv(65536):
                raise ConnectionResetError
    except (ConnectionResetError, BrokenPipeError):
        dropped += 1
        connection.close()
        connection = connect()
print(f"{sent} mutated messages, {dropped} times dropped, seed {seed}")
