import DictationCore
import NIOCore

/// One request and its answer on a connection of its own. Confined to the channel's event loop.
final class Exchange<Reader: AnswerReader>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var reader: Reader
    private var decoder = FrameDecoder()
    private let promise: EventLoopPromise<Reader.Answer>
    private var isDone = false
    private var lastMessageTimer: Scheduled<Void>?

    /// How long to wait for `transcript` after `transcript-stop`.
    static var lastMessageTimeout: TimeAmount { .milliseconds(300) }

    init(_ reader: Reader, _ promise: EventLoopPromise<Reader.Answer>) {
        self.reader = reader
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        var bytes = unwrapInboundIn(data)
        do throws(EngineFailure) {
            try decoder.append(&bytes)
            while !isDone, let frame = try decoder.next() {
                switch try reader.read(frame) {
                case .more: break
                case .almostDone: waitForLastMessage(context)
                case .done(let answer): finish(.success(answer), context)
                }
            }
        } catch {
            finish(.failure(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finishWithAnswerSoFar(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(EngineFailure(.closed, "The connection to the engine failed: \(error)")), context)
    }

    private func waitForLastMessage(_ context: ChannelHandlerContext) {
        guard lastMessageTimer == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        lastMessageTimer = context.eventLoop.scheduleTask(in: Self.lastMessageTimeout) {
            let (exchange, context) = bound.value
            exchange.finishWithAnswerSoFar(context)
        }
    }

    private func finishWithAnswerSoFar(_ context: ChannelHandlerContext) {
        if let answer = reader.answerAtEnd {
            finish(.success(answer), context)
        } else {
            finish(
                .failure(EngineFailure(.closed, "The engine closed the connection without an answer.")),
                context)
        }
    }

    private func finish(_ result: Result<Reader.Answer, EngineFailure>, _ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        lastMessageTimer?.cancel()
        switch result {
        case .success(let answer): promise.succeed(answer)
        case .failure(let failure): promise.fail(failure)
        }
        context.close(promise: nil)
    }
}
