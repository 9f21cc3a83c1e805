import MusterCoding
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// The fields that change something, by the same commands as the native API's routes.
extension ServedField {
    static let mutation = [
        fields(of: "Mutation", { $0.isOperation }, commands),
        fields(of: "Mutation", { $0.isOperation }, accounts),
        fields(of: "Mutation", { $0.isOperation }, directoryCommands),
        fields(of: "ReportPositionsPayload", { $0.asPositionReceipt }, positionReceipt),
        fields(of: "RefusedPosition", { $0.asRefusedPosition }, refusedPosition),
    ].flatMap { $0 }

    private static let commands: [String: Field<Void>] = [
        "updateUser": command { arguments, operation in
            let input = arguments["input"] ?? .null
            guard let user = modelUser(input["id"]?.string ?? "", operation) else { throw GraphQLFieldFault.notFound }
            if let condition = arguments["condition"] {
                let holds = try await UserFilter(condition).matches(among: [user], operation)
                guard !holds.isEmpty else { throw GraphQLFieldFault.conditionFailed }
            }
            if let name = input["username"]?.string, name != user.name {
                throw GraphQLFieldFault.badRequest("`username` cannot be changed.")
            }
            if let isSafe = input["isSafe"]?.boolean, try await mayApply(isSafe, to: user, input, operation) {
                let declared = Declared(user: user, kind: isSafe ? .safe : .needsHelp)
                try await declare(declared, "updateUser", operation)
            }
            return operation.directory.users[user.number].map { ServedObject.user($0).resolved } ?? .null
        },
        "declare": command { arguments, operation in
            let input = FieldArguments(members: arguments["input"]?.members ?? [])
            guard case .person(let name)? = GlobalID(input["person"]?.string ?? ""),
                let user = operation.directory.users[name], operation.access.mayKnow(user)
            else { throw GraphQLFieldFault.notFound }
            guard let kind = Declaration.Kind(served: input["declaration"]?.string ?? "") else {
                throw GraphQLFieldFault.badRequest("`declaration` is unknown.")
            }
            let declared = Declared(
                user: user, kind: kind, id: try input.requestID,
                note: try input.text("note", Declaration.noteLimitBytes),
                sampleTime: try input.instant("sampleTime"))
            try await declare(declared, "declare", operation)
            return operation.directory.users[user.number].map { ServedObject.person($0).resolved } ?? .null
        },
        "openIncident": command { arguments, operation in
            let input = FieldArguments(members: arguments["input"]?.members ?? [])
            guard let team = try team(input["team"]?.string ?? "", operation) else { throw GraphQLFieldFault.notFound }
            guard operation.access.mayLead(team) else { throw GraphQLFieldFault.unauthorized("Mutation.openIncident") }
            let incident = try await operation.coordinator.startIncident(
                of: team.number, input["kind"]?.string == "DRILL" ? .drill : .real,
                note: try input.text("note", Incident.noteLimitBytes), sentAs: try input.requestID,
                by: operation.author)
            operation.renew()
            return ServedObject.incident(incident).resolved
        },
        "closeIncident": command { arguments, operation in
            let input = FieldArguments(members: arguments["input"]?.members ?? [])
            guard case .incident(let number)? = GlobalID(input["id"]?.string ?? ""),
                let incident = try await incident(number, operation)
            else { throw GraphQLFieldFault.notFound }
            guard let team = operation.directory.teams[incident.team], operation.access.mayLead(team) else {
                throw GraphQLFieldFault.unauthorized("Mutation.closeIncident")
            }
            guard let reason = try input.text("reason", Incident.noteLimitBytes), !reason.allSatisfy(\.isWhitespace)
            else { throw GraphQLFieldFault.badRequest("`reason` must not be empty.") }
            let closed = try await operation.coordinator.closeIncident(
                incident, reason: reason, sentAs: try input.requestID, by: operation.author)
            operation.renew()
            return ServedObject.incident(closed.incident).resolved
        },
        "reportPositions": command { arguments, operation in
            let receipt = try await report(arguments["input"]?.elements ?? [], operation)
            return .object(.positionReceipt(receipt), type: nil)
        },
    ]

    private static let positionReceipt: [String: Field<PositionReceipt>] = [
        "storedCount": .value({ _, _ in true }) { receipt, _ in .integer(Int64(receipt.stored)) },
        "repeatedCount": .value({ _, _ in true }) { receipt, _ in .integer(Int64(receipt.repeated)) },
        "filteredCount": .value({ _, _ in true }) { receipt, _ in .integer(Int64(receipt.filtered)) },
        "refused": .batch({ _, _ in true }) { receipts, _, _ in
            receipts.map { receipt in .list(receipt.refused.map { .object(.refusedPosition($0), type: nil) }) }
        },
    ]

    private static let refusedPosition: [String: Field<RefusedPosition>] = [
        "index": .value({ _, _ in true }) { refused, _ in .integer(Int64(refused.index)) },
        "reason": .value({ _, _ in true }) { refused, _ in .string(refused.reason) },
    ]

    /// Whether a client's `isSafe` is declared. A client that did not know the newest version makes nobody safe: its
    /// copy is merged with the newer state, which is the answer. It may always call for help.
    private static func mayApply(
        _ isSafe: Bool, to user: User, _ input: JSONValue, _ operation: OperationContext
    ) async throws -> Bool {
        guard isSafe, let version = input["_version"]?.integer else { return true }
        return try await operation.versions(of: [user])[user.number]?.shownNumber == version
    }

    /// How many mutations one operation executes.
    private static let commandLimit = 20

    /// A field of the root of mutations. One request is not worth a thousand of the native API.
    static func command(
        _ execute: @escaping @Sendable (FieldArguments, OperationContext) async throws -> Resolved
    ) -> Field<Void> {
        root { arguments, operation in
            try await operation.beginCommand(of: Self.commandLimit)
            return try await execute(arguments, operation)
        }
    }

    // MARK: Declarations

    /// What a mutation declares.
    struct Declared: Sendable {
        var user: User
        var kind: Declaration.Kind
        var id: String?
        var note: String?
        var sampleTime: Instant?
    }

    /// Stores a declaration; it is on disk when this returns.
    static func declare(_ declared: Declared, _ field: String, _ operation: OperationContext) async throws {
        let access = operation.access
        guard access.mayRead(declared.user), access.mayDeclare(declared.kind, of: declared.user) else {
            throw GraphQLFieldFault.unauthorized("Mutation.\(field)")
        }
        let now = operation.configuration.now()
        let sampleTime = declared.sampleTime ?? now
        if let words = operation.words(against: sampleTime, at: now) {
            throw GraphQLFieldFault.badRequest("`sampleTime` \(words).")
        }
        let declaration = Declaration(
            id: declared.id ?? Base64.encodeUnpadded(SecretToken.randomBytes(18), .forURLs),
            subject: declared.user.number, author: access.principal.user, device: access.principal.device,
            kind: declared.kind, sampleTime: sampleTime, receivedTime: now, note: declared.note)
        _ = try await operation.coordinator.ingest([.declaration(declaration)], by: access.principal)
        operation.renew()
    }

    // MARK: Positions

    /// The most positions of one report.
    private static let reportLimit = 1_000

    /// Stores those positions that can be stored; they are on disk when this returns.
    private static func report(
        _ inputs: [JSONValue], _ operation: OperationContext
    ) async throws -> PositionReceipt {
        guard inputs.count <= reportLimit else {
            throw GraphQLFieldFault.badRequest("`input` has more than \(reportLimit) positions.")
        }
        // One request reports as much as one of the native API, however many fields it has.
        try operation.spendReports(inputs.count, of: reportLimit)
        let access = operation.access
        let now = operation.configuration.now()
        var receipt = PositionReceipt()
        var observations: [Observation] = []
        for (index, input) in inputs.enumerated() {
            let input = FieldArguments(members: input.members ?? [])
            do throws(GraphQLFieldFault) {
                let device = try reportingDevice(input, access)
                var position = try position(input, receivedAt: now)
                if let words = operation.words(against: position.sampleTime, at: now) {
                    throw .badRequest("`sampleTime` \(words).")
                }
                position.reporter = access.reporter(of: device.number)
                observations.append(.position(position, of: device.number))
            } catch {
                receipt.refused.append(RefusedPosition(index: index, reason: error.message))
            }
        }
        if observations.isEmpty { return receipt }
        let tally = try await operation.coordinator.ingest(observations, by: access.principal).tally
        operation.renew()
        receipt.stored = tally.accepted + tally.late
        (receipt.repeated, receipt.filtered) = (tally.repeated, tally.filtered)
        return receipt
    }

    private static func reportingDevice(
        _ input: FieldArguments, _ access: Access
    ) throws(GraphQLFieldFault) -> Device {
        guard case .device(let name, let owner)? = GlobalID(input["device"]?.string ?? ""),
            let owner = access.directory.users[owner],
            let device = access.directory.device(named: name, of: owner.number), access.mayReport(for: device)
        else { throw .badRequest("There is no such device, or you may not report for it.") }
        return device
    }

    private static func position(
        _ input: FieldArguments, receivedAt now: Instant
    ) throws(GraphQLFieldFault) -> Position {
        let latitude = try input.number("latitudeDegrees", in: -90...90) ?? .nan
        let longitude = try input.number("longitudeDegrees", in: -180...180) ?? .nan
        guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
            throw .badRequest("The coordinate is not on the earth.")
        }
        guard let sampleTime = try input.instant("sampleTime") else { throw .badRequest("`sampleTime` is required.") }
        let accuracy = try input.number("accuracyMetres", in: 0...1e8)
        return Position(
            coordinate: coordinate, sampleTime: sampleTime, receivedTime: now,
            accuracy: accuracy.flatMap { $0 > 0 ? Metres($0) : nil },
            speed: try input.number("speedMetresPerSecond", in: 0...1e6),
            heading: try input.number("courseDegrees", in: 0...360).map { $0 == 360 ? 0 : $0 },
            battery: try input.number("batteryPercent", in: 0...100))
    }
}

extension GraphQLFieldFault {
    static let conditionFailed = GraphQLFieldFault(
        "The conditional request failed.", code: "ConditionalCheckFailedException")
}

extension OperationContext {
    /// What is wrong with a reported time; nil when nothing is.
    fileprivate func words(against sampleTime: Instant, at now: Instant) -> String? {
        if sampleTime > now.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            return "is more than 60 s ahead of \(now.rfc3339)"
        }
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        return sampleTime < earliest ? "is before \(earliest.rfc3339), the oldest stored time" : nil
    }
}

extension FieldArguments {
    /// The sender's name of the request; nil when it has none.
    fileprivate var requestID: String? {
        get throws(GraphQLFieldFault) {
            guard let id = self["requestID"]?.string else { return nil }
            guard Declaration.isValid(id: id) else {
                throw .badRequest("`requestID` must be 1 to 64 letters, digits and any of . _ -.")
            }
            return id
        }
    }

    /// A text; nil when there is none.
    fileprivate func text(_ name: String, _ limitBytes: Int) throws(GraphQLFieldFault) -> String? {
        guard let text = self[name]?.string else { return nil }
        guard text.utf8.count <= limitBytes else { throw .badRequest("`\(name)` is longer than \(limitBytes) bytes.") }
        return text
    }

    /// A number within a range; nil when there is none.
    fileprivate func number(
        _ name: String, in range: ClosedRange<Double>
    ) throws(GraphQLFieldFault) -> Double? {
        guard let number = self[name]?.number else { return nil }
        guard range.contains(number) else {
            throw .badRequest(
                "`\(name)` must be \(JSONWriter.text(range.lowerBound)) to \(JSONWriter.text(range.upperBound)).")
        }
        return number
    }
}

extension Declaration.Kind {
    /// The kind that the schema names so; nil for none.
    fileprivate init?(served name: String) {
        switch name {
        case "SAFE": self = .safe
        case "NEEDS_HELP": self = .needsHelp
        case "SOS": self = .sos
        case "OFF_SITE": self = .offSite
        case "CLEAR": self = .clear
        case "ACKNOWLEDGE": self = .acknowledge
        default: return nil
        }
    }
}
