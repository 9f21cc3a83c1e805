package import MusterCore

/// What μlogger posts (`WebHelper.java` and `WebSyncService.java` of https://github.com/bfabiszewski/ulogger-android):
/// a form whose field `action` says what it is.
package enum ULoggerReport {
    /// The longest comment that is kept with a position, in bytes; a longer one is cut.
    private static let commentLimitBytes = 512

    /// Reads the position of an `addpos`: `time` in seconds, `speed` in metres a second, a comment that the person
    /// wrote. A picture is not kept. The app signs in (`auth`) and begins a track (`addtrack`) before; neither reports.
    package static func report(_ fields: FormFields, receivedAt: Instant) -> TrackerReport {
        var report = TrackerReport()
        if let action = fields.text("action"), action == "auth" || action == "addtrack" { return report }
        switch fields.place {
        case .failure(let fault): report.addFault(fault.words)
        case .success(let coordinate):
            // The app sends a place with its time. Without it the place might be an old one.
            guard let time = fields.text("time").flatMap({ Instant(trackerText: $0) }) else {
                report.addFault("time: is no time.")
                break
            }
            report.positions.append(
                Position(
                    tracked: coordinate, at: time, receivedAt: receivedAt, accuracy: fields.number("accuracy"),
                    altitude: fields.number("altitude"), speed: fields.number("speed"),
                    heading: fields.number("bearing"), battery: nil, source: .uLogger,
                    attributes: attributes(comment: fields.text("comment"))))
        }
        return report
    }

    private static func attributes(comment: String?) -> String? {
        guard var comment else { return nil }
        while comment.utf8.count > commentLimitBytes { comment.removeLast() }
        return String(decoding: JSONWriter.object { $0.member("comment", comment) }, as: UTF8.self)
    }
}
