import MusterCore
import MusterServer
import MusterWire

/// EventBridge's operations on the targets of rules.
extension EventsService {
    /// The failure of one target of a request.
    private struct Failure {
        var id: String
        var code: String
        var message: String

        init(_ id: String, _ fault: AmazonError) {
            self.id = id
            code = fault.code
            message = fault.message
        }

        var json: JSONValue {
            .object([
                .init("TargetId", .string(id)), .init("ErrorCode", .string(code)),
                .init("ErrorMessage", .string(message)),
            ])
        }
    }

    private func json(_ failures: [Failure]) -> JSONValue {
        .object([
            .init("FailedEntryCount", .integer(Int64(failures.count))),
            .init("FailedEntries", .array(failures.map(\.json))),
        ])
    }

    func putTargets(_ fields: EventsFields, by author: Author) async throws -> JSONValue {
        let entries = try fields.list("Targets", 1...100)
        let failures = try await coordinator.edit(by: author) { directory, draft in
            var rule = try self.rule(fields, "Rule", in: directory)
            let pattern = try RuleEditing.compile(rule.pattern)
            var failures: [Failure] = []
            for (index, entry) in entries.enumerated() {
                // What the API model forbids fails the whole request. What only the server can check fails the entry.
                let draft = try TargetDraft(EventsFields(entry, at: "Targets.\(index + 1).member"))
                let id = draft.id
                do {
                    let target = try draft.target(in: directory)
                    try RuleEditing.check(target, with: pattern)
                    rule.targets.removeAll { $0.id == id }
                    rule.targets.append(target)
                } catch let fault as RuleError {
                    failures.append(Failure(id, AmazonError(mapping: fault)))
                } catch let fault as AmazonError {
                    failures.append(Failure(id, fault))
                }
            }
            guard rule.targets.count <= RuleEditing.targetLimit else {
                throw RuleError.tooManyTargets(limit: RuleEditing.targetLimit)
            }
            if failures.count < entries.count { draft.edits = [.putRule(rule)] }
            return failures
        }
        return json(failures)
    }

    func removeTargets(_ fields: EventsFields, by author: Author) async throws -> JSONValue {
        let ids = try fields.names("Ids", 1...100)
        let failures = try await coordinator.edit(by: author) { directory, draft in
            var rule = try self.rule(fields, "Rule", in: directory)
            let missing = ids.filter { id in !rule.targets.contains { $0.id == id } }
            rule.targets.removeAll { ids.contains($0.id) }
            if missing.count < ids.count { draft.edits = [.putRule(rule)] }
            return missing.map {
                Failure($0, AmazonError(400, "ResourceNotFoundException", "The rule has no target \($0)."))
            }
        }
        return json(failures)
    }

    func listTargets(_ fields: EventsFields) throws -> JSONValue {
        let directory = coordinator.directory
        let rule = try rule(fields, "Rule", in: directory)
        let page = EventsPage(
            of: rule.targets.enumerated(), after: try fields.nextToken(), limit: try fields.limit()
        ) { Int64($0.offset + 1) }
        return page.json("Targets") { json($0.element, in: directory) }
    }

    private func json(_ target: RuleTarget, in directory: Directory) -> JSONValue {
        let name = RuleEditing.name(of: target.destination, in: directory) ?? ""
        var members: [JSONValue.Member] = [
            .init("Id", .string(target.id)), .init("Arn", .string(coordinator.origin.arn(ofTarget: name))),
        ]
        switch target.input {
        case .event: break
        case .constant(let text): members.append(.init("Input", .string(text)))
        case .path(let path): members.append(.init("InputPath", .string(path)))
        case .template(let text, let paths):
            let sorted = paths.sorted { $0.key < $1.key }
            members.append(
                .init(
                    "InputTransformer",
                    .object([
                        .init("InputPathsMap", .object(sorted.map { .init($0.key, .string($0.value)) })),
                        .init("InputTemplate", .string(text)),
                    ])))
        }
        return .object(members)
    }

    func listRuleNames(_ fields: EventsFields) throws -> JSONValue {
        try fields.requireDefaultBus()
        let arn = try fields.requiredText("TargetArn", limit: 1_600)
        let directory = coordinator.directory
        let destination = EventOrigin.targetName(in: arn).flatMap {
            try? RuleEditing.destination(named: $0, in: directory)
        }
        let rules = directory.rules.all.filter { rule in rule.targets.contains { $0.destination == destination } }
        let page = EventsPage(of: rules, after: try fields.nextToken(), limit: try fields.limit()) {
            Int64($0.number.rawValue)
        }
        return page.json("RuleNames") { .string($0.name) }
    }
}

/// A target of a rule as the request describes it, within the limits of the API model.
private struct TargetDraft {
    let id: String
    private let arn: String
    private let input: RuleTarget.Input
    /// Why Muster refuses the target although the API model allows it; nil if it does not.
    private let refusal: AmazonError?

    private static let known: Set = ["Id", "Arn", "RoleArn", "Input", "InputPath", "InputTransformer"]

    /// The largest numbers of characters in an input and in a path, and of paths in a transformer.
    private enum InputLimits {
        static let text = 8_192
        static let path = 256
        static let paths = 100
    }

    /// - Throws: `AmazonError` for what the model forbids.
    init(_ entry: EventsFields) throws(AmazonError) {
        id = try entry.name("Id")
        arn = try entry.requiredText("Arn", limit: 1_600)
        _ = try entry.text("RoleArn", least: 1, limit: 1_600)
        input = try Self.input(entry)
        let forms = ["Input", "InputPath", "InputTransformer"].filter { entry.value($0) != nil }
        refusal =
            if let unknown = entry.keys(besides: Self.known).first {
                .validation("\(unknown) is not supported.", .unknownField)
            } else if forms.count > 1 {
                .validation("Only one of Input, InputPath, or InputTransformer must be provided.", .other)
            } else {
                nil
            }
    }

    private static func input(_ entry: EventsFields) throws(AmazonError) -> RuleTarget.Input {
        if let text = try entry.text("Input", limit: InputLimits.text) { return .constant(text) }
        if let path = try entry.text("InputPath", limit: InputLimits.path) { return .path(path) }
        guard let value = entry.value("InputTransformer") else { return .event }
        let transformer = try EventsFields(value, at: "InputTransformer")
        let template = try transformer.requiredText("InputTemplate", limit: InputLimits.text)
        var paths: [String: String] = [:]
        let members = transformer.value("InputPathsMap")?.members ?? []
        guard members.count <= InputLimits.paths else {
            throw .validation("InputPathsMap", "must have at most \(InputLimits.paths) members.")
        }
        for member in members {
            guard let path = member.value.string, path.unicodeScalars.count <= InputLimits.path else {
                throw .validation("InputPathsMap.\(member.key)", "must be a string of at most 256 characters.")
            }
            guard (1...InputLimits.path).contains(member.key.utf8.count), member.key.utf8.allSatisfy(isOfKey) else {
                throw .validation("InputPathsMap", "must have keys of 1 to 256 letters, digits and any of - _")
            }
            paths[member.key] = path
        }
        return .template(template, paths: paths)
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Makes the target of a rule.
    ///
    /// - Throws: `AmazonError`, `RuleError` for what is not a valid target in Muster.
    func target(in directory: Directory) throws -> RuleTarget {
        if let refusal { throw refusal }
        guard let name = EventOrigin.targetName(in: arn) else {
            throw AmazonError.validation(
                "\(arn) is not a target; the ARN of one is arn:aws:muster:REGION:ACCOUNT:target/NAME.", .other)
        }
        return RuleTarget(
            id: id, destination: try RuleEditing.destination(named: name, in: directory), input: input)
    }
}
