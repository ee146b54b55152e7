import DBus
import DictationBus
import DictationCore
import DictationInterface
import DictationTyping
import EventLoop
import Typing

/// What became of a text, as on the bus.
enum TypedOutcome: String {
    case typed, doubtful, refused, moved, retracted
}

/// Why a program no longer has a field, as on the bus.
enum FieldReleaseReason: String {
    case idle, replaced, shutdown
    case userDictates = "user-dictates"
    case permissionLost = "permission-lost"
    case routeLost = "route-lost"
}

/// A field that a program has. Its calls are carried out in order.
@EventLoopActor
final class FieldLease {
    let number: UInt64
    let client: Client
    let owner: BusName
    let driver: TypingDriver
    private let showsLiveText: Bool
    private let fitsText: Bool
    /// Called once, when the lease is to end. The reason is nil if its owner has released it.
    private let end: @EventLoopActor (FieldReleaseReason?) -> Void
    private var waiting: [Work] = []
    private var isWorking = false
    private var hasEnded = false
    private var idleTimer: EventLoop.Timer?

    private struct Work {
        var call: MethodCall
        var request: DictationTypingRequest
    }

    /// Maximum number of calls that wait.
    private static let waitingLimit = 16
    /// Maximum length of a text in bytes of UTF-8.
    private static let textLimit = 20_000
    /// How long a program may have a field without a call.
    private static let idleTime = Duration.seconds(60)

    init(
        _ number: UInt64, of client: Client, _ owner: BusName, _ driver: TypingDriver,
        _ options: FieldOptions, end: @escaping @EventLoopActor (FieldReleaseReason?) -> Void
    ) {
        self.number = number
        self.client = client
        self.owner = owner
        self.driver = driver
        showsLiveText = options.showsLiveText
        fitsText = options.style.fitsText
        self.end = end
        waitForCalls()
    }

    var details: [BusText: Value] {
        [
            FieldKey.live: .bool(showsLiveText && driver.field?.abilities.contains(.liveText) == true),
            FieldKey.replace: .bool(driver.canReplace),
            FieldKey.terminal: .bool(driver.field?.purpose == .terminal),
        ]
    }

    /// Carries out a call after those before it.
    func perform(_ request: DictationTypingRequest, _ call: MethodCall) {
        do throws(DBusError) {
            guard !hasEnded else { throw DBusError(Self.notRunning) }
            try check(request)
            guard waiting.count < Self.waitingLimit else {
                throw DBusError(
                    Refusal(
                        .limitExceeded,
                        "\(Self.waitingLimit) calls of this field wait. Wait for their replies first."))
            }
        } catch {
            return call.fail(error)
        }
        idleTimer?.cancel()
        waiting.append(Work(call: call, request: request))
        guard !isWorking else { return }
        isWorking = true
        Task.immediate {
            while !hasEnded, !waiting.isEmpty { await carryOut(waiting.removeFirst()) }
            isWorking = false
            if !hasEnded { waitForCalls() }
        }
    }

    /// Ends it. Calls that wait are refused.
    func close() {
        guard !hasEnded else { return }
        hasEnded = true
        idleTimer?.cancel()
        for work in waiting { work.call.fail(DBusError(Self.notRunning)) }
        waiting = []
    }

    static var notRunning: Refusal {
        Refusal(
            .notRunning,
            "This program does not have this field, or no longer. BeginField begins with the field that has the focus."
        )
    }

    private func waitForCalls() {
        idleTimer = EventLoopActor.schedule(after: Self.idleTime) { [weak self] in self?.finish(.idle) }
    }

    private func finish(_ reason: FieldReleaseReason?) {
        guard !hasEnded else { return }
        close()
        end(reason)
    }

    private func check(_ request: DictationTypingRequest) throws(DBusError) {
        let text: BusText
        switch request {
        case .show(_, let shown): text = shown
        case .replaceLast(_, let replacement): text = replacement
        case .insert(_, let inserted):
            text = inserted
            guard !text.isEmpty else { throw .invalidArgs("The text is empty.") }
        default: return
        }
        guard text.count <= Self.textLimit else {
            throw .limitsExceeded(
                "The text has \(text.count) bytes. At most \(Self.textLimit) are typed at a time.")
        }
        if case .show = request { return }
        guard text.isEmpty || !fitsText || !text.string.allSatisfy(\.isWhitespace) else {
            throw .invalidArgs(
                "The text is white space alone, which is typed only with the option 'fit' false.")
        }
    }

    private func carryOut(_ work: Work) async {
        let reply: DictationTypingReply
        switch work.request {
        case .show(_, let text):
            reply = .show(shown: showsLiveText && driver.show(text.string))
        case .insert(_, let text):
            let result = await driver.insert(text.string)
            reply = .insert(outcome: result.outcome.rawValue, details: result.details)
        case .replaceLast(_, let text):
            let result = await driver.replaceLast(with: text.string)
            reply = .replaceLast(outcome: result.outcome.rawValue, details: result.details)
        case .release:
            finish(nil)
            reply = .done
        default: return work.call.fail(DBusError(Self.notRunning))
        }
        work.call.reply(reply.body)
    }
}

extension TypingDriver.FieldResult {
    fileprivate var outcome: TypedOutcome {
        switch self {
        case .typed: .typed
        case .doubtful: .doubtful
        case .refused: .refused
        case .moved: .moved
        }
    }

    fileprivate var details: [BusText: Value] {
        if case .typed(let isSeen) = self { return [TypedKey.seen: .bool(isSeen)] }
        return message.map { [TypedKey.message: .string($0)] } ?? [:]
    }

    /// For people.
    private var message: String? {
        switch self {
        case .typed: nil
        case .doubtful: "The field does not show what became of the text. Please check."
        case .refused(.secret): "The field is for a password or private, so nothing is typed there."
        case .refused(.window): "The window did not take the text."
        case .refused(.notDeletable):
            "The last text is not before the cursor any more, or cannot be deleted here. Nothing has changed."
        case .moved(isDeleted: false): "Another field has the focus. Nothing was typed."
        case .moved(isDeleted: true):
            "Another field got the focus. The last text was deleted, and the new one was not typed."
        }
    }
}
