import DictationBus
import DictationCore

/// The time since its creation, on both clocks of ``Moment``.
struct WorkClock {
    // CLOCK_MONOTONIC and CLOCK_BOOTTIME on Linux. The event loop's timers use the first.
    private let awake = SuspendingClock.now
    private let elapsed = ContinuousClock.now

    var now: Moment {
        Moment(awake: awake.duration(to: .now), elapsed: elapsed.duration(to: .now))
    }
}
