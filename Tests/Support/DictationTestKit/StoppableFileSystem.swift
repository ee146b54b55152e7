import Glibc

/// A FUSE file system with one file, served by a process that a test can stop: access to the file then blocks. Needs
/// root.
public final class StoppableFileSystem: Sendable {
    private let folder: TemporaryDirectory
    private let server: ChildProcess

    /// - Parameters:
    ///   - content: the path of the file's content.
    ///   - process: one that waits when it closes the file, until this object is released.
    public init(serving content: String, holdingClosesOf process: Int32? = nil) async throws {
        folder = try TemporaryDirectory()
        server = try ChildProcess([
            "/usr/bin/python3", "-c", Self.program, folder.path, content, "\(process ?? 0)",
        ])
        _ = try await server.line(of: .output) { $0 == "mounted" }
        // Tells the kernel that closing needs no answer.
        if process == nil { close(open(path, O_RDONLY | O_CLOEXEC)) }
    }

    deinit {
        server.kill()
        umount2(folder.path, Int32(MNT_DETACH))
    }

    public var path: String { folder.path(of: "file") }

    /// From now on the server does not answer.
    public func stop() throws { try stopProcess(server.pid) }

    public func resume() { kill(server.pid, SIGCONT) }

    /// Speaks the kernel's protocol (linux/fuse.h) directly, so that nothing has to be installed.
    private static let program = #"""
        import ctypes, errno, os, stat, struct, sys
        folder, content, held = sys.argv[1], open(sys.argv[2], "rb").read(), int(sys.argv[3])
        def process(thread):
            try: status = open(f"/proc/{thread}/status").read()
            except OSError: return 0
            return int(status.split("Tgid:")[1].split()[0])
        libc = ctypes.CDLL(None, use_errno=True)
        device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if libc.mount(b"test", folder.encode(), b"fuse.test", 0, options) != 0:
            sys.exit(os.strerror(ctypes.get_errno()))
        def attributes(node):
            mode, size = (stat.S_IFDIR | 0o755, 0) if node == 1 else (stat.S_IFREG | 0o444, len(content))
            return struct.pack("<6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
        def entry(node):
            return struct.pack("<4Q2I", node, 0, 0, 0, 0, 0) + attributes(node)
        while True:
            try: request = os.read(device, 1 << 17)
            except OSError: break
            _, opcode, unique, node, _, _, thread = struct.unpack_from("<IIQQIII", request)
            body, error = b"", 0
            if opcode == 26: # INIT
                body = struct.pack("<4I2H2I2H8I", 7, 31, 0, 0, 12, 10, 4096, 1, 1, 0, *[0] * 8)
                print("mounted", flush=True)
            elif opcode == 1: body = entry(2) # LOOKUP
            elif opcode == 3: body = struct.pack("<QII", 0, 0, 0) + attributes(node) # GETATTR, never kept
            elif opcode in (14, 27): body = struct.pack("<QII", 0, 1, 0) # OPEN and OPENDIR, without cache
            elif opcode == 15: # READ
                _, offset, size = struct.unpack_from("<QQI", request, 40)
                body = content[offset:offset + size]
            elif opcode in (18, 29): pass # RELEASE
            elif opcode == 25 and held: # FLUSH, which is asked again only if it is answered
                if process(thread) == held: continue
            elif opcode in (2, 36, 42): continue # FORGET and INTERRUPT have no reply
            else: error = -errno.ENOSYS # FLUSH: the kernel does not ask again
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        """#
}
