import DBus
import EventLoop
import Glibc

/// Answers the calls of its interface and records them.
final class Echo: ObjectHandler {
    private let state = Lock(State())

    private struct State {
        var volume = 0.5
        var secret = ""
        var numbers: [UInt32] = []
        var waiting: [MethodCall] = []
        var connection: Connection?
    }

    var secret: String { state.withLock { $0.secret } }
    /// The arguments of `Number`, in order.
    var numbers: [UInt32] { state.withLock { $0.numbers } }
    /// The number of unanswered calls of `Wait`.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// The destination of signals.
    func speak(through connection: Connection?) {
        state.withLock { $0.connection = connection }
    }

    /// The pending calls of `Wait`; the receiver answers them.
    func takeWaiting() -> [MethodCall] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Answers all calls of `Wait`.
    func release() {
        for call in takeWaiting() { call.reply() }
    }

    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            if let reply = try reply(to: call) { call.reply(reply) }
        } catch {
            call.fail(error)
        }
    }

    @EventLoopActor
    private func reply(to call: MethodCall) throws(DBusError) -> [Value]? {
        switch call.member {
        case "Echo":
            return try call.body()
        case "Join":
            let (words, options) = try call.body().decoded(as: [String].self, [BusText: Value].self)
            let separator = options["separator"].flatMap { String($0) } ?? " "
            return [.string(words.joined(separator: separator)), .uint32(UInt32(words.count))]
        case "Fail":
            let (name, message) = try call.body().decoded(as: String.self, String.self)
            throw DBusError(ErrorName(name) ?? .failed, message)
        case "FailStrangely":
            throw .failed("strange\0ly")
        case "ReturnNUL":
            return [.string("a\0b")]
        case "Lie":
            return [.string("no number")]
        case "AnswerTwice":
            call.reply([.uint32(1)])
            call.fail(.failed("too late"))
            return [.uint32(2)]
        case "Number":
            let number = try call.body().decoded(as: UInt32.self)
            state.withLock { $0.numbers.append(number) }
            return []
        case "Wait":
            state.withLock { $0.waiting.append(call) }
            return nil
        case "SayThenReturnThenSay":
            let connection = state.withLock { $0.connection }
            try say("before", about: call, on: connection)
            call.reply(try call.body())
            try say("after", about: call, on: connection)
            return nil
        case "Open":
            let file = try call.body().decoded(as: Descriptor.self)
            var buffer = [UInt8](repeating: 0, count: 100)
            let count = read(file.rawValue, &buffer, buffer.count)
            return [.string(String(decoding: buffer.prefix(count), as: UTF8.self)), .descriptor(file)]
        default:
            throw .failed("\(call.member) is not expected")
        }
    }

    @EventLoopActor
    private func say(_ word: String, about call: MethodCall, on connection: Connection?) throws(DBusError) {
        try connection?.emit(
            path: call.path, interface: call.interface, member: "Said", [.string(word)], to: call.sender)
    }

    func value(of property: PropertyAccess) throws(DBusError) -> Value {
        switch property.name {
        case "Volume": .double(state.withLock { $0.volume })
        case "Caller": .string(property.sender.rawValue)
        default: .string("of the wrong type")
        }
    }

    func set(_ property: PropertyAccess, to value: Value) throws(DBusError) {
        switch property.name {
        case "Volume":
            guard let volume = Double(value), 0...1 ~= volume else {
                throw .invalidArgs("a volume is between 0 and 1")
            }
            state.withLock { $0.volume = volume }
        default:
            state.withLock { $0.secret = String(value) ?? "" }
        }
    }
}
