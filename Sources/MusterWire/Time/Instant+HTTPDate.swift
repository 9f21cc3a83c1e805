package import MusterCore

// IMF-fixdate of RFC 9110, section 5.6.7: the form of RFC 1123's dates, which HTTP and CouchDB's replication logs use.

extension Instant {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The time as `Mon, 23 Nov 2026 08:44:45 GMT`, without its fraction of a second. A time outside the years 0001 to
    /// 9999 is written as the nearest one inside.
    package var httpDate: String {
        let text = rfc3339  // 2026-11-23T08:44:45.000Z
        let held = min(max(self, .earliestInternetTime), .latestInternetTime).milliseconds
        // 1970-01-01 was a Thursday.
        let days = Int((held - (held < 0 ? 86_399_999 : 0)) / 86_400_000)
        let weekday = Self.weekdays[(days % 7 + 7) % 7]
        let month = Self.months[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
        let (day, time) = (text.dropFirst(8).prefix(2), text.dropFirst(11).prefix(8))
        return "\(weekday), \(day) \(month) \(text.prefix(4)) \(time) GMT"
    }

    /// Reads a time as `httpDate` writes it; nil for any other text. The name of the weekday need not fit the day.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].hasSuffix(","), Self.weekdays.contains(String(parts[0].dropLast())),
            let month = Self.months.firstIndex(of: String(parts[2])), parts[5] == "GMT"
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        guard let instant = try? Instant(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z") else { return nil }
        self = instant
    }
}
