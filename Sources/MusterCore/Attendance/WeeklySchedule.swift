/// How far a time zone's clocks are ahead of UTC. MusterCore contains no time zone data, so the server supplies the
/// operating system's.
public struct ZoneOffsets: Sendable {
    /// Returns by how many seconds a zone's clocks are ahead of UTC at a moment; nil for an unknown zone.
    public let secondsAhead: @Sendable (_ zone: String, _ moment: Instant) -> Int?

    /// Creates the offsets that a function returns. The function is pure.
    public init(_ secondsAhead: @escaping @Sendable (_ zone: String, _ moment: Instant) -> Int?) {
        self.secondsAhead = secondsAhead
    }

    /// Offsets that know only the zone named UTC.
    public static let utcOnly = ZoneOffsets { zone, _ in zone == "UTC" ? 0 : nil }
}

/// The times of a week in which somebody is expected, by the clocks of one time zone.
///
/// Where clocks are changed, a window holds the moments whose local time lies in it. A start that the clocks skip is
/// the moment of the change. A start that comes twice is the first one, and an end that comes twice the second. A
/// window that lies wholly in skipped time does not take place on that day.
public struct WeeklySchedule: Hashable, Sendable {
    /// The IANA name of the time zone, such as Europe/Vienna.
    public var zone: String
    /// The windows, each of one day of the week; at most `windowLimit`.
    public var windows: [Window]

    /// A span of time that begins on one day of the week and lasts at most 24 hours.
    public struct Window: Hashable, Comparable, Sendable {
        /// The day on which it begins, from 1 for Monday to 7 for Sunday.
        public var weekday: UInt8
        /// When it begins, in minutes after midnight: 0 to 1,439.
        public var startMinute: Int16
        /// When it ends, in minutes after midnight: 1 to 1,440; one that is not after the start is on the next day.
        public var endMinute: Int16

        public init(weekday: UInt8, startMinute: Int16, endMinute: Int16) {
            self.weekday = weekday
            self.startMinute = startMinute
            self.endMinute = endMinute
        }

        /// How long it is on a day without a change of the clocks, in seconds.
        public var lengthSeconds: Double {
            let minutes = Int(endMinute) - Int(startMinute)
            return Double((minutes > 0 ? minutes : minutes + 1_440) * 60)
        }

        /// Orders windows by day, then by start.
        public static func < (left: Window, right: Window) -> Bool {
            (left.weekday, left.startMinute, left.endMinute) < (right.weekday, right.startMinute, right.endMinute)
        }
    }

    /// Which window of which day: it stays the same when the rules of the zone change.
    public struct Occurrence: Hashable, Comparable, Sendable {
        /// The local date on which the window begins, in days since 1970-01-01.
        public var day: Int32
        /// The index of the window in the schedule.
        public var window: UInt8

        public init(day: Int32, window: UInt8) {
            self.day = day
            self.window = window
        }

        /// Orders occurrences by date, then by window.
        public static func < (left: Occurrence, right: Occurrence) -> Bool {
            (left.day, left.window) < (right.day, right.window)
        }
    }

    /// How many windows a schedule may have.
    public static let windowLimit = 42

    /// Creates a schedule; its windows are put in order.
    public init(zone: String, windows: [Window]) {
        self.zone = zone
        self.windows = windows.sorted()
    }

    /// Returns when a window of a day begins and ends; nil when it does not take place, or when the zone is not known.
    public func times(of occurrence: Occurrence, _ offsets: ZoneOffsets) -> (start: Instant, end: Instant)? {
        guard windows.indices.contains(Int(occurrence.window)) else { return nil }
        let window = windows[Int(occurrence.window)]
        guard window.weekday == Self.weekday(ofDay: occurrence.day) else { return nil }
        let midnight = Int64(occurrence.day) * 86_400
        let start = midnight + Int64(window.startMinute) * 60
        let end = start + Int64(window.lengthSeconds)
        guard let first = moment(of: start, isLast: false, offsets), let last = moment(of: end, isLast: true, offsets),
            first < last
        else { return nil }
        return (first, last)
    }

    /// Returns the occurrences that begin on the local dates from `first` to `last`, in order.
    func occurrences(from first: Int32, through last: Int32) -> [Occurrence] {
        guard first <= last else { return [] }
        return (first...last).flatMap { day in
            windows.indices.filter { windows[$0].weekday == Self.weekday(ofDay: day) }
                .map { Occurrence(day: day, window: UInt8($0)) }
        }
    }

    /// Returns the local date at a moment, in days since 1970-01-01; nil when the zone is not known.
    func day(at moment: Instant, _ offsets: ZoneOffsets) -> Int32? {
        guard let ahead = offsets.secondsAhead(zone, moment) else { return nil }
        let seconds = (moment.milliseconds / 1_000) + Int64(ahead)
        return Int32(clamping: (seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
    }

    /// 1970-01-01 was a Thursday.
    private static func weekday(ofDay day: Int32) -> UInt8 { UInt8((((Int(day) + 3) % 7) + 7) % 7 + 1) }

    /// Returns the moment of a local time, in seconds since 1970-01-01T00:00 on the zone's clocks.
    ///
    /// - Parameter isLast: whether the second moment is returned for a local time that comes twice.
    private func moment(of local: Int64, isLast: Bool, _ offsets: ZoneOffsets) -> Instant? {
        func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1_000) }
        guard let before = offsets.secondsAhead(zone, at(local - 86_400)),
            let after = offsets.secondsAhead(zone, at(local + 86_400))
        else { return nil }
        let found = [local - Int64(before), local - Int64(after)].filter { seconds in
            offsets.secondsAhead(zone, at(seconds)).map { seconds + Int64($0) == local } ?? false
        }
        if let moment = isLast ? found.max() : found.min() { return at(moment) }
        // The clocks skip this time: the moment at which they do, found by halves.
        var (early, late) = (local - Int64(max(before, after)) - 1, local - Int64(min(before, after)))
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offsets.secondsAhead(zone, at(middle)) == after { late = middle } else { early = middle }
        }
        return at(late)
    }
}
