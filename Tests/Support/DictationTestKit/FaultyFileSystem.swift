import Glibc

/// A FUSE file system in memory, whose operations fail or wait when the test says so. Needs root.
public final class FaultyFileSystem: Sendable {
    /// Operations of the kernel's protocol, by their numbers.
    public enum Operation: Int, Sendable {
        case getAttributes = 3
        case write = 16
        case sync = 20
        case create = 35
    }

    private let place: TemporaryDirectory
    private let server: ChildProcess

    public init() async throws {
        place = try TemporaryDirectory()
        server = try ChildProcess(["/usr/bin/python3", "-c", Self.program, place.path])
        _ = try await server.line(of: .output) { $0 == "mounted" }
    }

    deinit {
        server.kill()
        umount2(place.path, Int32(MNT_DETACH))
    }

    /// Of the root folder. There are no other folders.
    public var path: String { place.path }

    /// From now on the operation fails with this `errno`; with 0 it does not.
    public func fail(_ operation: Operation, _ code: Int32) async throws {
        _ = try await answer(to: "fail \(operation.rawValue) \(code)")
    }

    /// The names of the files.
    public func names() async throws -> [String] {
        try await answer(to: "names").split(separator: " ").dropFirst(2).map(String.init)
    }

    /// From now on the server does not answer.
    public func stop() throws { try server.stop() }

    public func resume() { server.send(SIGCONT) }

    private func answer(to command: String) async throws -> String {
        let number = server.lines(of: .output).count
        try server.write("\(command)\n")
        return try await server.line(of: .output) { $0.hasPrefix("\(number) ") }
    }

    /// Speaks the kernel's protocol (linux/fuse.h) directly, so that nothing has to be installed.
    private static let program = #"""
        import ctypes, errno, os, stat, struct, sys, threading
        folder = sys.argv[1]
        libc = ctypes.CDLL(None, use_errno=True)
        device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        if libc.mount(b"test", folder.encode(), b"fuse.test", 0, options) != 0:
            sys.exit(os.strerror(ctypes.get_errno()))
        names, contents, faults = {}, {}, {}
        def command():
            number = 1
            for line in sys.stdin:
                words = line.split()
                if words[0] == "fail": faults[int(words[1])] = int(words[2])
                print(number, "done", *sorted(names) if words[0] == "names" else [], flush=True)
                number += 1
        def attributes(node):
            mode, size = (stat.S_IFDIR | 0o777, 0) if node == 1 else (stat.S_IFREG | 0o600, len(contents[node]))
            return struct.pack("<6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
        def entry(node):
            return struct.pack("<4Q2I", node, 0, 0, 0, 0, 0) + attributes(node)
        def answer(opcode, node, body):
            if opcode == 26: # INIT
                return struct.pack("<4I2H2I2H8I", 7, 31, 0, 32, 12, 10, 1 << 16, 1, 1, 0, *[0] * 8)
            if faults.get(opcode): raise OSError(faults[opcode], "")
            if opcode == 1: # LOOKUP
                name = body[:-1].decode()
                if name not in names: raise OSError(errno.ENOENT, "")
                return entry(names[name])
            if opcode == 3: return struct.pack("<QII", 0, 0, 0) + attributes(node) # GETATTR, never kept
            if opcode == 4: # SETATTR
                valid, _, _, size = struct.unpack_from("<IIQQ", body)
                if valid & 8: contents[node] = contents[node][:size].ljust(size, b"\0")
                return struct.pack("<QII", 0, 0, 0) + attributes(node)
            if opcode in (14, 27): return struct.pack("<QII", 0, 1, 0) # OPEN and OPENDIR, without cache
            if opcode == 35: # CREATE
                node = 2 + len(contents)
                names[body[16:-1].decode()], contents[node] = node, bytearray()
                return entry(node) + struct.pack("<QII", 0, 1, 0)
            if opcode == 15: # READ
                _, offset, size = struct.unpack_from("<QQI", body)
                return bytes(contents[node][offset:offset + size])
            if opcode == 16: # WRITE
                _, offset, size = struct.unpack_from("<QQI", body)
                content = contents[node].ljust(offset, b"\0")
                content[offset:offset + size] = body[40:40 + size]
                contents[node] = content
                return struct.pack("<II", size, 0)
            if opcode == 10: # UNLINK; open files keep their content
                del names[body[:-1].decode()]
                return b""
            if opcode in (18, 20, 29, 30): return b"" # RELEASE, FSYNC, RELEASEDIR, FSYNCDIR
            raise OSError(errno.ENOSYS, "")
        print("mounted", flush=True)
        threading.Thread(target=command, daemon=True).start()
        while True:
            try: request = os.read(device, 1 << 18)
            except OSError: break
            size, opcode, unique, node = struct.unpack_from("<IIQQ", request)
            if opcode in (2, 36, 42): continue # FORGET and INTERRUPT have no reply
            try: body, error = answer(opcode, node, request[40:size]), 0
            except OSError as fault: body, error = b"", -fault.errno
            try: os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
            except OSError: pass # The request was interrupted.
        """#
}
