import Crypto
import Logging
import MusterCoding
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
    /// A place that is older than this, in seconds, shows that the gateway's clock or time zone may be wrong.
    private static let lateSeconds = 6.0 * 3_600

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
        let users = users(of: received, principal)
        guard let user = users.first else { return nil }
        let text = Text(received, of: user, by: principal)
        if received.id != nil, let former = senders.formerAnswer(toID: text.declarationID) {
            return former.isEmpty ? nil : former
        }
        let message = TextMessage(received.text)
        let isAdmitted = senders.admitText(of: user.number, message.kind)
        if !isAdmitted { metrics.count(event: "sms_over_rate") }
        let answer =
            users.count > 1
            ? try await answerToShared(message, text, of: users, isAdmitted)
            : try await answer(to: message, text, isAdmitted)
        if answer == .tooLate { metrics.count(event: "sms_too_late") }
        let words = answer?.words(in: message.language ?? configuration.sms.language)
        if received.id != nil { senders.storeAnswer(words ?? "", toID: text.declarationID) }
        return words
    }

    /// A text of a known person.
    private struct Text {
        let received: ReceivedText
        let user: User
        let principal: Principal
        /// The id of the declaration that the text makes: the same when the gateway sends the text again. An id that
        /// the gateway gave to another text before does not make it that text.
        let declarationID: String

        init(_ received: ReceivedText, of user: User, by principal: Principal) {
            self.received = received
            self.user = user
            self.principal = principal
            let mark = received.id.map { id in
                let time = received.sentAt.map { "\($0.milliseconds)" } ?? ""
                let digest = SHA256.hash(
                    data: Array("\(user.number.rawValue) \(id) \(time) \(received.text)".utf8))
                return Array(digest.prefix(16)).hexadecimal
            }
            declarationID = "sms-" + (mark ?? SignalIntake.makeID())
        }
    }

    /// The people whose number the text comes from: several where they share it, none where it is nobody's.
    private func users(of received: ReceivedText, _ principal: Principal) -> [User] {
        let directory = coordinator.directory
        let owners = senders.owners(of: received.sender, in: directory)
        let access = Access(principal, in: directory)
        let users = owners.filter { access.mayPassOnTexts(of: $0) }
        if owners.isEmpty {
            metrics.count(event: "sms_unknown_number")
        } else if users.isEmpty {
            metrics.count(event: "sms_not_allowed")
        } else if users.count > 1 {
            metrics.count(event: "sms_shared_number")
            occasionalLog.warn(
                "sms_shared_number", "Several users have one number, so only calls for help by SMS count for them"
            ) {
                ["users": "\(users.prefix(5).map(\.name).joined(separator: ", "))", "count": "\(users.count)"]
            }
        }
        return users
    }

    /// The answer to a text of one person. A call, a place of someone who calls, and a code are looked at also where
    /// the text is not admitted: only then is it not answered.
    private func answer(to message: TextMessage, _ text: Text, _ isAdmitted: Bool) async throws -> TextAnswer? {
        switch message.content {
        case .help(let place): return try await storeCall(.needsHelp, at: place, text, isAdmitted)
        case .sos(let place): return try await storeCall(.sos, at: place, text, isAdmitted)
        case .place(let place): return try await storePlace(place, text, isAdmitted)
        case .safe(let code, let place):
            return try await storeSafe(code: code, at: place, text, isAdmitted)
        case .unknown:
            metrics.count(event: "sms_not_understood")
            return isAdmitted ? .notUnderstood : nil
        }
    }

    /// The answer to a text whose number several people have. Nobody knows who called for help, so all of them count as
    /// calling; nothing else that the text says counts.
    private func answerToShared(
        _ message: TextMessage, _ text: Text, of users: [User], _ isAdmitted: Bool
    ) async throws -> TextAnswer? {
        guard let kind = message.call else { return isAdmitted ? .sharedNumber : nil }
        let answer: TextAnswer = kind == .sos ? .sos(at: message.place) : .help(at: message.place)
        let now = configuration.now()
        var calls: [Observation] = []
        for user in users {
            senders.closeCode(of: user.number)
            let declared = try await declared(of: user)
            if !isAdmitted, message.place == nil, declared.stands(kind) { continue }
            let note = note(of: text.received, after: "SMS from a number that several people have: ")
            calls.append(
                .declaration(
                    Declaration(
                        id: text.declarationID, subject: user.number, author: user.number, kind: kind, sampleTime: now,
                        receivedTime: now, note: note, coordinate: message.place)))
        }
        if calls.isEmpty { metrics.count(event: "sms_call_repeated") }
        _ = try await coordinator.ingest(calls, by: text.principal)
        return isAdmitted ? answer : nil
    }

    private func declared(of user: User) async throws -> Declared {
        try await coordinator.inspect { engine, _, _ in engine.declared(of: user.number) }
    }

    // MARK: Calls for help

    /// Stores a call for help. It counts as made when it arrives: a wrong clock must cost nobody help. A code from
    /// before it no longer counts.
    ///
    /// - Parameter isAdmitted: false where the person's number sends too many calls. Then a call that stands already,
    ///   and says no place, is not stored again.
    private func storeCall(
        _ kind: Declaration.Kind, at place: Coordinate?, _ text: Text, _ isAdmitted: Bool
    ) async throws -> TextAnswer? {
        senders.closeCode(of: text.user.number)
        if !isAdmitted, place == nil, try await declared(of: text.user).stands(kind) {
            metrics.count(event: "sms_call_repeated")
            return nil
        }
        let safety = try await declare(
            kind, at: place, note: note(of: text.received, after: "SMS: "), at: configuration.now(), text)
        guard isAdmitted else { return nil }
        return switch safety.state {
        case .sos: .sos(at: place)
        case .needsHelp: .help(at: place)
        case .safe, .unsafe, .offSite, .unknown: .tooLate
        }
    }

    /// The words of the person in one line, as leaders read them, as far as a note may be long.
    private func note(of received: ReceivedText, after beginning: String) -> String {
        var note = beginning
        for given in received.text.unicodeScalars {
            let scalar = given.properties.generalCategory == .control ? " " : given
            guard note.utf8.count + UTF8.width(scalar) <= Declaration.noteLimitBytes else { break }
            note.unicodeScalars.append(scalar)
        }
        return note
    }

    // MARK: Safe

    /// Stores that a person is safe, if they wrote the code that they were asked for.
    ///
    /// A text may arrive late, and no clock says surely when it was written. The code says that it was written after
    /// the code was made. So the person counts as safe as of that moment, and whatever is newer stands: a call for help
    /// made since, or an incident that began since.
    private func storeSafe(
        code: String?, at place: Coordinate?, _ text: Text, _ isAdmitted: Bool
    ) async throws -> TextAnswer? {
        let (user, now) = (text.user.number, configuration.now())
        let (declared, incident) = try await coordinator.inspect { [team = text.user.team] engine, _, _ in
            (engine.declared(of: user), team.flatMap { engine.openIncident(of: $0) })
        }
        if declared.status == .sos { return isAdmitted ? .sosStands : nil }
        let newest = [declared.latest, incident?.startedAt].compactMap { $0 }.max()
        // Somebody who sends it again does not know that it counted.
        if let code, declared.status == .safe, senders.isUsedCode(code, of: user) { return isAdmitted ? .safe : nil }
        guard let code, let open = senders.matchingCode(code, of: user, now: now) else {
            if code != nil { metrics.count(event: "sms_wrong_code") }
            guard isAdmitted else { return nil }
            return .confirmSafe(
                code: senders.openCode(of: user, at: place, after: newest, now: now), minutes: TextSenders.codeMinutes)
        }
        // The engine counts a declaration of the same moment as the newer one, and a code is never the newer one.
        if let newest, open.openedAt <= newest {
            senders.closeCode(open, of: user)
            return .tooLate
        }
        let safety = try await declare(.safe, at: place ?? open.place, note: "SMS", at: open.openedAt, text)
        senders.closeCode(open, of: user)
        return switch safety.state {
        case .safe: .safe
        case .sos: .sosStands
        case .needsHelp, .unsafe, .offSite, .unknown: .tooLate
        }
    }

    // MARK: Places

    /// Stores where a person says to be, as a coarse position of their device `sms`. For a person who calls for help
    /// the place adds to the call.
    private func storePlace(_ place: Coordinate, _ text: Text, _ isAdmitted: Bool) async throws -> TextAnswer? {
        let (user, now) = (text.user.number, configuration.now())
        switch try await declared(of: text.user).status {
        case .sos: return try await storeCall(.sos, at: place, text, isAdmitted)
        case .needsHelp: return try await storeCall(.needsHelp, at: place, text, isAdmitted)
        case .nothing, .safe, .offSite: break
        }
        guard isAdmitted else { return nil }
        let directory = coordinator.directory
        var device = directory.device(named: Self.deviceName, of: user)
        if device == nil, Access(text.principal, in: directory).mayPassOnTexts(of: text.user) {
            device = try await coordinator.makeDevice(
                named: Self.deviceName, of: user, by: Author(text.principal))
        }
        guard let device else {
            metrics.count(event: "sms_no_device")
            occasionalLog.warn("sms_no_device", "A user has too many devices for one that has the places of texts") {
                ["user": "\(text.user.name)"]
            }
            return nil
        }
        var position = Position(
            coordinate: place, sampleTime: sampleTime(of: text.received.sentAt, at: now), receivedTime: now,
            accuracy: Self.placeAccuracy, attributes: #"{"sms":true}"#)
        position.reporter = text.principal.user
        let receipt = try await coordinator.ingest([.position(position, of: device.number)], by: text.principal)
        return receipt.tally.accepted > 0 ? .place(place) : .tooLate
    }

    // MARK: Storing

    /// Stores a declaration of the person, and returns how the person is then.
    private func declare(
        _ kind: Declaration.Kind, at place: Coordinate?, note: String, at moment: Instant, _ text: Text
    ) async throws -> Safety {
        let user = text.user.number
        let declaration = Declaration(
            id: text.declarationID, subject: user, author: user, kind: kind, sampleTime: moment,
            receivedTime: configuration.now(), note: note, coordinate: place)
        _ = try await coordinator.ingest([.declaration(declaration)], by: text.principal)
        return try await coordinator.inspect { engine, _, _ in engine.safety(of: user) }
    }

    /// The time of the network where it can be right, and otherwise now. A time that is hours off is counted: a text
    /// may be that late, or the gateway's time zone is wrong.
    private func sampleTime(of sentAt: Instant?, at now: Instant) -> Instant {
        guard let sentAt else { return now }
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        let latest = now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        if !(now.advanced(bySeconds: -Self.lateSeconds)...latest).contains(sentAt) {
            metrics.count(event: "sms_clock")
            occasionalLog.warn("sms_clock", "A gateway of texts gives times that are hours off: see to its time zone") {
                ["secondsOff": "\(Int(now.seconds(since: sentAt)))"]
            }
        }
        return (earliest...latest).contains(sentAt) ? sentAt : now
    }
}

extension Declared {
    /// Whether a call for help of this kind, or a stronger one, applies.
    fileprivate func stands(_ kind: Declaration.Kind) -> Bool {
        status == .sos || (kind == .needsHelp && status == .needsHelp)
    }
}

extension TextMessage {
    /// What the text calls for; nil where it is no call for help.
    fileprivate var call: Declaration.Kind? {
        switch content {
        case .help: .needsHelp
        case .sos: .sos
        case .safe, .place, .unknown: nil
        }
    }

    /// The place of a call for help.
    fileprivate var place: Coordinate? {
        switch content {
        case .help(let place), .sos(let place): place
        case .safe, .place, .unknown: nil
        }
    }

    /// What the text asks an answer to.
    fileprivate var kind: TextSenders.Kind {
        switch content {
        case .help, .sos: .call
        case .safe, .place: .other
        case .unknown: .unknown
        }
    }
}
