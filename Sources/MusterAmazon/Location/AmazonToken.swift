import MusterCore
import MusterServer

/// The position where the next page begins: the kind of list, the resource it belongs to, and the key of the last item
/// shown. Valid across restarts.
enum AmazonToken {
    /// The kinds of lists. A token of one is not valid for another.
    enum List: Int64 {
        case trackers = 1
        case consumers, positions, history, collections, fences, forecast, pools, identities, users
    }

    static func encode(_ list: List, of thing: Int32 = 0, _ key: [Int64]) -> String {
        Cursor.encode([list.rawValue, Int64(thing)] + key)
    }

    /// The key in a token; nil without a token.
    ///
    /// - Throws: `AmazonError.badToken` for a token that this list did not issue.
    static func key(
        _ text: String?, _ list: List, of thing: Int32 = 0, count: Int = 1
    ) throws(AmazonError) -> [Int64]? {
        guard let text else { return nil }
        guard let numbers = Cursor.decode(text, count: count + 2), numbers[0] == list.rawValue,
            numbers[1] == Int64(thing)
        else { throw .badToken }
        return Array(numbers[2...])
    }

    /// One page of a list in the order of numbers.
    static func page<Element: Entity>(
        of elements: some Sequence<Element>, limit: Int, after token: String?, _ list: List, of thing: Int32 = 0
    ) throws(AmazonError) -> (items: [Element], next: String?) {
        let last = try key(token, list, of: thing)?[0] ?? 0
        var items: [Element] = []
        for element in elements where Int64(element.number.rawValue) > last {
            if items.count == limit {
                return (items, items.last.map { encode(list, of: thing, [Int64($0.number.rawValue)]) })
            }
            items.append(element)
        }
        return (items, nil)
    }
}
