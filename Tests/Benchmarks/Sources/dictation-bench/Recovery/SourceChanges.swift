import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// The microphone is unplugged, with and without another one; and the default changes between two live ones. Measured
/// with the daemon, a capture with its code whose samples are inspected, and `pw-record`, at the same time.
enum SourceChanges {
    struct Figures {
        var begins: [Figure] = []
        var ends: [Figure] = []
        var moves: [Figure] = []
        var heard = Heard()
    }

    /// Captured frames while the default changed.
    struct Heard {
        /// By the daemon's own session, and its reported losses.
        var ours = 0
        var told = 0
        /// By `pw-record`.
        var theirs = 0
        /// As many as the duration contains.
        var all = 0
    }

    static func measure(cycles: Int) async throws -> Figures {
        var figures = Figures()
        figures.ends += try await measureRemovals(cycles: cycles)
        let only = try await measureReturns(cycles: cycles)
        figures.begins.append(only.begin)
        figures.ends.append(only.end)
        let moves = try await measureMoves(cycles: cycles)
        figures.moves.append(moves.lost)
        figures.heard = moves.heard
        return figures
    }

    // MARK: Another exists

    private static func measureRemovals(cycles: Int) async throws -> [Figure] {
        try await Scene.run { scene in
            Recovery.tell("removals")
            var priority = 20_000
            var sign = FloatingPointSign.plus
            /// Each new one has a lower priority than those before, so that only removals change the default.
            func plugIn() async throws -> DriverMicrophone {
                priority -= 1
                let microphone = try await scene.plugIn(
                    "microphone-\(priority)", ["priority.session": "\(priority)"])
                microphone.count(sign)
                sign = sign == .plus ? .minus : .plus
                return microphone
            }
            var used = try await plugIn()
            var next = try await plugIn()
            let witnesses = try await Witnesses(in: scene)
            var told: [Double] = []
            var ours: [Double] = []
            var theirs: [Double] = []
            for cycle in 0..<cycles {
                let heard: FloatingPointSign = cycle.isMultiple(of: 2) ? .plus : .minus
                let awaited: FloatingPointSign = heard == .plus ? .minus : .plus
                try await witnesses.hear(heard)
                try await Recovery.loseStep()
                let removed = Instant.now
                used.unplug()
                ours.append(
                    (try await witnesses.own.chunks.heard(awaited, since: removed) - removed).milliseconds)
                theirs.append(
                    (try await witnesses.recorder.chunks.heard(awaited, since: removed) - removed)
                        .milliseconds)
                told.append((try await scene.client.rerouted(since: removed) - removed).milliseconds)
                used = next
                next = try await plugIn()
            }
            try await witnesses.end()
            return [
                Figure("microphone removed, another exists: first sample", ours, besides: theirs),
                Figure("microphone removed, another exists: RouteChanged", told),
            ]
        }
    }

    // MARK: None exists

    private static func measureReturns(cycles: Int) async throws -> (begin: Figure, end: Figure) {
        try await Scene.run { scene in
            Recovery.tell("the only microphone")
            var microphone = try await scene.plugIn("microphone")
            try await scene.client.start()
            var gone: [Double] = []
            var ours: [Double] = []
            var theirs: [Double] = []
            let recorder = try Recorder(on: scene.rig, times: EventLoopActor.loop)
            _ = try await recorder.flows()
            for _ in 0..<cycles {
                try await scene.capturing()
                try await Recovery.loseStep()
                let removed = Instant.now
                microphone.unplug()
                gone.append((try await scene.graph.gone(since: removed) - removed).milliseconds)
                try await Recovery.loseStep()
                let added = Instant.now
                microphone = try DriverMicrophone("microphone", of: scene.rig.audio, pace: .realTime)
                ours.append((try await scene.client.resumed(since: added) - added).milliseconds)
                theirs.append(
                    (try await recorder.chunks.time(of: "pw-record hears", since: added) { _ in true } - added)
                        .milliseconds)
            }
            try await recorder.end()
            return (
                Figure("no-source: the only microphone removed → closed", gone),
                Figure("no-source: ends with a microphone", ours, besides: theirs)
            )
        }
    }

    // MARK: Two that live

    private static func measureMoves(cycles: Int) async throws -> (
        lost: Figure, heard: Heard
    ) {
        try await Scene.run { scene in
            Recovery.tell("moves")
            let microphones = [
                FloatingPointSign.plus: try await scene.plugIn("plus"),
                .minus: try await scene.plugIn("minus"),
            ]
            for (sign, microphone) in microphones { microphone.count(sign) }
            // Both emit all the time.
            let keepers = [
                await scene.graph.capture(NodeName("plus"), name: "keeper"),
                await scene.graph.capture(NodeName("minus"), name: "keeper"),
            ]
            try await scene.rig.audio.choose(defaultSource: "plus")
            let witnesses = try await Witnesses(in: scene)
            try await witnesses.hear(.plus)
            let before = try await scene.client.heard()
            let start = Instant.now
            var ours: [Double] = []
            var theirs: [Double] = []
            for cycle in 0..<cycles {
                let awaited: FloatingPointSign = cycle.isMultiple(of: 2) ? .minus : .plus
                // Waits until the session manager has finished the move before.
                try await Task.sleep(for: .milliseconds(100))
                try await Recovery.loseStep()
                let moved = Instant.now
                try await scene.rig.audio.choose(defaultSource: awaited == .plus ? "plus" : "minus")
                ours.append(try await witnesses.own.chunks.lost(before: awaited, since: moved))
                theirs.append(try await witnesses.recorder.chunks.lost(before: awaited, since: moved))
            }
            let after = try await scene.client.heard()
            let seconds = (Instant.now - start) / .seconds(1)
            let frames = witnesses.recorder.chunks.entries(since: start).map(\.frames).reduce(0, +)
            try await witnesses.end()
            for keeper in keepers { await keeper.close() }
            for microphone in microphones.values { microphone.unplug() }
            return (
                Figure("default changed while both emit", ours, besides: theirs),
                Heard(
                    ours: after.frames - before.frames, told: after.dropouts - before.dropouts,
                    theirs: frames, all: Int(seconds * 16_000))
            )
        }
    }
}

extension Timeline<CountReader.Chunk> {
    /// When this microphone was first heard.
    fileprivate func heard(_ sign: FloatingPointSign, since start: Instant) async throws -> Instant {
        try await time(of: "the \(sign) microphone is heard", since: start) { $0.sign == sign }
    }

    /// Frames lost in the change to this microphone; 0 if they overlap.
    fileprivate func lost(before sign: FloatingPointSign, since start: Instant) async throws -> Double {
        let heard = try await first("the \(sign) microphone is heard", since: start) { chunk in
            chunk.sign == sign ? chunk.lostBetween.map { max(0, $0) } : nil
        }
        return Double(heard.found)
    }
}
