import MusterCore
import MusterServer
import MusterWire

/// EventBridge's operations on rules: put, describe, list, enable, disable, delete, and `TestEventPattern`.
extension EventsService {
    func putRule(_ fields: EventsFields, by author: Author) async throws -> JSONValue {
        try fields.requireDefaultBus()
        let name = try fields.name("Name")
        _ = try fields.text("RoleArn", least: 1, limit: 1_600)
        if try fields.text("ScheduleExpression", limit: 256)?.isEmpty == false {
            throw AmazonError.validation(
                "ScheduleExpression", "is not supported: rules match event patterns, and have no schedules.")
        }
        if fields.value("Tags")?.elements?.isEmpty == false {
            throw AmazonError.validation("Tags", "are not supported for rules.")
        }
        // Longer patterns are refused when they are compiled, with the message that clients expect.
        guard let pattern = try fields.text("EventPattern", limit: 1 << 20), !pattern.isEmpty else {
            throw AmazonError.validation("Parameter(s) EventPattern must be specified.", .missing)
        }
        let description = try fields.text("Description", limit: RuleEditing.descriptionLimit) ?? ""
        let isEnabled = try Self.isEnabled(fields)
        try RuleEditing.compile(pattern)
        try await coordinator.edit(by: author) { directory, draft in
            var rule = try RuleEditing.rule(named: name, pattern: pattern, in: directory, draft)
            rule.description = description
            rule.isEnabled = isEnabled
            try RuleEditing.check(rule)
            draft.edits = [.putRule(rule)]
        }
        return .object([.init("RuleArn", .string(coordinator.origin.arn(ofRule: name)))])
    }

    private static func isEnabled(_ fields: EventsFields) throws(AmazonError) -> Bool {
        switch try fields.text("State", limit: 100) {
        case nil, "ENABLED": true
        case "DISABLED": false
        default: throw .validation("State", "must be ENABLED or DISABLED.")
        }
    }

    /// The rule that the request names.
    func rule(_ fields: EventsFields, _ key: String = "Name", in directory: Directory) throws -> Rule {
        try fields.requireDefaultBus()
        let name = try fields.name(key)
        guard let rule = directory.rules[name] else { throw RuleError.noRule(name) }
        return rule
    }

    func describeRule(_ fields: EventsFields) throws -> JSONValue {
        let rule = try rule(fields, in: coordinator.directory)
        var members = members(of: rule)
        members.append(.init("CreatedBy", .string(coordinator.origin.account)))
        return .object(members)
    }

    func listRules(_ fields: EventsFields) throws -> JSONValue {
        try fields.requireDefaultBus()
        let prefix = try fields.namePrefix() ?? ""
        let rules = coordinator.directory.rules.all.filter { $0.name.hasPrefix(prefix) }
        let page = EventsPage(of: rules, after: try fields.nextToken(), limit: try fields.limit()) {
            Int64($0.number.rawValue)
        }
        return page.json("Rules") { .object(members(of: $0)) }
    }

    private func members(of rule: Rule) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("Name", .string(rule.name)), .init("Arn", .string(coordinator.origin.arn(ofRule: rule.name))),
            .init("EventPattern", .string(rule.pattern)),
            .init("State", .string(rule.isEnabled ? "ENABLED" : "DISABLED")),
        ]
        if !rule.description.isEmpty { members.append(.init("Description", .string(rule.description))) }
        members.append(.init("EventBusName", .string(Self.bus)))
        return members
    }

    func setEnabled(_ isEnabled: Bool, _ fields: EventsFields, by author: Author) async throws -> JSONValue {
        try await coordinator.edit(by: author) { directory, draft in
            var rule = try self.rule(fields, in: directory)
            guard rule.isEnabled != isEnabled else { return }
            rule.isEnabled = isEnabled
            draft.edits = [.putRule(rule)]
        }
        return .object([])
    }

    /// Deleting a rule that does not exist succeeds, as in EventBridge.
    func deleteRule(_ fields: EventsFields, by author: Author) async throws -> JSONValue {
        try fields.requireDefaultBus()
        let name = try fields.name("Name")
        try await coordinator.edit(by: author) { directory, draft in
            guard let rule = directory.rules[name] else { return }
            guard rule.targets.isEmpty else { throw RuleError.hasTargets(name) }
            draft.edits = [.removeRule(rule.number)]
        }
        return .object([])
    }

    func testEventPattern(_ fields: EventsFields) throws -> JSONValue {
        let pattern = try RuleEditing.compile(try fields.requiredText("EventPattern", limit: 1 << 20))
        let text = try fields.requiredText("Event", limit: 1 << 20)
        guard let event = try? JSONValue(parsing: Array(text.utf8)), event.members != nil else {
            throw AmazonError.validation("Parameter Event is not valid: it is not a JSON object.", .cannotParse)
        }
        for key in ["id", "account", "source", "time", "region", "resources", "detail-type"] where event[key] == nil {
            throw AmazonError.validation("Parameter Event is not valid: \(key) is missing.", .missing)
        }
        return .object([.init("Result", .boolean(pattern.matches(EventValue(event))))])
    }
}
