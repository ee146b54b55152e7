public import EventLoop
internal import Glibc

/// Reads a pipe that another program writes.
@EventLoopActor
public final class PipeReader {
    private var bytes: [UInt8] = []
    private var isAtEnd = false
    private let descriptor: Descriptor
    private var watch: EventLoop.Watch?
    private let waiter = ChangeWaiter()

    private init(_ descriptor: Descriptor) throws(EventLoopError) {
        self.descriptor = descriptor
        _ = fcntl(descriptor.rawValue, F_SETFL, O_NONBLOCK)
        watch = try EventLoopActor.watch(descriptor.rawValue, for: .readable) { [weak self] _ in
            self?.read()
        }
    }

    /// All that is written until the end; nil if it is longer than the limit, or takes longer than the timeout.
    public static func contents(of descriptor: Descriptor, limit: Int, timeout: Duration) async -> [UInt8]? {
        guard let reader = try? PipeReader(descriptor) else { return nil }
        _ = await reader.waiter.wait(within: timeout) { reader.isAtEnd || reader.bytes.count > limit }
        return reader.isAtEnd && reader.bytes.count <= limit ? reader.bytes : nil
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(descriptor.rawValue, &buffer, buffer.count)
        if count > 0 {
            bytes += buffer.prefix(count)
        } else if count == 0 || errno != EAGAIN {
            isAtEnd = true
            watch.take()?.cancel()
        }
        waiter.resume()
    }

    isolated deinit { watch?.cancel() }
}

/// Writes into a pipe or socket of another program, which may read slowly or never. The process must ignore SIGPIPE.
@EventLoopActor
public final class PipeWriter {
    private var rest: ArraySlice<UInt8>
    private let descriptor: Descriptor
    private var watch: EventLoop.Watch?
    private var deadline: EventLoop.Timer?
    private let onEnd: @EventLoopActor () -> Void

    private static let timeout = Duration.seconds(10)

    /// - Parameter onEnd: called when all is written or nothing more can be. Not called if this returns nil.
    public init?(_ bytes: [UInt8], to descriptor: Descriptor, onEnd: @escaping @EventLoopActor () -> Void) {
        rest = bytes[...]
        self.descriptor = descriptor
        self.onEnd = onEnd
        // Writing a file could block.
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0,
            [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return nil }
        _ = fcntl(descriptor.rawValue, F_SETFL, O_NONBLOCK)
        watch = try? EventLoopActor.watch(descriptor.rawValue, for: .writable) { [weak self] _ in
            self?.write()
        }
        guard watch != nil else { return nil }
        deadline = EventLoopActor.schedule(after: Self.timeout) { [weak self] in self?.end() }
    }

    private func write() {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
        if count >= 0 { rest = rest.dropFirst(count) }
        if rest.isEmpty || count < 0 && errno != EAGAIN { end() }
    }

    private func end() {
        guard let watch = watch.take() else { return }
        watch.cancel()
        deadline?.cancel()
        onEnd()
    }

    isolated deinit {
        watch?.cancel()
        deadline?.cancel()
    }
}
