import MusterCore
import MusterWire

extension EventsService {
    /// What became of one target of a request.
    private struct Failure {
        var id: String
        var code: String
        var message: String

        init(_ id: String, _ fault: AmazonFault) {
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

    private func answer(_ failures: [Failure]) -> JSONValue {
        .object([
            .init("FailedEntryCount", .integer(Int64(failures.count))),
            .init("FailedEntries", .array(failures.map(\.json))),
        ])
    }

    func putTargets(_ fields: EventsFields) async throws -> JSONValue {
        let entries = try fields.list("Targets", 1...100)
        let failures = try await ledger.edit { directory, draft in
            var rule = try self.rule(fields, "Rule", in: directory)
            let pattern = try RuleEditing.compile(rule.pattern)
            var failures: [Failure] = []
            for (index, entry) in entries.enumerated() {
                let entry = try EventsFields(entry, at: "Targets.\(index + 1).member")
                let id = try entry.name("Id")
                do {
                    let target = try Self.target(id, entry, in: directory)
                    try RuleEditing.check(target, with: pattern)
                    rule.targets.removeAll { $0.id == id }
                    rule.targets.append(target)
                } catch let fault as RuleFault {
                    failures.append(Failure(id, AmazonFault(telling: fault)))
                } catch let fault as AmazonFault {
                    failures.append(Failure(id, fault))
                }
            }
            guard rule.targets.count <= RuleEditing.targetLimit else {
                throw RuleFault.tooManyTargets(limit: RuleEditing.targetLimit)
            }
            if failures.count < entries.count { draft.edits = [.putRule(rule)] }
            return failures
        }
        return answer(failures)
    }

    private static func target(
        _ id: String, _ entry: EventsFields, in directory: Directory
    ) throws -> RuleTarget {
        let known: Set = ["Id", "Arn", "RoleArn", "Input", "InputPath", "InputTransformer"]
        if let unknown = entry.keys(besides: known).first {
            throw AmazonFault.validation("\(unknown) is not supported.", .unknownField)
        }
        let arn = try entry.requiredText("Arn", limit: 1_600)
        guard let name = EventOrigin.targetName(in: arn) else {
            throw AmazonFault.validation(
                "\(arn) is no target here: arn:aws:muster:REGION:ACCOUNT:target/NAME is.", .other)
        }
        return RuleTarget(
            id: id, destination: try RuleEditing.destination(named: name, in: directory), input: try input(entry))
    }

    private static func input(_ entry: EventsFields) throws(AmazonFault) -> RuleTarget.Input {
        let forms = ["Input", "InputPath", "InputTransformer"].filter { entry.value($0) != nil }
        guard forms.count <= 1 else {
            throw .validation("Only one of Input, InputPath, or InputTransformer must be provided.", .other)
        }
        if let text = try entry.text("Input", limit: InputLimits.text) { return .constant(text) }
        if let path = try entry.text("InputPath", limit: InputLimits.path) { return .path(path) }
        guard let value = entry.value("InputTransformer") else { return .event }
        let transformer = try EventsFields(value, at: "InputTransformer")
        let template = try transformer.requiredText("InputTemplate", limit: InputLimits.text)
        var paths: [String: String] = [:]
        for member in transformer.value("InputPathsMap")?.members ?? [] {
            guard let path = member.value.string else {
                throw .validation("InputPathsMap.\(member.key)", "must be a string.")
            }
            paths[member.key] = path
        }
        return .template(template, paths: paths)
    }

    /// Characters that an input may have.
    private enum InputLimits {
        static let text = 8_192
        static let path = 256
    }

    func removeTargets(_ fields: EventsFields) async throws -> JSONValue {
        let ids = try fields.list("Ids", 1...100).map { value throws(AmazonFault) in
            guard let id = value.string else { throw AmazonFault.validation("Ids", "must hold strings.") }
            return id
        }
        let failures = try await ledger.edit { directory, draft in
            var rule = try self.rule(fields, "Rule", in: directory)
            let missing = ids.filter { id in !rule.targets.contains { $0.id == id } }
            rule.targets.removeAll { ids.contains($0.id) }
            if missing.count < ids.count { draft.edits = [.putRule(rule)] }
            return missing.map {
                Failure($0, AmazonFault(400, "ResourceNotFoundException", "The rule has no target \($0)."))
            }
        }
        return answer(failures)
    }

    func listTargets(_ fields: EventsFields) throws -> JSONValue {
        let directory = ledger.directory
        let rule = try rule(fields, "Rule", in: directory)
        let page = EventsPage(
            of: rule.targets.enumerated(), after: try fields.nextToken(), limit: try fields.limit()
        ) { Int64($0.offset + 1) }
        return page.answer("Targets") { json($0.element, in: directory) }
    }

    private func json(_ target: RuleTarget, in directory: Directory) -> JSONValue {
        let name = RuleEditing.name(of: target.destination, in: directory) ?? ""
        var members: [JSONValue.Member] = [
            .init("Id", .string(target.id)), .init("Arn", .string(ledger.origin.arn(ofTarget: name))),
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
        let directory = ledger.directory
        let destination = EventOrigin.targetName(in: arn).flatMap {
            try? RuleEditing.destination(named: $0, in: directory)
        }
        let rules = directory.rules.all.filter { rule in rule.targets.contains { $0.destination == destination } }
        let page = EventsPage(of: rules, after: try fields.nextToken(), limit: try fields.limit()) {
            Int64($0.number.rawValue)
        }
        return page.answer("RuleNames") { .string($0.name) }
    }
}
