public import Foundation
public import Observation

/// By what every text of the app is worded: the language, the time zone, and the present moment.
///
/// The moment is the server's, as far as the phone knows it, so that a phone whose clock is off still says "3 min ago"
/// truly. A view that shows a text is drawn anew when the moment moves on.
@MainActor @Observable public final class Wording {
    /// The language in which the models speak. Setting it words everything anew.
    public var language: Language {
        didSet { words = Words(language) }
    }
    /// The texts of the language.
    public private(set) var words: Words
    /// The time zone of the clock times.
    public var timeZone: TimeZone
    /// The present moment by the phone's clock; `tick(at:)` moves it on.
    public private(set) var phoneNow: Date
    /// Seconds by which the server's clock is ahead of the phone's, by the server's newest answer; 0 while
    /// `knowsServerTime` is false.
    public private(set) var serverAheadSeconds = 0.0
    /// Whether the server, or what the phone kept of it, has said how far ahead its clock is.
    @ObservationIgnored private(set) var knowsServerTime = false

    /// What users are called, as far as the server said it.
    var names = CalledNames()

    /// A wording of a language, at a moment.
    public init(_ language: Language, timeZone: TimeZone = .current, now: Date = Date()) {
        self.language = language
        words = Words(language)
        self.timeZone = timeZone
        phoneNow = now
    }

    /// The present moment by the server's clock.
    public var now: Date { phoneNow.addingTimeInterval(serverAheadSeconds) }

    /// Learns how far the server's clock is ahead; less than two seconds is the way of an answer. Nil forgets it, as
    /// for another server.
    func learnServerTime(aheadSeconds: Double?) {
        knowsServerTime = aheadSeconds != nil
        let ahead = aheadSeconds ?? 0
        serverAheadSeconds = abs(ahead) < 2 ? 0 : ahead
    }

    /// Moves the present moment on. An app calls it about once a second while it is seen.
    public func tick(at moment: Date) { if moment != phoneNow { phoneNow = moment } }

    // MARK: Times and lengths in words

    /// For example `3 min ago`. A time ahead of the clock is "now"; nil is "never".
    func age(of moment: Date?) -> String {
        guard let moment else { return words.text(.timeNever) }
        let seconds = Int(now.timeIntervalSince(moment).rounded())
        switch seconds {
        case ..<5: return words.text(.timeNow)
        case ..<60: return words.text(.timeSecondsAgo, count: seconds)
        case ..<3600: return words.text(.timeMinutesAgo, count: seconds / 60)
        case ..<172_800: return words.text(.timeHoursAgo, count: seconds / 3600)
        default: return words.text(.timeDaysAgo, count: seconds / 86_400)
        }
    }

    /// For example `5 min`.
    func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: words.text(.timeSeconds, count: Int(seconds.rounded()))
        case ..<7200: words.text(.timeMinutes, count: Int((seconds / 60).rounded()))
        case ..<172_800: words.text(.timeHours, count: Int((seconds / 3600).rounded()))
        default: words.text(.timeDays, count: Int((seconds / 86_400).rounded()))
        }
    }

    /// For example `12:03:07`, with the date before it if it is another day's; a dash for no time.
    func clock(_ moment: Date?, hasSeconds: Bool = true) -> String {
        guard let moment else { return "–" }
        return Self.clock(moment, at: now, timeZone, hasSeconds: hasSeconds)
    }

    /// The time of a moment, with the date before it if it is of another day than `now`.
    nonisolated static func clock(
        _ moment: Date, at now: Date, _ timeZone: TimeZone, hasSeconds: Bool = true
    ) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let units: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        let then = calendar.dateComponents(units, from: moment)
        let today = calendar.dateComponents(units, from: now)
        func two(_ number: Int?) -> String { String(format: "%02d", number ?? 0) }
        let time = "\(two(then.hour)):\(two(then.minute))" + (hasSeconds ? ":\(two(then.second))" : "")
        if (then.year, then.month, then.day) == (today.year, today.month, today.day) { return time }
        return "\(then.year ?? 0)-\(two(then.month))-\(two(then.day)) \(time)"
    }

    /// For example `12:03`.
    func minute(_ moment: Date?) -> String { clock(moment, hasSeconds: false) }

    /// For example `4:07`: seconds as a running time.
    func stopwatch(_ seconds: Double) -> String {
        let whole = max(0, Int(seconds))
        let rest = String(format: "%02d", whole % 60)
        guard whole >= 3600 else { return "\(whole / 60):\(rest)" }
        return "\(whole / 3600):\(String(format: "%02d", whole / 60 % 60)):\(rest)"
    }

    /// For example `40 m` or `1.2 km`.
    func length(_ metres: Double) -> String {
        guard metres >= 1000 else { return words.text(.lengthMetres, ["count": String(Int(metres.rounded()))]) }
        let kilometres = metres / 1000
        let text = kilometres < 10 ? String(format: "%.1f", kilometres) : String(Int(kilometres.rounded()))
        return words.text(.lengthKilometres, ["count": text])
    }

    /// What a user is called, fit to stand in a sentence; empty for nobody.
    func called(_ user: String?) -> String { user.map { legible(names.name(of: $0)) } ?? "" }

    /// What somebody typed, without line breaks, control characters and characters that turn the direction of a text.
    func legible(_ text: String?) -> String { Self.legible(text) }

    /// What somebody typed, as `legible(_:)` shows it.
    nonisolated static func legible(_ text: String?) -> String {
        guard let text else { return "" }
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isControl = scalar.properties.generalCategory == .control
            let isTurning = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            return isControl || isTurning ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
