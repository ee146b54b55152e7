# One client that does what it can to delay the service: attacks.py ADDRESS ATTACK. Prints "ready" when it begins, and goes on
# until it is killed. It speaks the protocol of the bus itself, because libraries refuse some of these messages.
import os, struct, sys, threading

from rawbus import DICTATION, SERVICE, Bus, entries, lingering, pad, small_listener, string

PERMISSIONS, AGENTS = DICTATION + ".Permissions", DICTATION + ".AgentManager"


def flood(bus, call, window):
    while True:
        call(bus)
        bus.settle(window)


def attack_linger(bus):
    listener = small_listener()
    peers = []

    def call(bus):
        # Now and then the bus's own close is the last one. Then the bus itself answers nobody for so long.
        client, peer = lingering(listener, seconds=2)
        peers.append(peer)
        bus.call("Start", "a{sv}", entries({"record": ("h", 0)}), descriptors=[client.detach()], gives=True)
        bus.settle()
        if len(peers) > 200:
            peers.pop(0).close()

    flood(bus, call, 0)


def attack_descriptors(bus):
    null = os.open("/dev/null", os.O_RDONLY)
    body = entries({"record": ("h", 0), "a": ("h", 1), "b": ("h", 2), "c": ("h", 3)})
    flood(bus, lambda bus: bus.call("Start", "a{sv}", body, descriptors=[null] * 4), 64)


def attack_list(bus):
    length, count = 4000, 1000
    for number in range(count):
        marks = list("\u0301\u0323" * (length // 4))
        marks[number * 37 % (len(marks) - 2)] = "\u0316"
        marks[number * 7 % (len(marks) - 2)] = "\u0317"
        client = entries({"kind": "executable", "id": "/" + "".join(marks)})
        body = pad(client, 4) + string("microphone")
        bus.call("Set", "a{sv}ss", pad(body, 4) + string("denied"), interface=PERMISSIONS)
        bus.settle(32)
    bus.settle()
    print("ready", flush=True)
    flood(bus, lambda bus: bus.call("List", interface=PERMISSIONS), 1)


def request_permission(bus):
    array_ = string("microphone")
    body = pad(struct.pack("<I", len(array_)) + array_, 4) + struct.pack("<I", 0)
    bus.call("RequestPermission", "asa{sv}", pad(body, 8))


def attack_requests(bus):
    flood(bus, request_permission, 256)


def attack_questions(bus):
    agent = Bus(sys.argv[1])
    capabilities = string("prompt")
    body = pad(string("/agent"), 4) + struct.pack("<I", len(capabilities)) + capabilities
    agent.call("Register", "oasa{sv}", pad(pad(body, 4) + struct.pack("<I", 0), 8), interface=AGENTS)

    def dismiss(kind, serial, header):
        if kind == 1 and b"RequestPermission" in header:
            agent.answer(serial, SERVICE, "s", string(""))

    def serve():
        while True:
            agent.read(dismiss)

    threading.Thread(target=serve, daemon=True).start()
    flood(bus, request_permission, 0)


def attack_calls(bus):
    flood(bus, lambda bus: bus.call("GetSession"), 200)


def attack_words(bus):
    body = entries({"vocabulary": [f"w{number:05}" for number in range(16000)]})
    flood(bus, lambda bus: bus.call("Start", "a{sv}", body), 64)


def attack_path(bus):
    path = "/" + "/".join(["a" * 1000] * ((30 << 20) // 1001))
    flood(bus, lambda bus: bus.call("GetSession", path=path), 2)


def attack_body(bus):
    body = string(b"x" * (30 << 20))
    flood(bus, lambda bus: bus.call("SelectRoute", "s", body), 2)


def attack_cycles(bus):
    def cycle(bus):
        bus.call("Start", "a{sv}", entries({}))
        bus.call("Stop")

    flood(bus, cycle, 200)


def attack_subscriptions(bus):
    others = []
    while True:
        other = Bus(sys.argv[1])
        other.call("Subscribe", "a{sv}", entries({}))
        others.append(other)
        if len(others) > 100:
            others.pop(0).socket.close()


attack = globals()["attack_" + sys.argv[2]]
client = Bus(sys.argv[1])
if sys.argv[2] != "list":
    print("ready", flush=True)
attack(client)
