// Which values events must have for a pattern to match them; `PatternIndex` files patterns by these.

/// A property that the value at a path of an event may have.
enum CoverKey: Hashable, Sendable {
    case exact(EventScalar)
    /// The value is this text, in letters of either case.
    case folded(ExactText)
    /// The value is a text that begins with these bytes, of which the key keeps at most `affixLimit`.
    case prefix([UInt8])
    case suffix([UInt8])
    /// The value is any scalar.
    case present

    /// The largest number of bytes of a prefix or suffix in a key; so many distinguish enough.
    static let affixLimit = 32

    /// How much more often values have this property than one certain value.
    fileprivate var weight: Int {
        switch self {
        case .exact, .folded: 1
        case .prefix, .suffix: 4
        case .present: 16
        }
    }
}

/// Properties at places of which every event that a pattern matches has at least one.
struct PatternCover {
    var places: [(path: [ExactText], key: CoverKey)]
    /// The expected number of patterns to test, in relative terms.
    var cost: Int

    /// Returns how many patterns are filed under a key at a path.
    typealias Load = (_ path: [ExactText], _ key: CoverKey) -> Int
}

extension EventPattern.Clause {
    /// Returns the cheapest cover of this clause; nil when no field of it requires a value to be present.
    func cover(at path: [ExactText], _ load: PatternCover.Load) -> PatternCover? {
        var best: PatternCover?
        func consider(_ cover: PatternCover?) {
            // At equal cost the later field: it is usually the more specific one.
            if let cover, cover.cost <= best?.cost ?? .max { best = cover }
        }
        for field in fields {
            let path = path + [field.key]
            switch field.condition {
            case .object(let clause): consider(clause.cover(at: path, load))
            case .values(let values): consider(values.cover(at: path, load))
            }
        }
        for clauses in alternatives {
            var union = PatternCover(places: [], cost: 0)
            let covers = clauses.compactMap { $0.cover(at: path, load) }
            guard covers.count == clauses.count else { continue }
            for cover in covers {
                union.places += cover.places
                union.cost += cover.cost
            }
            consider(union)
        }
        return best
    }
}

extension EventPattern.Values {
    fileprivate func cover(at path: [ExactText], _ load: PatternCover.Load) -> PatternCover? {
        guard absence == nil else { return nil }
        var keys = Set(exact.list.map { CoverKey.exact($0) })
        keys.formUnion(tests.map(\.coverKey))
        if keys.contains(.present) { keys = [.present] }
        return PatternCover(
            places: keys.map { (path, $0) },
            cost: keys.reduce(0) { $0 + $1.weight * (1 + load(path, $1)) })
    }
}

extension ValueTest {
    /// A property of every scalar that this test admits.
    fileprivate var coverKey: CoverKey {
        switch self {
        case .prefix(let prefix): Self.affix(prefix.prefix(CoverKey.affixLimit), CoverKey.prefix)
        case .suffix(let suffix): Self.affix(suffix.suffix(CoverKey.affixLimit), CoverKey.suffix)
        case .wildcard(let wildcard): Self.key(of: wildcard)
        case .equalsIgnoringCase(let folded): .folded(folded)
        case .prefixIgnoringCase, .suffixIgnoringCase, .numeric, .block, .anythingBut, .exists: .present
        }
    }

    private static func key(of wildcard: Wildcard) -> CoverKey {
        guard let suffix = wildcard.suffix else {
            return .exact(.text(ExactText(String(decoding: wildcard.prefix, as: UTF8.self))))
        }
        return suffix.count > wildcard.prefix.count
            ? affix(suffix.suffix(CoverKey.affixLimit), CoverKey.suffix)
            : affix(wildcard.prefix.prefix(CoverKey.affixLimit), CoverKey.prefix)
    }

    private static func affix(_ bytes: ArraySlice<UInt8>, _ key: ([UInt8]) -> CoverKey) -> CoverKey {
        bytes.isEmpty ? .present : key(Array(bytes))
    }
}
