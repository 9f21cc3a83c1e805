import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The routes for admins that read the deliveries under way, and that list, read, discard and redrive dead letters.
extension TargetRoutes {
    private static let letters = "\(Self.root)/deadletters"
    private static let ofTarget = Route.Parameter("target", "Only those for this target.", schema: Schema.name)
    static let ofRule = Route.Parameter("rule", "Only those that this rule made.", schema: Schema.name)

    func addDeliveries(to routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/deliveries", admits: Self.admins,
                .init(
                    "Targets", "Read the number of waiting deliveries of each target, and the latest failures.",
                    answers: [.init(200, "Counts, and the last 100 failures.", json: "Deliveries")]),
                handler: seeDeliveries))
    }

    func addDeadLetters(to routes: inout RouteTable) {
        routes.add(
            Route(
                .get, Self.letters, admits: Self.admins,
                .init(
                    "Targets", "List dead letters: deliveries that the server gave up.",
                    query: [Self.ofTarget, Self.ofRule] + Self.paging,
                    answers: [.init(200, "Dead letters, without their bodies.", json: "DeadLetterPage")]),
                handler: listLetters))
        routes.add(
            Route(
                .delete, Self.letters, admits: Self.admins,
                .init(
                    "Targets", "Discard all dead letters, or those of one target.", query: [Self.ofTarget],
                    answers: [.init(200, "The number of dead letters.", json: "LetterCount")]), handler: discardLetters)
        )
        routes.add(
            Route(
                .post, "\(Self.letters)/redrive", admits: Self.admins,
                .init(
                    "Targets", "Deliver all dead letters again, or those of one target.", query: [Self.ofTarget],
                    answers: [.init(200, "The number of dead letters.", json: "LetterCount")]), handler: redriveLetters)
        )
        routes.add(
            Route(
                .get, "\(Self.letters)/{letter}", admits: Self.admins,
                .init(
                    "Targets", "Read a dead letter with its body.",
                    answers: [.init(200, "The dead letter.", json: "DeadLetter")]), handler: seeLetter))
        routes.add(
            Route(
                .post, "\(Self.letters)/{letter}/redrive", admits: Self.admins,
                .init(
                    "Targets", "Deliver a dead letter again, under the same event id.",
                    answers: [.init(204, "On its way.")]), handler: redriveLetter))
        routes.add(
            Route(
                .delete, "\(Self.letters)/{letter}", admits: Self.admins,
                .init("Targets", "Discard a dead letter.", answers: [.init(204, "Gone.")]), handler: discardLetter))
    }

    // MARK: Deliveries under way

    private func seeDeliveries(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let record = dispatcher.statistics
        // Counted by the store, because the dispatcher learns of new deliveries later.
        let pending = coordinator.store.pendingDeliveryCounts
        let dead = try await coordinator.read { try $0.deadLetterCounts() }
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.member("pending", pending.values.reduce(0, +))
            writer.member("underWay", record.underWay)
            writer.member("targets", listing: directory.targets.all) { writer, target in
                writer.beginObject()
                writer.member("target", target.name)
                writer.member("enabled", target.isEnabled)
                writer.member("byHand", target.mode != .atOnce)
                writer.member("pending", pending[target.number] ?? 0)
                writer.member("failing", record.waiting[target.number]?.isProbing ?? false)
                writer.member("deadLetters", dead[target.number] ?? 0)
                writer.endObject()
            }
            writer.member("failures", listing: record.failures.reversed()) { writer, failure in
                writer.beginObject()
                writer.member("target", directory.targets[failure.target]?.name)
                writer.member("event", failure.event)
                writer.member("rule", failure.rule)
                writer.member("at", failure.at)
                writer.member("attempts", failure.attempts)
                writer.member("reason", failure.reason)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    // MARK: Dead letters

    /// The target that a query names; nil when it names none.
    private func wantedTarget(_ query: Query) throws(Problem) -> TargetNumber? {
        guard let name = query.text("target") else { return nil }
        guard let target = coordinator.directory.targets[name] else {
            throw .invalid("?target", "there is no such target")
        }
        return target.number
    }

    /// The delivery after which a page begins, from the query's cursor.
    static func start(of query: Query) throws(Problem) -> DeliveryNumber {
        guard let cursor = query.text("cursor") else { return .zero }
        guard let numbers = Cursor.decode(cursor, count: 1) else {
            throw .invalid("?cursor", "is not a cursor from an answer")
        }
        return DeliveryNumber(numbers[0])
    }

    private func listLetters(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let (target, rule, start) = (try wantedTarget(query), query.text("rule"), try Self.start(of: query))
        let directory = coordinator.directory
        let found = try await coordinator.read {
            try $0.deadLetters(of: target, by: rule, after: start, limit: limit + 1)
        }
        let items = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: items) { writer, letter in
                writer.beginObject()
                writer.letterMembers(letter, in: directory)
                writer.endObject()
            }
            if found.count > limit, let last = items.last {
                writer.member("nextCursor", Cursor.encode([last.delivery.number.rawValue]))
            }
            writer.endObject()
        }
    }

    /// The number of the dead letter in the path.
    private func letter(_ context: AppRequestContext) throws(Problem) -> DeliveryNumber {
        guard let number = Int64(try context.parameter("letter")) else { throw .notFound }
        return DeliveryNumber(number)
    }

    private func seeLetter(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let number = try letter(context)
        guard let letter = try await coordinator.read({ try $0.deadLetter(number) }) else { throw Problem.notFound }
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.letterMembers(letter, in: directory)
            writer.member("contentType", letter.delivery.content.contentType)
            writer.member("body", String(decoding: letter.delivery.content.body, as: UTF8.self))
            writer.endObject()
        }
    }

    private func redriveLetter(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await change(letter(context), .lettersRedriven, context) { try $0.redrive($1, at: $2) }
        dispatcher.announce()
        return .noContent
    }

    private func discardLetter(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await change(letter(context), .lettersDiscarded, context) { transaction, letters, _ in
            try transaction.discard(letters)
        }
        return .noContent
    }

    /// Applies an action to a dead letter.
    ///
    /// - Throws: `Problem.notFound` when there is no such dead letter.
    private func change(
        _ letter: DeliveryNumber, _ kind: Action.Kind, _ context: AppRequestContext,
        _ body: @escaping @Sendable (any StoreTransaction, [DeliveryNumber], Instant) throws -> Int
    ) async throws {
        let now = coordinator.now()
        try await coordinator.edit(by: context.author) { _, draft in
            guard try body(draft.transaction, [letter], now) > 0 else { throw Problem.notFound }
            draft.addAction(kind, label: String(letter.rawValue))
        }
    }

    private func redriveLetters(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let count = try await forEachPage(of: wantedTarget(Query(request)), .lettersRedriven, context) {
            try $0.redrive($1, at: $2)
        }
        dispatcher.announce()
        return Self.response(count)
    }

    private func discardLetters(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let count = try await forEachPage(of: wantedTarget(Query(request)), .lettersDiscarded, context) {
            transaction, letters, _ in
            try transaction.discard(letters)
        }
        return Self.response(count)
    }

    private static func response(_ count: Int) -> Response {
        .json { writer in
            writer.beginObject()
            writer.member("count", count)
            writer.endObject()
        }
    }

    /// Applies an action to every current dead letter, some hundreds in a transaction, so that other writes do not wait
    /// long.
    func forEachPage(
        of target: TargetNumber?, _ kind: Action.Kind, _ context: AppRequestContext,
        _ body: @escaping @Sendable (any StoreTransaction, [DeliveryNumber], Instant) throws -> Int
    ) async throws -> Int {
        let end = coordinator.lastDelivery
        var after = DeliveryNumber.zero
        var count = 0
        while true {
            let start = after
            let page = try await coordinator.read { try $0.deadLetters(of: target, by: nil, after: start, limit: 500) }
                .map(\.delivery.number).filter { $0 <= end }
            guard let last = page.last else { return count }
            let now = coordinator.now()
            count += try await coordinator.edit(by: context.author) { _, draft in
                draft.addAction(kind, label: "\(page[0].rawValue) to \(last.rawValue)")
                return try body(draft.transaction, page, now)
            }
            after = last
        }
    }
}

extension JSONWriter {
    fileprivate mutating func letterMembers(_ letter: DeadLetter, in directory: Directory) {
        let content = letter.delivery.content
        member("number", letter.delivery.number.rawValue)
        member("target", directory.targets[content.target]?.name)
        member("rule", content.rule)
        member("event", content.event)
        member("createdAt", content.createdAt)
        member("diedAt", letter.diedAt)
        member("attempts", letter.delivery.attempts)
        member("reason", letter.delivery.lastError ?? "")
    }
}
