# Makes CALLS calls with a descriptor of the file on each of CONNECTIONS connections. Prints how many were refused when all are
# answered.
import os, pathlib, struct, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from rawbus import Bus

address, path, connections, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
file = os.open(path, os.O_RDONLY)
refused = 0


def count(kind, serial, header):
    global refused
    refused += kind == 3 and b"LimitsExceeded" in header


kept = []
for _ in range(connections):
    bus = Bus(address)
    kept.append(bus)
    for number in range(calls):
        bus.call("Open", "h", struct.pack("<I", 0), "org.example.Echo", "/org/example/Echo", "org.example.Echo", [file])
        bus.settle(handle=count)
print(refused)
time.sleep(1000)
