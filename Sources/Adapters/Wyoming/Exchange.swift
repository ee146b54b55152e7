import DictationCore
import NIOCore

/// One request and its answer on a connection of its own. Confined to the channel's event loop.
final class Exchange<Reader: AnswerReader>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var reader: Reader
    private var decoder = FrameDecoder()
    private let promise: EventLoopPromise<Reader.Answer>
    private var isDone = false

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
                if let answer = try reader.read(frame) { finish(.success(answer), context) }
            }
        } catch {
            finish(.failure(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(
            .failure(EngineFailure(.closed, "The engine closed the connection without an answer.")), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(EngineFailure(.closed, "The connection to the engine failed: \(error)")), context)
    }

    private func finish(_ result: Result<Reader.Answer, EngineFailure>, _ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        switch result {
        case .success(let answer): promise.succeed(answer)
        case .failure(let failure): promise.fail(failure)
        }
        context.close(promise: nil)
    }
}
