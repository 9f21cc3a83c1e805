import Foundation

/// The time for which a body computes on its thread, whatever else the machine does meanwhile.
func computingTime(of body: () throws -> Void) rethrows -> Duration {
    func spent() -> Duration {
        var time = timespec()
        _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let before = spent()
    try body()
    return spent() - before
}
