import DictationCore
import NIOCore

/// One request and its answer on a connection of its own. Confined to the channel's event loop.
final class Exchange<Reader: AnswerReader>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var reader: Reader
    private var decoder = FrameDecoder()
    private let promise: EventLoopPromise<Reader.Answer>
    private var isDone = false
    private var lastWaitTimer: Scheduled<Void>?

    /// How long a `transcript` may come after `transcript-stop`.
    static var lastWait: TimeAmount { .milliseconds(300) }

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
                case .almost: waitForLast(context)
                case .done(let answer): finish(.success(answer), context)
                }
            }
        } catch {
            finish(.failure(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finishWithWhatCame(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(EngineFailure(.closed, "The connection to the engine broke: \(error)")), context)
    }

    private func waitForLast(_ context: ChannelHandlerContext) {
        guard lastWaitTimer == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        lastWaitTimer = context.eventLoop.scheduleTask(in: Self.lastWait) {
            let (exchange, context) = bound.value
            exchange.finishWithWhatCame(context)
        }
    }

    private func finishWithWhatCame(_ context: ChannelHandlerContext) {
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
        lastWaitTimer?.cancel()
        switch result {
        case .success(let answer): promise.succeed(answer)
        case .failure(let failure): promise.fail(failure)
        }
        context.close(promise: nil)
    }
}
