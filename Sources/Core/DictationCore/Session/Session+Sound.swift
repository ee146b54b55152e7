// What is wrong with the sound while it flows.

extension Session {
    /// Takes what the latest sound shows. What is wrong with it is also said in the block's Final.
    /// - Returns: whether the stream was closed, to be opened on other channels.
    mutating func judge(
        _ measures: [SoundMeasure], _ context: SessionContext, _ effects: inout [Effect]
    ) -> Bool {
        for measure in measures {
            inputMonitor.add(measure, isAwaited: awaitsText)
            if choosesOtherChannels(measure, context) {
                closeStream(&effects)
                return true
            }
            // A file may be silent at its beginning and in pauses.
            for problem in inputMonitor.problems where usesMicrophone || problem != .silent {
                block.addProblem(problem.rawValue)
            }
        }
        return false
    }

    /// Text of what was said is still to come.
    private var awaitsText: Bool {
        !commits.isEmpty || lag > 0 || waitsForDecoder || engine == .unsettled
    }

    private mutating func choosesOtherChannels(_ measure: SoundMeasure, _ context: SessionContext) -> Bool {
        guard stream.isFlowing, let used = sourceInUse,
            let source = context.world.available(used.name), !source.isMuted, !source.hasNoVolume
        else { return false }
        let isHardlyAny = !inputMonitor.problems.isDisjoint(with: [.silent, .tooQuiet])
        return channelChoice.add(measure, isHardlyAny: isHardlyAny, channels: source.channels)
    }

    /// A file or pipe without any sound is silent.
    mutating func judgeInput() {
        if !inputMonitor.hasSound, inputMonitor.problems.contains(.silent) {
            block.addProblem(InputProblem.silent.rawValue)
        }
    }

    /// In a fixed order. A muted microphone is silent for that reason alone.
    private func inputProblems(_ context: SessionContext) -> [InputProblem] {
        guard stream.isFlowing else { return [] }
        var problems = inputMonitor.problems
        if channelChoice.isAntiphase { problems.insert(.antiphase) }
        if !usesMicrophone { problems.remove(.silent) }
        if usesMicrophone,
            let source = context.world.available(wantedTarget(context)) ?? context.world.defaultSource,
            source.isMuted || source.hasNoVolume
        {
            problems.subtract([.silent, .tooQuiet])
            problems.insert(source.isMuted ? .muted : .noVolume)
        }
        return InputProblem.allCases.filter(problems.contains)
    }

    /// Sends what is wrong now, after each change.
    mutating func sendProblems(_ context: SessionContext, _ effects: inout [Effect]) {
        let problems = inputProblems(context)
        for problem in problems { block.addProblem(problem.rawValue) }
        guard problems != sentProblems else { return }
        sentProblems = problems
        send(.problemsChanged(problems), context, &effects)
    }
}
