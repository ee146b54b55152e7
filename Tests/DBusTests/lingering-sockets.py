# Calls org.example.Echo.MEMBER with DESCRIPTORS files or lingering sockets, of which the values name NAMED, and prints the
# answer. The process that sends them has closed its own copies before they are received.
import array, os, socket, struct, sys, time

address, member, kind, descriptors, named = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
path = [part[5:] for part in address.split(":", 1)[1].split(",") if part.startswith("path=")][0]


def lingering(listener):
    client = socket.socket()
    client.connect(listener.getsockname())
    peer, _ = listener.accept()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 60))
    client.setblocking(False)
    try:
        while True:
            client.send(b"x" * 65536)
    except BlockingIOError:
        pass
    return client, peer


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def message(serial, destination, path, interface, member, signature="", body=b"", count=0):
    fields = b""
    for code, kind, value in (
        (1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination), (8, "g", signature),
        (9, "u", count),
    ):
        if not value:
            continue
        fields = pad(fields, 8) + bytes([code, 1]) + kind.encode() + b"\0"
        if kind == "g":
            fields += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "u":
            fields = pad(fields, 4) + struct.pack("<I", value)
        else:
            fields = pad(fields, 4) + struct.pack("<I", len(value)) + value.encode() + b"\0"
    header = b"l" + bytes([1, 0, 1]) + struct.pack("<III", len(body), serial, len(fields)) + fields
    return pad(header, 8) + body


bus = socket.socket(socket.AF_UNIX)
bus.connect(path)
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
bus.recv(4096)
bus.sendall(b"NEGOTIATE_UNIX_FD\r\n")
bus.recv(4096)
bus.sendall(b"BEGIN\r\n" + message(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"))
time.sleep(0.1)
bus.recv(1 << 16)

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
listener.bind(("127.0.0.1", 0))
listener.listen(256)
pairs = [lingering(listener) for _ in range(descriptors)] if kind == "sockets" else []
numbers = [client.fileno() for client, _ in pairs] or [os.open("/dev/null", os.O_RDONLY)] * descriptors
signature = "h" * named
call = message(
    2, "org.example.Echo", "/org/example/Echo", "org.example.Echo", member, signature,
    b"".join(struct.pack("<I", index) for index in range(named)), descriptors)
# The bus keeps an incomplete message's descriptors, so that those of this process are not the last when they are closed.
rights = array.array("i", numbers)
bus.sendmsg([call[:40]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
time.sleep(0.2)
for client, _ in pairs:
    client.close()
bus.sendall(call[40:])
# The receiving ends live a little longer than the call.
if os.fork() == 0:
    os.close(1)
    os.close(2)
    time.sleep(30)
    os._exit(0)
answer = bus.recv(1 << 16)
print("reply" if answer[1:2] == b"\2" else answer.decode(errors="replace").replace("\0", " "))
