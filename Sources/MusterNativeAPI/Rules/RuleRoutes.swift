import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes that list, show, add, change and remove rules, and try a pattern on an event.
struct RuleRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let rules = "\(Self.root)/rules"
        let readers: Route.Admission = .roles([.admin, .leader], devices: false)
        let writers: Route.Admission = .roles([.admin], devices: false)
        let rule = Route.Answer(200, "The rule.", json: "Rule")
        routes.add(
            Route(
                .get, rules, admits: readers,
                .init(
                    "Rules", "List rules.", query: Self.paging, answers: [.init(200, "Rules.", json: "RulePage")]),
                handler: listRules))
        routes.add(
            Route(
                .post, rules, admits: writers,
                .init(
                    "Rules", "Create a rule.", body: Self.json("NewRule"),
                    answers: [.init(201, "Made.", json: "Rule")]), handler: makeRule))
        routes.add(
            Route(
                .get, "\(rules)/{rule}", admits: readers,
                .init("Rules", "Read a rule. Its `ETag` is what `If-Match` takes.", answers: [rule]),
                handler: seeRule))
        routes.add(
            Route(
                .patch, "\(rules)/{rule}", admits: writers,
                .init(
                    "Rules", "Change a rule: with `If-Match`, if nobody has changed it meanwhile.",
                    body: Self.json("RulePatch"), answers: [rule]),
                handler: changeRule))
        routes.add(
            Route(
                .delete, "\(rules)/{rule}", admits: writers,
                .init(
                    "Rules", "Remove a rule with its targets: with `If-Match`, if nobody has changed it meanwhile.",
                    answers: [.init(204, "Gone.")]),
                handler: removeRule))
        routes.add(
            Route(
                .post, "\(Self.root)/event-patterns/test", admits: readers,
                .init(
                    "Rules",
                    "Test whether an event, or which of the newest ones, matches a pattern; or read which regions it "
                        + "makes muster regions.",
                    body: Self.json("PatternTest"),
                    answers: [.init(200, "The result.", json: "PatternTestResult")]), handler: testPattern))
    }

    private func listRules(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let page = try Page(of: directory.rules.all, limit: limit, after: query.text("cursor"))
        return .json { writer in page.write(to: &writer) { $0.rule($1, in: directory, coordinator.origin) } }
    }

    private func makeRule(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let fields = try await RuleFields(request, isNew: true)
        try fields.finish()
        guard let name = fields.name, let pattern = fields.pattern else { throw Problem.internalError }
        let rule = try await coordinator.edit(by: context.author) { directory, draft in
            guard directory.rules[name] == nil else { throw Problem.conflict("The rule \(name) already exists.") }
            var rule = try RuleEditing.rule(named: name, pattern: pattern, in: directory, draft)
            rule = try fields.applied(to: rule, in: directory)
            draft.edits = [.putRule(rule)]
            return rule
        }
        return response(rule.name, .created)
    }

    private func seeRule(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        response(try rule(context, coordinator.directory).name, .ok)
    }

    private func changeRule(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let fields = try await RuleFields(request, isNew: false)
        try fields.finish()
        let (name, conditions) = (try context.parameter("rule"), EditConditions(request))
        try await tellingWhoChanged(Rule.self, name) {
            try await coordinator.edit(by: context.author) { directory, draft in
                let present = directory.rules[name]
                do {
                    try conditions.check(present, in: directory)
                } catch {
                    // The same request, sent again because its answer was lost, was carried out (RFC 9110, 13.1.1).
                    guard let present, (try? fields.applied(to: present, in: directory)) == present else { throw error }
                    return
                }
                guard let present else { throw Problem.notFound }
                draft.edits = [.putRule(try fields.applied(to: present, in: directory))]
            }
        }
        return response(name, .ok)
    }

    private func removeRule(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (name, conditions) = (try context.parameter("rule"), EditConditions(request))
        try await tellingWhoChanged(Rule.self, name) {
            try await coordinator.edit(by: context.author) { directory, draft in
                try conditions.check(directory.rules[name], in: directory)
                draft.edits = [.removeRule(try self.rule(context, directory).number)]
            }
        }
        return .noContent
    }

    private func testPattern(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request, .standard, depthLimit: 40)
        let pattern = fields.json("pattern", isRequired: true)
        let event = fields.json("event")
        let recent = fields.number("recent", in: 1...Self.recentLimit)
        let selectsRegions = fields.boolean("regions") ?? false
        if selectsRegions, event != nil || recent != nil {
            fields.addFault("regions", "must be absent where there is an event, or recent")
        }
        if event == nil, recent == nil, !selectsRegions, !fields.has("recent") {
            fields.addFault("event", "is required without recent and regions")
        }
        if event != nil, recent != nil { fields.addFault("recent", "must be absent where there is an event") }
        try fields.finish()
        guard let pattern else { throw Problem.internalError }
        if let recent { return try await testRecent(pattern, Int(recent), context) }
        if selectsRegions { return try await testRegions(pattern, context) }
        guard let event else { throw Problem.internalError }
        let matches = try RuleEditing.compile(pattern.textOfPattern).matches(EventValue(event))
        return .json { writer in
            writer.beginObject()
            writer.member("matches", matches)
            writer.endObject()
        }
    }

    /// Compares a pattern with the newest events that the caller may see.
    private func testRecent(
        _ pattern: JSONValue, _ limit: Int, _ context: AppRequestContext
    ) async throws -> Response {
        let compiled = try RuleEditing.compile(pattern.textOfPattern)
        let access = try context.access(in: coordinator.directory)
        let search = try await coordinator.read { [origin = coordinator.origin] store in
            try RecentEventSearch(for: compiled, limit: limit, seenBy: access, from: origin, in: store)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("matched", listing: search.matched) { $0.raw($1) }
            writer.member("examined", search.examined)
            writer.member("isComplete", search.isComplete)
            writer.endObject()
        }
    }

    /// Says which regions a pattern makes muster regions, where its rule has the target `safety`.
    private func testRegions(_ pattern: JSONValue, _ context: AppRequestContext) async throws -> Response {
        let compiled = try RuleEditing.compile(pattern.textOfPattern)
        let (directory, origin) = (coordinator.directory, coordinator.origin)
        // The events of all trackers of a collection are compared, also of those that a leader does not know.
        guard try context.access(in: directory).mayChangeRules else { throw Problem.forbidden }
        // Many regions take a while, so a reader's thread compares them.
        let found = try await coordinator.read { _ in
            try SafetyRuleSearch(in: directory, from: origin).regions(selectedBy: compiled)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("regions", listing: found.prefix(Self.listedRegions)) { writer, region in
                writer.beginObject()
                writer.member("collection", directory.collections[region.collection]?.name)
                writer.member("id", region.id)
                writer.member("name", region.name)
                writer.endObject()
            }
            writer.member("regionCount", found.count)
            writer.endObject()
        }
    }

    /// The largest number of regions that a test of a pattern lists; it counts all of them.
    private static let listedRegions = 100
    /// The largest number of events that a test of a pattern examines.
    private static let recentLimit: Double = 1_000

    private func rule(_ context: AppRequestContext, _ directory: Directory) throws(Problem) -> Rule {
        guard let rule = directory.rules[try context.parameter("rule")] else { throw .notFound }
        return rule
    }

    /// The rule as it is now, with the times that the writer set.
    private func response(_ name: String, _ status: HTTPResponse.Status) -> Response {
        let directory = coordinator.directory
        guard let rule = directory.rules[name] else { return .noContent }
        var response = Response.json(status) { $0.rule(rule, in: directory, coordinator.origin) }
        response.headers[.eTag] = rule.entityTag(in: directory).text
        return response
    }
}

extension JSONValue {
    /// The text of a pattern, which a request may contain as an object or as a string.
    fileprivate var textOfPattern: String { string ?? String(decoding: bytes, as: UTF8.self) }
}

/// The members of a rule in a request.
private struct RuleFields: Sendable {
    private(set) var name: String?
    private(set) var pattern: String?
    private var description: String?
    private var isEnabled: Bool?
    private var targets: [TargetFields]?
    private var faults: [Problem.Fault] = []

    /// A target of the rule, with the target's name.
    private struct TargetFields {
        var id: String
        var target: String
        var input: RuleTarget.Input
    }

    init(_ request: Request, isNew: Bool) async throws {
        var fields = try await Fields(request, .standard, depthLimit: 40)
        if isNew, let name = fields.text("name", isRequired: true) {
            if RuleEditing.isName(name) {
                self.name = name
            } else {
                fields.addFault("name", "must be 1 to 64 letters, digits and any of . _ -")
            }
        }
        pattern = fields.json("pattern", isRequired: isNew)?.textOfPattern
        description = fields.text("description", limitBytes: RuleEditing.descriptionLimit)
        isEnabled = fields.boolean("enabled")
        if let list = fields.json("targets") {
            guard let elements = list.elements else { throw Problem.invalid("/targets", "must be an array") }
            guard elements.count <= RuleEditing.targetLimit else {
                throw RuleError.tooManyTargets(limit: RuleEditing.targetLimit)
            }
            targets = try elements.enumerated().map { try Self.target($1, at: "/targets/\($0)") }
            if Set((targets ?? []).map(\.id)).count < elements.count { fields.addFault("targets", "have one id twice") }
        }
        faults = fields.faults
        if faults.isEmpty { try fields.finish() }
    }

    private static func target(_ value: JSONValue, at pointer: String) throws(Problem) -> TargetFields {
        guard let members = value.members else { throw .invalid(pointer, "must be an object") }
        if let other = members.first(where: { !["id", "target", "input"].contains($0.key) }) {
            throw .invalid(JSONPointer.appending(other.key, to: pointer), "means nothing here")
        }
        guard let target = value["target"]?.string else { throw .invalid("\(pointer)/target", "is required") }
        let id = value["id"]?.string ?? target
        guard RuleEditing.isName(id) else {
            throw .invalid("\(pointer)/id", "must be 1 to 64 letters, digits and any of . _ -")
        }
        return TargetFields(id: id, target: target, input: try input(value["input"], at: "\(pointer)/input"))
    }

    private static func input(_ value: JSONValue?, at pointer: String) throws(Problem) -> RuleTarget.Input {
        guard let value, value != .null else { return .event }
        if let constant = value["constant"] { return .constant(String(decoding: constant.bytes, as: UTF8.self)) }
        if let path = value["path"]?.string { return .path(path) }
        guard let template = value["template"]?.string else {
            throw .invalid(pointer, "must have one of constant, path and template")
        }
        let paths = (value["paths"]?.members ?? []).compactMap { member in
            member.value.string.map { (member.key, $0) }
        }
        return .template(template, paths: Dictionary(paths) { _, later in later })
    }

    func finish() throws(Problem) {
        guard faults.isEmpty else { throw .invalid(faults) }
    }

    /// Returns a rule with the members in the request, checked.
    func applied(to rule: Rule, in directory: Directory) throws(RuleError) -> Rule {
        var rule = rule
        if let pattern { rule.pattern = pattern }
        if let description { rule.description = description }
        if let isEnabled { rule.isEnabled = isEnabled }
        if let targets {
            rule.targets = []
            for target in targets {
                let destination = try RuleEditing.destination(named: target.target, in: directory)
                rule.targets.append(RuleTarget(id: target.id, destination: destination, input: target.input))
            }
        }
        try RuleEditing.check(rule)
        return rule
    }
}

extension JSONWriter {
    mutating func rule(_ rule: Rule, in directory: Directory, _ origin: EventOrigin) {
        beginObject()
        member("name", rule.name)
        member("arn", origin.arn(ofRule: rule.name))
        content(of: rule, in: directory)
        endObject()
    }

    /// Writes the members of a rule that its editors choose, who made it, and when, into the open object.
    mutating func content(of rule: Rule, in directory: Directory) {
        member("description", rule.description)
        key("pattern")
        raw(rule.pattern)
        member("enabled", rule.isEnabled)
        if let maker = rule.maker { member("madeBy", directory.name(of: maker)) }
        member("targets", listing: rule.targets) { writer, target in
            writer.beginObject()
            writer.member("id", target.id)
            writer.member("target", RuleEditing.name(of: target.destination, in: directory))
            writer.input(target.input)
            writer.endObject()
        }
        member("createdAt", rule.times.createdAt)
        member("updatedAt", rule.times.updatedAt)
    }

    private mutating func input(_ input: RuleTarget.Input) {
        guard input != .event else { return }
        key("input")
        beginObject()
        switch input {
        case .event: break
        case .constant(let text):
            key("constant")
            raw(text)
        case .path(let path): member("path", path)
        case .template(let text, let paths):
            member("template", text)
            key("paths")
            beginObject()
            for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
                key(name)
                value(path)
            }
            endObject()
        }
        endObject()
    }
}
