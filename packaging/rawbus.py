# The protocol of the bus, for scripts that send messages which libraries refuse.
import array, os, select, socket, struct, sys, time

SERVICE, PATH, DICTATION = "org.example.Dictation", "/org/example/Dictation", "org.example.Dictation"


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def string(text):
    text = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<I", len(text)) + text + b"\0"


def entries(values):
    """A dictionary a{sv}: of booleans, descriptor indices (("h", n)), strings and lists of strings."""
    body = b""
    for key, value in values.items():
        body = pad(body, 8) + string(key)
        if isinstance(value, bool):
            body = pad(body + b"\x01b\0", 4) + struct.pack("<I", value)
        elif isinstance(value, tuple):
            body = pad(body + b"\x01h\0", 4) + struct.pack("<I", value[1])
        elif isinstance(value, list):
            words = b""
            for word in value:
                words = pad(words, 4) + string(word)
            body = pad(body + b"\x02as\0", 4) + struct.pack("<I", len(words)) + words
        else:
            body = pad(body + b"\x01s\0", 4) + string(value)
    return struct.pack("<I", len(body)) + b"\0" * 4 + body


class Bus:
    """A connection. Calls go to the service's main interface unless they say otherwise."""

    def __init__(self, address):
        path = [part[5:] for part in address.split(":", 1)[1].split(",") if part.startswith("path=")][0]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        uid = str(os.getuid()).encode().hex().encode()
        for line in (b"\0AUTH EXTERNAL " + uid, b"NEGOTIATE_UNIX_FD"):
            self.socket.sendall(line + b"\r\n")
            self.socket.recv(4096)
        self.socket.sendall(b"BEGIN\r\n")
        self.serial, self.buffer, self.open = 0, b"", 0
        self.call("Hello", "", b"", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        self.settle()

    def message(self, kind, fields, body):
        self.serial += 1
        packed = b""
        for code, type_, value in fields:
            packed = pad(packed, 8) + bytes([code, 1]) + type_.encode() + b"\0"
            if type_ == "g":
                packed += bytes([len(value)]) + value.encode() + b"\0"
            elif type_ == "u":
                packed = pad(packed, 4) + struct.pack("<I", value)
            else:
                packed = pad(packed, 4) + string(value)
        header = b"l" + bytes([kind, 0, 1]) + struct.pack("<III", len(body), self.serial, len(packed)) + packed
        return pad(header, 8) + body

    def call(self, member, signature="", body=b"", to=SERVICE, path=PATH, interface=DICTATION, descriptors=(), gives=False):
        """With `gives` it closes its own descriptors when the bus has them, so that those of the service are the last."""
        fields = [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", to)]
        if signature:
            fields.append((8, "g", signature))
        if descriptors:
            fields.append((9, "u", len(descriptors)))
        data = self.message(1, fields, body)
        self.open += 1
        if descriptors:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
            sent = self.socket.sendmsg([data[:64]], rights)
            data = data[sent:]
            if gives:
                time.sleep(0.02)
                for descriptor in descriptors:
                    os.close(descriptor)
        while data:
            readable, writable, _ = select.select([self.socket], [self.socket], [], 60)
            if writable:
                data = data[self.socket.send(data[: 1 << 18]) :]
            elif readable:
                self.read()

    def answer(self, serial, to, signature, body):
        self.socket.sendall(self.message(2, [(5, "u", serial), (6, "s", to), (8, "g", signature)], body))

    def read(self, handle=None):
        """Counts replies, and calls `handle` with the type, the serial and the header of calls and replies."""
        data = self.socket.recv(1 << 18)
        if not data:
            sys.exit(0)
        self.buffer += data
        while len(self.buffer) >= 16:
            body, serial, fields = struct.unpack("<III", self.buffer[4:16])
            length = 16 + fields + -fields % 8 + body
            if len(self.buffer) < length:
                return
            kind, header = self.buffer[1], self.buffer[16 : 16 + fields]
            self.buffer = self.buffer[length:]
            if kind in (2, 3):
                self.open -= 1
            if kind in (1, 2, 3) and handle:
                handle(kind, serial, header)

    def settle(self, most=0, handle=None):
        """Reads until at most so many calls are unanswered."""
        while self.open > most:
            self.read(handle)


def small_listener():
    """Takes connections that are soon full."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    return listener


def lingering(listener, seconds=60):
    """A connected socket whose last close takes so long, and its other end."""
    client = socket.create_connection(listener.getsockname())
    peer, _ = listener.accept()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, seconds))
    client.setblocking(False)
    try:
        while True:
            client.send(b"x" * 65536)
    except BlockingIOError:
        return client, peer
