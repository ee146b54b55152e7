import DictationCore

/// The time since it was made, on both clocks of ``Moment``.
struct WorkClock {
    // CLOCK_MONOTONIC and CLOCK_BOOTTIME on Linux. The event loop's timers go by the first.
    private let awake = SuspendingClock.now
    private let elapsed = ContinuousClock.now

    var now: Moment {
        Moment(awake: awake.duration(to: .now), elapsed: elapsed.duration(to: .now))
    }
}
