import DBus
import DictationInterface

extension DictationClient {
    /// Starts listening. Replies at once; ``DictationSession/events`` report when sound flows.
    public func start(_ options: StartOptions = StartOptions()) async throws(DictationError)
        -> DictationSession
    {
        // Events of the new session are kept even before its number is known.
        let queue = await receiver.queue(
            for: .sessionToCome, survivesRestart: options.survivesRestart)
        let id = try await calling {
            // For typing the desktop may ask the user first.
            try await options.typing == nil
                ? proxy.start(options: options.dictionary)
                : proxy.start(options: options.dictionary, timeout: DictationInterface.permissionTimeout)
        }
        session = id
        await receiver.name(queue, id)
        return DictationSession(id: id, events: SessionEvents(queue: queue), client: self)
    }

    /// Stops listening; the block stays unchanged. No effect if it is paused already.
    public func pause() async throws(DictationError) {
        try await calling { try await proxy.pause() }
    }

    /// Continues listening, in the same block.
    public func resume() async throws(DictationError) {
        try await calling { try await proxy.resume() }
    }

    /// Finishes the current block and returns its text, which is empty if there was no speech. The next block begins at
    /// once, and listening continues.
    @discardableResult
    public func commit() async throws(DictationError) -> Final {
        let reply = try await calling {
            try await proxy.commit(timeout: DictationInterface.commitTimeout)
        }
        return Final(block: reply.block, text: reply.text, details: reply.details)
    }

    /// Discards the current block and returns its number. It has no final text.
    @discardableResult
    public func cancel() async throws(DictationError) -> UInt64 {
        try await calling { try await proxy.cancel() }
    }

    /// Ends the session after the commits in progress. Text that is not committed is discarded.
    public func stop() async throws(DictationError) {
        try await calling { try await proxy.stop(timeout: DictationInterface.commitTimeout) }
    }

    /// Ends every session of this user, whichever program started it. Commits in progress are finished first; text that
    /// is not committed is discarded. Programs in a sandbox are refused.
    /// - Returns: the number of sessions that this call ended.
    @discardableResult
    public func stopAll() async throws(DictationError) -> Int {
        Int(try await calling { try await proxy.stopAll(options: [:]) })
    }

    /// If there is no session, its state is ``SessionState/idle``.
    public func status() async throws(DictationError) -> SessionStatus {
        SessionStatus(try await calling { try await proxy.getSession() })
    }

    /// The state of the session of this user that asked for the microphone last, whichever program started it;
    /// ``SessionState/idle`` without a session.
    public func userState() async throws(DictationError) -> SessionState {
        let value = try await calling { try await proxy.value(of: .state) }
        return String(value).map(SessionState.init) ?? .idle
    }

    /// ``events`` report the states of all sessions of this user from now on; with `text`, also the text of the session
    /// that this program may control. Renewed after restarts of the service.
    public func subscribe(text: Bool = false) async throws(DictationError) {
        let options = [SubscribeOption.text: Value(text)]
        try await calling { try await proxy.subscribe(options: options) }
        await receiver.remember(options)
    }

    /// The available microphones, and chosen ones that are disconnected now.
    public func routes() async throws(DictationError) -> [Route] {
        try await calling { try await proxy.listRoutes() }.compactMap(Route.init)
    }

    /// Chooses the microphone for this user from now on. Nil follows the system's default.
    public func selectRoute(named name: String?) async throws(DictationError) {
        try await calling { try await proxy.selectRoute(name: BusText(name ?? ""), options: [:]) }
    }

    /// This program's permissions. Does not ask the user.
    public func checkPermission() async throws(DictationError) -> Permission {
        let reply = try await calling { try await proxy.checkPermission() }
        return Permission(reply.status, isReady: reply.ready)
    }

    /// Asks the user, if they have not decided yet, and returns the decision. With `waits` false it returns the present
    /// state, and the decision comes as ``DictationEvent/permissionChanged(_:_:)``.
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

    /// The service's version, engines and languages.
    public func information() async throws(DictationError) -> ServiceInformation {
        try await calling {
            let version = try await proxy.value(of: .version)
            let engines = try await proxy.value(of: .engines)
            let languages = try await proxy.value(of: .languages)
            return ServiceInformation(version: version, engines: engines, languages: languages)
        }
    }

    func pause(session: UInt64) async throws(DictationError) {
        try check(session)
        try await pause()
    }

    func resume(session: UInt64) async throws(DictationError) {
        try check(session)
        try await resume()
    }

    func commit(session: UInt64) async throws(DictationError) -> Final {
        try check(session)
        return try await commit()
    }

    func cancel(session: UInt64) async throws(DictationError) -> UInt64 {
        try check(session)
        return try await cancel()
    }

    func stop(session: UInt64) async throws(DictationError) {
        try check(session)
        try await stop()
    }

    func status(session: UInt64) async throws(DictationError) -> SessionStatus {
        try check(session)
        return try await status()
    }

    /// Calls act on the latest session.
    func check(_ session: UInt64) throws(DictationError) {
        guard session == self.session else {
            throw DictationError(
                .notRunning, message: "This session is over; another has been started since.")
        }
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
