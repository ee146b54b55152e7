import DictationCore
import NIOCore
import NIOPosix

/// One passage on a connection of its own. Calls may come from any thread; everything happens on the connection's event
/// loop.
final class WyomingStream: PassageStream {
    /// How long to wait for `transcript` after `transcript-stop`.
    static let lastMessageTimeout = TimeAmount.milliseconds(300)
    /// Between two partials. Those that come faster are merged.
    static let partialInterval = TimeAmount.milliseconds(50)
    /// From a `pong` to the next `ping`.
    static let pingInterval = TimeAmount.milliseconds(150)
    /// Samples that may follow sound that the engine has not taken: 2 s.
    static let unsentLimit = 32_000

    private let loop: any EventLoop
    private let passage: NIOLoopBoundBox<Passage>

    /// - Parameter pongs: confined to `loop`.
    init(
        on loop: any EventLoop, _ pongs: NIOLoopBoundBox<PongTimes>,
        _ events: @escaping @Sendable (PassageEvent) -> Void
    ) {
        self.loop = loop
        passage = .makeBoxSendingValue(Passage(on: loop, pongs, events), eventLoop: loop)
    }

    /// - Parameter dialer: opens the connection. A whole passage may be sent before it is open.
    func open(_ options: PassageOptions, by dialer: Dialer) {
        loop.execute { [passage] in passage.value.open(options, by: dialer) }
    }

    func send(_ samples: [Int16]) {
        loop.execute { [passage] in passage.value.send(samples) }
    }

    func finish(within timeout: Duration) {
        loop.execute { [passage] in passage.value.finish(within: timeout) }
    }

    func cancel() {
        loop.execute { [passage] in
            passage.value.end(.failure(EngineFailure(.cancelled, "The passage was cancelled.")))
        }
    }
}

extension WyomingStream {
    /// The state of a stream. Confined to the event loop.
    fileprivate final class Passage {
        private let loop: any EventLoop
        private let events: @Sendable (PassageEvent) -> Void
        private var decoder = FrameDecoder()
        private var reader = TranscriptReader()
        private var channel: (any Channel)?
        /// What waits for the connection.
        private var unsent: [ByteBuffer] = []
        private var hasFinished = false
        private var hasSound = false
        private var isOver = false
        /// Writes that the socket has not taken completely.
        private var pendingWrites = 0
        /// Samples that were sent since the socket last took all.
        private var samplesBehind = 0
        private var deadline: Scheduled<Void>?
        private var lastMessageTimer: Scheduled<Void>?
        private var nextPartial: Scheduled<Void>?
        private var partial: PassagePartial?
        private let pongs: NIOLoopBoundBox<PongTimes>
        /// When the `ping` without an answer was sent.
        private var pinged: ContinuousClock.Instant?
        private var isResponsive = true
        private var nextPing: Scheduled<Void>?
        private var pongDeadline: Scheduled<Void>?

        init(
            on loop: any EventLoop, _ pongs: NIOLoopBoundBox<PongTimes>,
            _ events: @escaping @Sendable (PassageEvent) -> Void
        ) {
            self.loop = loop
            self.pongs = pongs
            self.events = events
        }

        /// For callbacks.
        private var box: NIOLoopBound<Passage> { NIOLoopBound(self, eventLoop: loop) }

        func open(_ options: PassageOptions, by dialer: Dialer) {
            let box = box
            write { () throws(EngineFailure) in try Requests.beginning(options) }
            dialer.connect { channel in
                try channel.pipeline.syncOperations.addHandler(Receiver(box.value))
            }.whenComplete { result in box.value.connected(result) }
        }

        private func connected(_ result: Result<any Channel, any Error>) {
            switch result {
            case .success(let channel):
                guard !isOver else {
                    channel.close(promise: nil)
                    return
                }
                self.channel = channel
                let waiting = unsent
                unsent = []
                for buffer in waiting { write(buffer, to: channel) }
                ping()
            case .failure(let error):
                let failure = error as? EngineFailure
                end(.failure(failure ?? EngineFailure(.failed, "The engine failed: \(error)")))
            }
        }

        func send(_ samples: [Int16]) {
            guard !isOver, !hasFinished else { return }
            // The first sound may be a whole passage.
            if hasSound, pendingWrites > 0 || channel == nil { samplesBehind += samples.count }
            guard samplesBehind <= WyomingStream.unsentLimit else {
                return end(.failure(EngineFailure(.tooSlow, "The engine does not take the sound.")))
            }
            hasSound = true
            write { () throws(EngineFailure) in try Requests.sound(samples) }
        }

        func finish(within timeout: Duration) {
            guard !isOver, !hasFinished else { return }
            // Servers fail without an audio message.
            if !hasSound { send([]) }
            hasFinished = true
            // A server should have read everything when it closes the connection after its answer.
            nextPing?.cancel()
            pongDeadline?.cancel()
            write { () throws(EngineFailure) in try Requests.end() }
            nextPartial?.cancel()
            partial = nil
            deadline = loop.scheduleTask(in: .nanoseconds(timeout.nanoseconds)) { [box] in
                box.value.end(
                    .failure(EngineFailure(.tooSlow, "The engine did not answer within \(timeout).")))
            }
        }

        func end(_ result: Result<PassageAnswer, EngineFailure>) {
            guard !isOver else { return }
            isOver = true
            for timer in [deadline, lastMessageTimer, nextPartial, nextPing, pongDeadline] { timer?.cancel() }
            unsent = []
            channel?.close(promise: nil)
            channel = nil
            events(.final(result))
        }

        // MARK: Whether the server responds

        private func ping() {
            guard !isOver, !hasFinished else { return }
            pinged = .now
            write { () throws(EngineFailure) in try Requests.ping() }
            expectPong()
        }

        private func expectPong() {
            pongDeadline?.cancel()
            guard pinged != nil, !isOver, !hasFinished, let timeout = pongs.value.timeout else { return }
            pongDeadline = loop.scheduleTask(in: .nanoseconds(timeout.nanoseconds)) { [box] in
                box.value.isResponsive = false
                box.value.events(.responds(false))
            }
        }

        private func ponged() {
            guard let pinged else { return }
            pongs.value.add(.now - pinged)
            self.pinged = nil
            pongDeadline?.cancel()
            guard !isOver, !hasFinished else { return }
            nextPing = loop.scheduleTask(in: WyomingStream.pingInterval) { [box] in box.value.ping() }
        }

        /// It has sent something.
        private func responds() {
            expectPong()
            guard !isResponsive else { return }
            isResponsive = true
            events(.responds(true))
        }

        // MARK: Writing

        private func write(_ request: () throws(EngineFailure) -> ByteBuffer) {
            do throws(EngineFailure) {
                let buffer = try request()
                if let channel { write(buffer, to: channel) } else { unsent.append(buffer) }
            } catch {
                end(.failure(error))
            }
        }

        private func write(_ buffer: ByteBuffer, to channel: any Channel) {
            pendingWrites += 1
            channel.writeAndFlush(buffer).whenComplete { [box] _ in box.value.wasWritten() }
        }

        private func wasWritten() {
            pendingWrites -= 1
            if pendingWrites == 0 { samplesBehind = 0 }
        }

        // MARK: Reading

        func receive(_ bytes: inout ByteBuffer) {
            guard !isOver else { return }
            responds()
            do throws(EngineFailure) {
                try decoder.append(&bytes)
                while !isOver, let frame = try decoder.next() { read(try reader.read(frame)) }
            } catch {
                end(.failure(error))
            }
        }

        /// The connection has ended, or nothing follows.
        func lost() {
            if hasFinished, let answer = reader.answerAtEnd { return end(.success(answer)) }
            end(.failure(EngineFailure(.closed, "The engine closed the connection without an answer.")))
        }

        private func read(_ progress: TranscriptReader.Progress) {
            switch progress {
            case .more: break
            case .pong: ponged()
            case .partial(let partial): read(partial)
            case .almostDone: waitForLastMessage()
            case .done(let answer):
                guard hasFinished else {
                    return end(
                        .failure(
                            EngineFailure(.malformed, "The engine answered before the end of the passage.")))
                }
                end(.success(answer))
            }
        }

        private func read(_ partial: PassagePartial) {
            guard !hasFinished else { return }
            guard nextPartial == nil else {
                self.partial = partial
                return
            }
            events(.partial(partial))
            nextPartial = loop.scheduleTask(in: WyomingStream.partialInterval) { [box] in
                box.value.sendMerged()
            }
        }

        private func sendMerged() {
            nextPartial = nil
            guard let partial else { return }
            self.partial = nil
            read(partial)
        }

        private func waitForLastMessage() {
            guard lastMessageTimer == nil, hasFinished else { return }
            lastMessageTimer = loop.scheduleTask(in: WyomingStream.lastMessageTimeout) { [box] in
                box.value.lost()
            }
        }
    }

    /// Passes messages to the passage.
    fileprivate final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let passage: Passage

        init(_ passage: Passage) {
            self.passage = passage
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            passage.receive(&bytes)
        }

        func channelInactive(context: ChannelHandlerContext) { passage.lost() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            passage.end(
                .failure(EngineFailure(.closed, "The connection to the engine failed: \(error)")))
        }
    }
}
