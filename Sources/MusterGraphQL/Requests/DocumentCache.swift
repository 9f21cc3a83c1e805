import MusterCore
import MusterWire
import Synchronization

/// Documents that were parsed and checked, by their text.
///
/// It has two halves: a document that is asked for moves into the younger, and when that is full, the older is
/// forgotten. So the documents used last are kept, between half the capacity and all of it.
final class DocumentCache: Sendable {
    private struct Halves {
        var younger: [ExactText: GraphQLRequest] = [:]
        var older: [ExactText: GraphQLRequest] = [:]

        mutating func take(_ source: ExactText, _ capacity: Int) -> GraphQLRequest? {
            if let request = younger[source] { return request }
            guard let request = older.removeValue(forKey: source) else { return nil }
            put(request, source, capacity)
            return request
        }

        mutating func put(_ request: GraphQLRequest, _ source: ExactText, _ capacity: Int) {
            if younger.count >= capacity { (older, younger) = (younger, [:]) }
            younger[source] = request
        }
    }

    private let halves = Mutex(Halves())
    private let halfCapacity: Int

    /// The longest text that is kept, in bytes of UTF-8.
    static let textLimit = 16 << 10

    init(capacity: Int = 512) { halfCapacity = max(1, capacity / 2) }

    /// How many documents are kept.
    var count: Int { halves.withLock { $0.younger.count + $0.older.count } }

    /// Returns the document of a text, parsed and checked.
    ///
    /// - Throws: the errors of the document, which is not kept.
    func document(_ source: String) throws(GraphQLErrors) -> GraphQLRequest {
        // Two documents that `String` considers equal may hold different texts.
        let key = ExactText(source)
        if let kept = halves.withLock({ $0.take(key, halfCapacity) }) { return kept }
        let request = try GraphQLRequest(source, schema: ServedSchema.schema, limits: ServedSchema.limits)
        if source.utf8.count <= Self.textLimit { halves.withLock { $0.put(request, key, halfCapacity) } }
        return request
    }
}
