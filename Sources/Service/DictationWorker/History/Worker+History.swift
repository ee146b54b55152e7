import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Glibc

/// Calls of the interface org.example.Dictation.History.
extension Worker {
    func handleHistory(_ call: MethodCall, from client: Client) {
        do {
            try perform(try DictationHistoryRequest(call), call, from: client)
        } catch let error as DBusError {
            call.fail(error)
        } catch let refusal as Refusal {
            call.fail(DBusError(refusal))
        } catch {
            call.fail(.failed("\(error)"))
        }
    }

    private func perform(
        _ request: DictationHistoryRequest, _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        switch request {
        case .list(let options):
            try requirePermission(of: client)
            call.reply(try list(options, for: call.sender).body)
        case .get(let id):
            try requirePermission(of: client)
            call.reply(DictationHistoryReply.get(entry: details(of: try entry(id))).body)
        case .forget(let ids):
            guard ids.count <= History.countLimit else {
                throw Refusal(.invalidArguments, "Forget takes at most \(History.countLimit) texts.")
            }
            erase(call) { keeper throws(Refusal) in
                .forget(count: UInt32(clamping: try await keeper.forget(Set(ids))))
            }
        case .clear:
            erase(call) { keeper throws(Refusal) in .clear(count: UInt32(clamping: try await keeper.clear()))
            }
        case .again(let id, let options):
            try requirePermission(of: client)
            let entry = try entry(id)
            Task {
                do throws(Refusal) {
                    try await recogniseAgain(entry, options, for: client, call)
                    call.reply(DictationHistoryReply.again(entry: details(of: try self.entry(id))).body)
                } catch {
                    call.fail(DBusError(error))
                }
            }
        case .keep(let keeps): post(.keepTexts(keeps), call, from: client)
        }
    }

    /// Text is for those who may dictate.
    private func requirePermission(of client: Client) throws(Refusal) {
        if let refusal = dictation.permission(of: client).refusal(of: Resource.dictation) { throw refusal }
    }

    private func entry(_ id: HistoryEntry.ID) throws(Refusal) -> HistoryEntry {
        guard let entry = supplies.history.entry(id) else {
            throw Refusal(.invalidArguments, "The history has no text \(id).")
        }
        return entry
    }

    private func list(_ options: [BusText: Value], for name: BusName) throws(Refusal) -> DictationHistoryReply
    {
        let reader = OptionReader(options: options)
        let count = try reader.integer(HistoryOption.limit, in: 1...200) ?? 50
        let before = try reader.number(HistoryOption.before)
        if try reader.bool(HistoryOption.changes) ?? false { historyListeners.insert(name) }
        let keeper = supplies.history
        return .list(
            entries: keeper.last(Int(count), before: before).map { shortDetails(of: $0) },
            lifetime: UInt32(clamping: keeper.history.settings.lifetime.components.seconds))
    }

    private func erase(
        _ call: MethodCall,
        _ body: @escaping @EventLoopActor (HistoryKeeper) async throws(Refusal) -> DictationHistoryReply
    ) {
        let keeper = supplies.history
        // The next call finds nothing of it.
        Task.immediate {
            do throws(Refusal) {
                call.reply(try await body(keeper).body)
            } catch {
                call.fail(DBusError(error))
            }
        }
    }

    // MARK: Again

    private func recogniseAgain(
        _ entry: HistoryEntry, _ options: [BusText: Value], for client: Client, _ call: MethodCall
    ) async throws(Refusal) {
        let path = await supplies.history.writtenSound(of: entry)
        // It may have been lost meanwhile.
        try requirePermission(of: client)
        guard let path else {
            throw Refusal(
                .notSupported,
                "The sound of this text was not kept: set 'history-sound: true' to keep it from now on.")
        }
        var chosen: [BusText: Value] = [:]
        for key in [AgainOption.engine, AgainOption.language, AgainOption.formatting] {
            chosen[key] = options[key]
        }
        let prepared = try preparation(chosen, from: client, as: entry)
        let payer = Budgets.Payer.caller(client.identity, call.sender)
        let start: StartOptions
        if prepared.isNeeded {
            let lease = try budgets.requireLease(.preparations, of: payer)
            defer { lease.end() }
            start = try await run(prepared)
        } else {
            start = prepared.start
        }
        let blocks = try await dictation.recognise(
            try await Self.open(path), as: newSession(), start, for: client.identity, calling: call.sender,
            lease: try budgets.requireLease(.inputs, of: payer))
        let text = blocks.map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
        guard let block = blocks.first(where: { !$0.text.isEmpty }) else {
            throw Refusal(.engineFailed, "Nothing was recognised: the text stays as it is.")
        }
        supplies.history.replace(entry.id, by: text, engine: block.engine, language: block.language)
    }

    private static func open(_ path: String) async throws(Refusal) -> Descriptor {
        let file: Descriptor?
        do throws(EventLoopError) {
            file = try await OwnThread.run("history") { () -> Descriptor? in
                let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
                return number < 0 ? nil : Descriptor(owning: number)
            }
        } catch {
            throw Refusal(.limitExceeded, "No thread could be started: \(error)")
        }
        guard let file else { throw Refusal(.notSupported, "The sound of this text is gone.") }
        return file
    }

    // MARK: Signals

    func signalHistoryChange() {
        updateNeed()
        messageSender.sendHistoryChange(to: historyListeners)
        supplies.indicator?.historyChanged()
    }

    // MARK: Details

    /// In characters.
    private static let shortLimit = 500

    private func shortDetails(of entry: HistoryEntry) -> [BusText: Value] {
        let short = entry.text.prefix(Self.shortLimit)
        var details = common(entry)
        details.text = String(short)
        if short.endIndex != entry.text.endIndex { details.long = true }
        return details.entries
    }

    private func details(of entry: HistoryEntry) -> [BusText: Value] {
        var details = common(entry)
        details.text = entry.text
        details.original = entry.original
        return details.entries
    }

    private func common(_ entry: HistoryEntry) -> HistoryDetails {
        var details = HistoryDetails()
        details.id = entry.id
        details.time = entry.time
        details.kind = entry.identity.kind.rawValue
        details.client = entry.identity.id.rawValue
        details.application = entry.application
        details.language = entry.language
        details.engine = entry.engine
        if let path = supplies.history.sound(of: entry) {
            details.sound = path
            details.duration = entry.duration
        }
        return details
    }
}
