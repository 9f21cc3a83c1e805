import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The page of a list that a field's arguments ask for.
struct Paging: Sendable {
    /// How many objects the page has at most.
    let first: Int
    /// The cursor after which it begins; nil for the first page.
    let after: String?

    /// The largest page.
    static let largestPage = 1_000

    /// Reads `first` and `after`.
    ///
    /// - Throws: a fault when `first` is not 1 to 1,000.
    init(_ arguments: FieldArguments, limit: String = "first", cursor: String = "after") throws(GraphQLFieldFault) {
        let first = arguments[limit]?.integer ?? 100
        guard (1...Int64(Self.largestPage)).contains(first) else {
            throw .badRequest("`\(limit)` must be 1 to \(Self.largestPage).")
        }
        self.first = Int(first)
        after = arguments[cursor]?.string
    }

    /// The number that the cursor holds; 0 without a cursor.
    ///
    /// - Throws: a fault for a text that is no cursor of an answer.
    var number: Int32 {
        get throws(GraphQLFieldFault) {
            guard let after else { return 0 }
            guard let numbers = Cursor.decode(after, count: 1), let number = Int32(exactly: numbers[0]) else {
                throw .badRequest("The cursor is not one from an answer.")
            }
            return number
        }
    }
}

extension Connection {
    /// Makes the page of a list that is in the order of its objects' numbers.
    ///
    /// - Parameter elements: the list from its beginning, or from the cursor on.
    init<Element: Entity>(
        _ elements: some Sequence<Element>, _ paging: Paging, _ object: (Element) -> ServedObject
    ) throws(GraphQLFieldFault) {
        let last = try paging.number
        var edges: [Edge] = []
        var hasNextPage = false
        for element in elements where element.number.rawValue > last {
            if edges.count == paging.first {
                hasNextPage = true
                break
            }
            edges.append(Edge(node: object(element)))
        }
        self.init(edges: edges, hasNextPage: hasNextPage, hasPreviousPage: paging.after != nil)
    }

    /// Makes a page of what was read after its cursor: one object more than the page holds, where there are more.
    init<Element>(read elements: [Element], _ paging: Paging, _ object: (Element) -> ServedObject) {
        self.init(
            edges: elements.prefix(paging.first).map { Edge(node: object($0)) },
            hasNextPage: elements.count > paging.first, hasPreviousPage: paging.after != nil)
    }

    /// The connection as the value of a field.
    var resolved: GraphQLResolved<ServedObject> { .object(.connection(self), type: nil) }
}

extension Entity {
    /// The cursor after this object in a list in the order of numbers.
    var cursor: String { Cursor.encode([Int64(number.rawValue)]) }
}

extension ServedObject {
    /// The cursor after this object in a list.
    var cursor: String {
        switch self {
        case .person(let user): user.cursor
        case .team(let team): team.cursor
        case .device(let device): device.cursor
        case .region(let region): region.cursor
        case .incident(let incident): incident.cursor
        case .position(let position): HistoryCursor(position).text
        // No list with cursors holds anything else.
        default: ""
        }
    }
}
