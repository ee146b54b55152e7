import DBus
import DictationTestKit
import EventLoop
import Glibc

/// Answers the calls of its interface in the simplest way, and notes what it was asked.
final class Echo: ObjectHandler {
    private let state = Lock(State())

    private struct State {
        var volume = 0.5
        var secret = ""
        var numbers: [UInt32] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var connection: Connection?
    }

    var secret: String { state.withLock { $0.secret } }
    /// What `Number` was called with, in the order in which the calls were begun.
    var numbers: [UInt32] { state.withLock { $0.numbers } }
    /// How many calls of `Wait` have no reply yet.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Where signals are sent.
    func speak(through connection: Connection?) {
        state.withLock { $0.connection = connection }
    }

    /// Lets all calls of `Wait` return.
    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    nonisolated(nonsending) func call(_ call: MethodCall) async throws -> [Value] {
        switch call.member {
        case "Echo":
            return call.body
        case "Join":
            let (words, options) = try call.body.decoded(as: [String].self, [String: Value].self)
            let separator = options["separator"].flatMap { String($0) } ?? " "
            return [.string(words.joined(separator: separator)), .uint32(UInt32(words.count))]
        case "Fail":
            let (name, message) = try call.body.decoded(as: String.self, String.self)
            throw DBusError(ErrorName(name) ?? .failed, message)
        case "FailStrangely":
            throw TestFailure("strange\0ly")
        case "ReturnNUL":
            return [.string("a\0b")]
        case "Lie":
            return [.string("no number")]
        case "Number":
            let number = try call.body.decoded(as: UInt32.self)
            state.withLock { $0.numbers.append(number) }
            // What is begun in order may end in any.
            if number % 2 == 0 { await Task.yield() }
            return []
        case "Wait":
            await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) }
            }
            return []
        case "SayThenReturn":
            let connection = state.withLock { $0.connection }
            try await connection?.emit(
                path: call.path, interface: call.interface, member: "Said", call.body, to: call.sender)
            return call.body
        case "Open":
            let file = try call.body.decoded(as: Descriptor.self)
            var buffer = [UInt8](repeating: 0, count: 100)
            let count = read(file.rawValue, &buffer, buffer.count)
            return [.string(String(decoding: buffer.prefix(count), as: UTF8.self)), .descriptor(file)]
        default:
            throw TestFailure("\(call.member) is not expected")
        }
    }

    nonisolated(nonsending) func value(of property: PropertyAccess) async throws -> Value {
        switch property.name {
        case "Volume": .double(state.withLock { $0.volume })
        case "Caller": .string(property.sender.rawValue)
        default: .string("of the wrong type")
        }
    }

    nonisolated(nonsending) func set(_ property: PropertyAccess, to value: Value) async throws {
        switch property.name {
        case "Volume":
            guard let volume = Double(value), 0...1 ~= volume else {
                throw DBusError.invalidArgs("a volume is between 0 and 1")
            }
            state.withLock { $0.volume = volume }
        default:
            state.withLock { $0.secret = String(value) ?? "" }
        }
    }
}
