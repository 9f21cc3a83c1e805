import Logging
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// Turns a text into what the person said, stores it, and words the answer.
///
/// A text is the person's own declaration. A call for help counts at once; a rate bounds only its answers. A "safe"
/// counts once the person has written the code that the answer named, because a stranger can send a text under anyone's
/// number.
struct TextIntake: Sendable {
    private let coordinator: StoreCoordinator
    private let metrics: Metrics
    private let occasionalLog: OccasionalLog
    private let configuration: Configuration
    private let senders: TextSenders

    /// The device that has the places of a person's texts.
    static let deviceName = "sms"
    /// A place that a person wrote counts as this exact: it may show that the person is far from every muster region,
    /// and never that they are inside one. Nothing shows that it is true.
    static let placeAccuracy = Metres(10_000)
    /// The longest part of a text that is kept as the note of a call for help, in characters of Unicode.
    private static let noteLimit = 160

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        metrics = parts.metrics
        occasionalLog = parts.occasionalLog
        configuration = parts.configuration
        senders = TextSenders(country: parts.configuration.sms.country)
    }

    /// Stores what a text says; it is on disk when this returns.
    ///
    /// - Returns: the answer to the person; nil where nobody is answered.
    func answer(to received: ReceivedText, by principal: Principal) async throws -> String? {
        guard let user = user(of: received, principal) else { return nil }
        let text = Text(received, of: user, by: principal)
        if received.id != nil, let former = senders.formerAnswer(toID: text.declarationID) {
            return former.isEmpty ? nil : former
        }
        let isAnswered = senders.admitText(of: user.number)
        if !isAnswered { metrics.count(event: "sms_over_rate") }
        let message = TextMessage(received.text)
        let answer = try await answer(to: message, text, isAnswered)
        let words = isAnswered ? answer?.words(in: message.language ?? configuration.sms.language) : nil
        if received.id != nil { senders.storeAnswer(words ?? "", toID: text.declarationID) }
        return words
    }

    /// A text of a known person.
    private struct Text {
        let received: ReceivedText
        let user: User
        let principal: Principal
        /// The id of the declaration that the text makes: the same when the gateway sends the text again.
        let declarationID: String

        init(_ received: ReceivedText, of user: User, by principal: Principal) {
            self.received = received
            self.user = user
            self.principal = principal
            let mark = received.id.map { Fingerprint.text(of: Array("\(user.number.rawValue) \($0)".utf8)) }
            declarationID = "sms-" + (mark ?? SignalIntake.makeID())
        }
    }

    /// The person whose number the text comes from; nil where it is nobody's.
    private func user(of received: ReceivedText, _ principal: Principal) -> User? {
        let directory = coordinator.directory
        switch senders.sender(of: received.sender, in: directory) {
        case .known(let user):
            if Access(principal, in: directory).mayPassOnTexts(of: user) { return user }
            metrics.count(event: "sms_not_allowed")
        case .unknown: metrics.count(event: "sms_unknown_number")
        case .shared(let users):
            metrics.count(event: "sms_shared_number")
            occasionalLog.warn("sms_shared_number", "Several users have one number, so its texts count for nobody") {
                ["users": "\(users.prefix(5).map(\.name).joined(separator: ", "))", "count": "\(users.count)"]
            }
        }
        return nil
    }

    private func answer(to message: TextMessage, _ text: Text, _ isAnswered: Bool) async throws -> TextAnswer? {
        switch message.content {
        case .help(let place): return try await storeCall(.needsHelp, at: place, text)
        case .sos(let place): return try await storeCall(.sos, at: place, text)
        case _ where !isAnswered: return nil
        case .safe(let code, let place): return try await storeSafe(code: code, at: place, text)
        case .place(let place): return try await storePlace(place, text)
        case .unknown:
            metrics.count(event: "sms_not_understood")
            return .notUnderstood
        }
    }

    // MARK: Calls for help

    /// Stores a call for help. It counts as made when it arrives: a wrong clock must cost nobody help.
    private func storeCall(_ kind: Declaration.Kind, at place: Coordinate?, _ text: Text) async throws -> TextAnswer {
        let safety = try await declare(kind, at: place, note: note(of: text.received), sampleTime: nil, text)
        return switch safety.state {
        case .sos: .sos(at: place)
        case .needsHelp: .help(at: place)
        case .safe, .unsafe, .offSite, .unknown: .tooLate
        }
    }

    /// The words of the person, as leaders read them.
    private func note(of received: ReceivedText) -> String {
        let shown = received.text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return "SMS: " + String(String.UnicodeScalarView(shown.prefix(Self.noteLimit)))
    }

    // MARK: Safe

    private func storeSafe(code: String?, at place: Coordinate?, _ text: Text) async throws -> TextAnswer {
        let (user, now) = (text.user.number, configuration.now())
        let declared = try await coordinator.inspect { engine, _, _ in engine.declared(of: user) }
        if declared.status == .sos { return .sosStands }
        let use = code.map { senders.useCode($0, of: user, now: now) }
        guard let use, use.isRight else {
            if use != nil { metrics.count(event: "sms_wrong_code") }
            return .confirmSafe(
                code: senders.openCode(of: user, at: place, now: now), minutes: TextSenders.codeMinutes)
        }
        let safety = try await declare(
            .safe, at: place ?? use.place, note: "SMS", sampleTime: text.received.sentAt, text)
        return switch safety.state {
        case .safe: .safe
        case .sos: .sosStands
        case .needsHelp, .unsafe, .offSite, .unknown: .tooLate
        }
    }

    // MARK: Places

    /// Stores where a person says to be, as a coarse position of their device `sms`. For a person who calls for help
    /// the place adds to the call.
    private func storePlace(_ place: Coordinate, _ text: Text) async throws -> TextAnswer? {
        let (user, now) = (text.user.number, configuration.now())
        let declared = try await coordinator.inspect { engine, _, _ in engine.declared(of: user) }
        switch declared.status {
        case .sos: return try await storeCall(.sos, at: place, text)
        case .needsHelp: return try await storeCall(.needsHelp, at: place, text)
        case .nothing, .safe, .offSite: break
        }
        let directory = coordinator.directory
        var device = directory.device(named: Self.deviceName, of: user)
        if device == nil, Access(text.principal, in: directory).mayPassOnTexts(of: text.user) {
            device = try await coordinator.makeDevice(
                named: Self.deviceName, of: user, by: Author(text.principal))
        }
        guard let device else {
            metrics.count(event: "sms_no_device")
            return nil
        }
        var position = Position(
            coordinate: place, sampleTime: sampleTime(of: text.received.sentAt, at: now), receivedTime: now,
            accuracy: Self.placeAccuracy, attributes: #"{"sms":true}"#)
        position.reporter = text.principal.user
        _ = try await coordinator.ingest([.position(position, of: device.number)], by: text.principal)
        return .place(place)
    }

    // MARK: Storing

    /// Stores a declaration of the person, and returns how the person is then.
    private func declare(
        _ kind: Declaration.Kind, at place: Coordinate?, note: String, sampleTime: Instant?, _ text: Text
    ) async throws -> Safety {
        let (user, now) = (text.user.number, configuration.now())
        let declaration = Declaration(
            id: text.declarationID, subject: user, author: user, kind: kind,
            sampleTime: self.sampleTime(of: sampleTime, at: now), receivedTime: now, note: note, coordinate: place)
        _ = try await coordinator.ingest([.declaration(declaration)], by: text.principal)
        return try await coordinator.inspect { engine, _, _ in engine.safety(of: user) }
    }

    /// The time of the network where it can be right, and otherwise now.
    private func sampleTime(of sentAt: Instant?, at now: Instant) -> Instant {
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        let latest = now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        return sentAt.flatMap { (earliest...latest).contains($0) ? $0 : nil } ?? now
    }
}
