import DBus
import DictationClient
import DictationInterface
import DictationTyping
import EventLoop
import Typing

/// A field that a program has. Its calls are carried out in order.
@EventLoopActor
final class FieldLease {
    let number: UInt64
    let owner: BusName
    let driver: TypingDriver
    private let permission: TypingPermission
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
        _ number: UInt64, of owner: BusName, _ driver: TypingDriver, _ options: FieldOptions,
        permission: TypingPermission, end: @escaping @EventLoopActor (FieldReleaseReason?) -> Void
    ) {
        self.number = number
        self.owner = owner
        self.driver = driver
        self.permission = permission
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
            guard !hasEnded else { throw Self.notRunning }
            try check(request)
            guard waiting.count < Self.waitingLimit else {
                throw DBusError(
                    DictationInterface.errorName(.limitExceeded),
                    "\(Self.waitingLimit) calls of this field wait. Wait for their replies first.")
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
        for work in waiting { work.call.fail(Self.notRunning) }
        waiting = []
    }

    static var notRunning: DBusError {
        DBusError(
            DictationInterface.errorName(.notRunning),
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
        case .requestPermission, .beginField, .release: return
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
        let (call, request) = (work.call, work.request)
        if case .release = request {
            finish(nil)
            return call.reply(DictationTypingReply.done.body)
        }
        do {
            try await permission.require(for: owner)
            guard !hasEnded else { throw Self.notRunning }
            switch request {
            case .show(_, let text):
                let isShown = showsLiveText && driver.show(text.string)
                call.reply(DictationTypingReply.show(shown: isShown).body)
            case .insert(_, let text):
                let result = await driver.insert(text.string)
                call.reply(
                    DictationTypingReply.insert(outcome: result.outcome.rawValue, details: result.details)
                        .body)
            case .replaceLast(_, let text):
                let result = await driver.replaceLast(with: text.string)
                call.reply(
                    DictationTypingReply.replaceLast(
                        outcome: result.outcome.rawValue, details: result.details
                    ).body)
            case .requestPermission, .beginField, .release: throw Self.notRunning
            }
        } catch {
            let error = DBusError(typing: error)
            call.fail(error)
            let refusals = [DictationErrorKind.permissionDenied, .permissionRequired]
            if refusals.map(DictationInterface.errorName).contains(error.name) { finish(.permissionLost) }
        }
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

extension DBusError {
    /// For a caller of the typing service.
    init(typing error: any Error) {
        switch error {
        case let error as DBusError: self = error
        case let error as DictationError:
            let kind = DictationErrorKind(rawValue: error.code.rawValue)
            self.init(
                kind.map(DictationInterface.errorName) ?? .failed,
                "The dictation service did not answer: \(error)")
        default: self = .failed("\(error)")
        }
    }
}
