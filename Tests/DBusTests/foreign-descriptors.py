# Calls org.example.Echo.MEMBER on the object PATH with DESCRIPTORS files or lingering sockets, of which the values name NAMED.
# Prints "ready", waits for a line, makes the call, and closes its own copies. With files it prints the answer; with sockets it
# prints "left" when the bus has no copies either, and waits for another line.
import os, pathlib, struct, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from rawbus import Bus, lingering, small_listener

address, bus_pid, path, member, kind, descriptors, named = *sys.argv[1:6], int(sys.argv[6]), int(sys.argv[7])
bus = Bus(address)
if kind == "sockets":
    listener = small_listener()
    pairs = [lingering(listener) for _ in range(descriptors)]
    numbers = [client.detach() for client, _ in pairs]
else:
    numbers = [os.open("/dev/null", os.O_RDONLY) for _ in range(descriptors)]
files = {os.readlink(f"/proc/self/fd/{number}") for number in numbers}


def bus_has_copies():
    folder = f"/proc/{bus_pid}/fd"
    for number in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{number}") in files:
                return True
        except FileNotFoundError:
            pass
    return False


answers = []
print("ready", flush=True)
sys.stdin.readline()
body = b"".join(struct.pack("<I", index) for index in range(named))
bus.call(member, "h" * named, body, "org.example.Echo", path, "org.example.Echo", numbers)
# Not the last ones: the message is on its way.
for number in numbers:
    os.close(number)
if kind == "sockets":
    # The bus answers this after it has sent the call on.
    bus.call("GetId", to="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus")
    bus.settle(most=1)
    while bus_has_copies():
        time.sleep(0.005)
    print("left", flush=True)
    # The receiving ends live longer than the call.
    sys.stdin.readline()
else:
    bus.settle(handle=lambda kind, serial, header: answers.append(header if kind == 3 else b"reply"))
    print(answers[0].decode(errors="replace").replace("\0", " "), flush=True)
