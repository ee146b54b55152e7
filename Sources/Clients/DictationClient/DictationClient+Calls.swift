import DBus
import DictationInterface

extension DictationClient {
    /// Begins to listen. Replies at once: ``DictationSession/events`` tell when sound flows.
    public func start(_ options: StartOptions = StartOptions()) async throws(DictationError)
        -> DictationSession
    {
        // Whatever the new session tells is kept from before it has a number.
        let queue = await receiver.queue(for: .sessionToCome)
        let id = try await calling { try await proxy.start(options: options.dictionary) }
        session = id
        await receiver.name(queue, id)
        return DictationSession(id: id, events: SessionEvents(queue: queue), client: self)
    }

    /// Stops listening; the block stays as it is. Does no harm where it is paused already.
    public func pause() async throws(DictationError) {
        try await calling { try await proxy.pause() }
    }

    /// Listens again, in the same block.
    public func resume() async throws(DictationError) {
        try await calling { try await proxy.resume() }
    }

    /// Finishes the current block and returns its text, which is empty where nothing was said. The next block
    /// begins at once, and listening goes on.
    @discardableResult
    public func commit() async throws(DictationError) -> Final {
        let reply = try await calling {
            try await proxy.commit(timeout: DictationInterface.commitTimeout)
        }
        return Final(block: reply.block, text: reply.text, details: reply.details)
    }

    /// Discards the current block, and returns its number. There will be no final text of it.
    @discardableResult
    public func cancel() async throws(DictationError) -> UInt64 {
        try await calling { try await proxy.cancel() }
    }

    /// Ends the session, when the commits in progress are done. What is not committed is discarded.
    public func stop() async throws(DictationError) {
        try await calling { try await proxy.stop(timeout: DictationInterface.commitTimeout) }
    }

    /// Ends every session of this user, whichever program started it. Commits in progress are finished first; what is
    /// not committed is discarded. Refused to programs in a sandbox.
    /// - Returns: how many sessions this call ended.
    @discardableResult
    public func stopAll() async throws(DictationError) -> Int {
        Int(try await calling { try await proxy.stopAll(options: [:]) })
    }

    /// Where there is no session, its state is ``SessionState/idle``.
    public func status() async throws(DictationError) -> SessionStatus {
        SessionStatus(try await calling { try await proxy.getSession() })
    }

    /// ``events`` tell the states of all sessions of this user from now on; with `text`, also what is said in the
    /// one that this program may drive. Holds over restarts of the service.
    public func subscribe(text: Bool = false) async throws(DictationError) {
        let options = [SubscribeOption.text: Value(text)]
        try await calling { try await proxy.subscribe(options: options) }
        await receiver.remember(options)
    }

    /// The microphones there are, and those chosen before that are absent now.
    public func routes() async throws(DictationError) -> [Route] {
        try await calling { try await proxy.listRoutes() }.compactMap(Route.init)
    }

    /// Chooses the microphone for this user, from now on. Nil follows the system's default.
    public func selectRoute(named name: String?) async throws(DictationError) {
        try await calling { try await proxy.selectRoute(name: BusText(name ?? ""), options: [:]) }
    }

    /// What this program may do. Asks nobody.
    public func checkPermission() async throws(DictationError) -> Permission {
        let reply = try await calling { try await proxy.checkPermission() }
        return Permission(reply.status, isReady: reply.ready)
    }

    /// Asks the user, once, and returns when the user has decided. With `waits` false it returns what is known, and
    /// the decision comes as ``DictationEvent/permissionChanged(_:_:)``.
    public func requestPermission(
        for resources: [Resource] = [.microphone, .speech], waits: Bool = true
    ) async throws(DictationError) -> [Resource: PermissionStatus] {
        let reply = try await calling {
            try await proxy.requestPermission(
                resources: resources.map { BusText($0.rawValue) },
                options: [RequestPermissionOption.wait: Value(waits)],
                timeout: DictationInterface.permissionTimeout)
        }
        return Dictionary(
            uniqueKeysWithValues: reply.map {
                (Resource(rawValue: $0.key.string), PermissionStatus(rawValue: $0.value))
            })
    }

    /// What the service is able to do.
    public func information() async throws(DictationError) -> ServiceInformation {
        try await calling {
            let version = try await proxy.value(of: .version)
            let engines = try await proxy.value(of: .engines)
            let languages = try await proxy.value(of: .languages)
            return ServiceInformation(version: version, engines: engines, languages: languages)
        }
    }

    /// This client, if `session` is the one that its calls act on.
    func acting(on session: UInt64) throws(DictationError) -> DictationClient {
        guard session == self.session else {
            throw DictationError(
                .notRunning, message: "This session is over; another has been started since.")
        }
        return self
    }

    func calling<Result>(
        _ body: () async throws -> Result
    ) async throws(DictationError) -> Result {
        do {
            return try await body()
        } catch {
            throw DictationError(error)
        }
    }
}
