import DictationCore

/// The machines under test, unchanged or with a fault inserted between them and the checker.
struct Subject: Hashable, Sendable {
    private var machine: DictationMachine
    private var playback = PlaybackMachine()
    private var fault: Fault?

    init(settings: Settings, mutation: Mutation?) {
        machine = DictationMachine(settings: settings)
        fault = mutation.map { Fault($0) }
    }

    var nextDeadline: Duration? { machine.nextDeadline }
    var properties: ServiceProperties { machine.properties }
    var activity: DictationActivity { machine.activity }

    var stateLength: Int { "\(machine)".utf8.count }

    mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        guard var fault else { return machine.handle(event, at: now) }
        defer { self.fault = fault }
        guard let event = fault.corrupt(event) else { return [] }
        return fault.corrupt(machine.handle(event, at: now), of: event)
    }

    mutating func handle(_ event: PlaybackMachine.Event, at now: Duration) -> [PlaybackMachine.Effect] {
        guard let fault else { return playback.handle(event, at: now) }
        return fault.corrupt(playback.handle(fault.corrupt(event), at: now))
    }
}
