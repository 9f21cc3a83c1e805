import MusterCore
import MusterServer
import MusterWire

/// EventBridge's `PutEvents`: checks a client's events and appends them to the log.
extension EventsService {
    /// The largest total size of the entries of one request, in bytes.
    static let entriesLimitBytes = 256 << 10

    /// Logs events that a client posts, so that rules send them on. Each entry is accepted or refused separately.
    func putEvents(_ fields: EventsFields, by author: Author) async throws -> JSONValue {
        try Self.checkEndpoint(fields)
        let entries = try fields.list("Entries", 1...10)
        let now = coordinator.now()
        let read = try entries.enumerated().map { index, entry in
            let entry = try EventsFields(entry, at: "Entries.\(index + 1).member")
            // What the API model forbids fails the whole request. What only the server can check fails the entry.
            try entry.busName(mayBePartners: false)
            _ = try entry.text("TraceHeader", least: 1, limit: 500)
            try Self.checkResources(entry)
            do throws(EntryRefusal) {
                return Result<PostedEvent, EntryRefusal>.success(try Self.event(entry, now: now))
            } catch {
                return .failure(error)
            }
        }
        let events = read.compactMap { try? $0.get() }
        guard events.reduce(0, { $0 + $1.byteCount }) <= Self.entriesLimitBytes else {
            throw AmazonError.validation("Total size of the entries in the request is over the limit.", .other)
        }
        var stored = events.isEmpty ? [] : try await coordinator.post(events, by: author)[...]
        let answers = read.map { entry -> JSONValue in
            switch entry {
            case .failure(let refusal):
                return .object([
                    .init("ErrorCode", .string(refusal.code)), .init("ErrorMessage", .string(refusal.message)),
                ])
            case .success:
                let change = stored.popFirst()
                let id = change.map { coordinator.origin.id(of: $0.sequence, at: $0.committedAt) } ?? ""
                return .object([.init("EventId", .string(id))])
            }
        }
        return .object([
            .init("FailedEntryCount", .integer(Int64(entries.count - events.count))),
            .init("Entries", .array(answers)),
        ])
    }

    /// Muster has no multi-region endpoints and ignores the id, but it must be well formed.
    private static func checkEndpoint(_ fields: EventsFields) throws(AmazonError) {
        guard let id = try fields.text("EndpointId", least: 1, limit: 50) else { return }
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        let isFormed =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0 != UInt8(ascii: "_") } && RuleEditing.isName(String(part))
            }
        if !isFormed { throw .validation("EndpointId", "must be two names with a full stop between.") }
    }

    private static func checkResources(_ entry: EventsFields) throws(AmazonError) {
        guard let value = entry.value("Resources") else { return }
        guard let resources = value.elements else { throw .validation("Resources", "must be a list.") }
        for resource in resources {
            guard let text = resource.string else { throw .validation("Resources", "must hold strings.") }
            guard text.unicodeScalars.count <= 2_048 else {
                throw .validation("Resources", "must have at most 2048 characters each.")
            }
        }
    }

    /// Why an entry was refused.
    private struct EntryRefusal: Error {
        var code: String
        var message: String

        static func invalid(_ message: String) -> EntryRefusal { .init(code: "InvalidArgument", message: message) }
    }

    private static func event(_ entry: EventsFields, now: Instant) throws(EntryRefusal) -> PostedEvent {
        func text(_ key: String) throws(EntryRefusal) -> String {
            guard let text = entry.value(key)?.string, !text.isEmpty else {
                throw .invalid("Parameter \(key) is not valid. Reason: \(key) is a required argument.")
            }
            return text
        }
        let source = try text("Source")
        let detailType = try text("DetailType")
        let detail = try text("Detail")
        guard source.unicodeScalars.count <= 256, detailType.unicodeScalars.count <= 256 else {
            throw .invalid("Source and DetailType have at most 256 characters.")
        }
        do throws(AmazonError) {
            try entry.requireDefaultBus()
        } catch {
            throw .init(code: error.code, message: error.message)
        }
        guard !["aws.", "muster"].contains(where: source.hasPrefix) else {
            throw .init(code: "NotAuthorizedForSourceException", message: "Not authorized for the source.")
        }
        guard let value = try? JSONValue(parsing: Array(detail.utf8)), value.members != nil else {
            throw .init(code: "MalformedDetail", message: "Detail is malformed.")
        }
        return PostedEvent(
            source: source, detailType: detailType, time: try time(entry) ?? now, resources: try resources(entry),
            detail: detail)
    }

    private static func time(_ entry: EventsFields) throws(EntryRefusal) -> Instant? {
        guard let value = entry.value("Time") else { return nil }
        guard let seconds = value.number,
            (Instant.earliestInternetTime.seconds...Instant.latestInternetTime.seconds).contains(seconds)
        else { throw .invalid("Parameter Time is not valid.") }
        return Instant(seconds: seconds)
    }

    private static func resources(_ entry: EventsFields) throws(EntryRefusal) -> [String] {
        guard let value = entry.value("Resources") else { return [] }
        let resources = (value.elements ?? []).compactMap(\.string)
        guard resources.count <= 100 else { throw .invalid("Parameter Resources is not valid.") }
        return resources
    }
}

extension PostedEvent {
    /// The size that counts towards the limit of a request.
    fileprivate var byteCount: Int {
        resources.reduce(14 + source.utf8.count + detailType.utf8.count + detail.utf8.count) { $0 + $1.utf8.count }
    }
}
