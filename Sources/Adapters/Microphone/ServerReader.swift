internal import CLinux
internal import DictationCore
internal import EventLoop
internal import Glibc

/// Reads the messages of an ``UntrustedServer`` on a thread of its own, one after the other, and checks their descriptors.
final class ServerReader: Sendable {
    typealias Receive = @EventLoopActor (Result<SocketMessage, any Error>) -> Void

    private struct State {
        var receive: Receive?
        var wantsNext = true
        var hasEnded = false
        /// Nil before the socket was looked at.
        var isUnixStream: Bool?
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Lock(State())
    private let signal: InputSignal

    /// More than twenty capture streams need.
    private static let usualDescriptors = 512
    /// Descriptors that other users can still open while one server sends more than usual.
    private static let spareDescriptors = 256

    /// - Parameter lease: released when the thread has ended.
    init(_ server: Descriptor, lease: (any Sendable)?) throws(EventLoopError) {
        signal = try InputSignal()
        try OwnThread.start("audio-server") { [self] in
            examine(server)
            read(server)
            withExtendedLifetime(lease) {}
        }
    }

    /// Whether the descriptor is a Unix stream socket.
    var isUnixStream: Bool {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Bool? in
                    if state.isUnixStream == nil { state.waiting = continuation }
                    return state.isUnixStream
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// - Parameter receive: called with the next message after this and after each ``readNext()``, or with the end of the
    ///   connection.
    func begin(_ receive: @escaping Receive) {
        change { $0.receive = receive }
    }

    func readNext() {
        change { $0.wantsNext = true }
    }

    func end() {
        change { state in
            state.hasEnded = true
            state.receive = nil
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        signal.send()
    }

    // MARK: On the thread

    private func examine(_ server: Descriptor) {
        let isUnixStream =
            server.socketOption(SO_DOMAIN) == AF_UNIX
            && server.socketOption(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
        let waiting = state.withLock { state in
            state.isUnixStream = isUnixStream
            return state.waiting.take()
        }
        waiting?.resume(returning: isUnixStream)
    }

    private func read(_ server: Descriptor) {
        var received = 0
        while true {
            let (receive, hasEnded) = state.withLock { state in
                (state.wantsNext ? state.receive : nil, state.hasEnded)
            }
            if hasEnded { return }
            guard let receive else {
                signal.wait()
                continue
            }
            guard signal.waitForInput(on: server.rawValue) else { continue }
            do {
                guard let message = try SocketMessage(from: server) else { continue }
                received += message.descriptors.count
                try check(message.descriptors, received: received)
                state.withLock { $0.wantsNext = false }
                EventLoopActor.execute { receive(.success(message)) }
            } catch {
                return EventLoopActor.execute { receive(.failure(error)) }
            }
        }
    }

    private func check(_ descriptors: [Descriptor], received: Int) throws {
        guard !descriptors.isEmpty else { return }
        guard descriptors.allSatisfy({ $0.isMemory || $0.isEventFD }) else {
            throw MicrophoneError(
                .disconnected, message: "it sent a descriptor that is neither memory nor an eventfd")
        }
        // libpipewire keeps them as long as the server wants.
        if received > Self.usualDescriptors, !Descriptor.canOpen(Self.spareDescriptors) {
            throw MicrophoneError(.disconnected, message: "it sent too many descriptors")
        }
    }
}

extension Descriptor {
    fileprivate var isMemory: Bool { dictation_linux_is_memory(rawValue) }

    /// It cannot be mapped.
    fileprivate var isEventFD: Bool {
        var target = [UInt8](repeating: 0, count: 64)
        let length = target.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink("/proc/self/fd/\(rawValue)", $0, buffer.count) } ?? -1
        }
        return length > 0 && String(decoding: target.prefix(length), as: UTF8.self) == "anon_inode:[eventfd]"
    }
}
