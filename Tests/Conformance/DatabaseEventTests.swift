import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// When databases were made and removed, as either store remembers it.
@Suite struct DatabaseEventTests {
    @Test(arguments: StoreKind.allCases)
    func `databases that come and go are remembered in order, and survive a crash`(_ kind: StoreKind) throws {
        let bench = try Bench(kind)
        let (books, mia) = (DatabaseNumber(7), DatabaseNumber.locations(of: UserNumber(3)))
        let last = try bench.store.write(at: .test(0)) { transaction in
            let (first, second) = (try transaction.mark(), try transaction.mark())
            try transaction.recordDatabaseMade(books, at: first)
            try transaction.recordDatabaseMade(mia, at: second)
            return second
        }
        try bench.crash()
        #expect(try bench.events(since: .zero) == ["made 7", "made -3"])
        #expect(try bench.events(since: last) == [])
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.recordDatabaseRemoved(books, called: "books", at: try transaction.mark())
        }
        try bench.crash()
        #expect(try bench.events(since: .zero) == ["made 7 books", "made -3", "removed 7 books"])
        #expect(try bench.events(since: last) == ["removed 7 books"])
    }

    @Test(arguments: StoreKind.allCases)
    func `removing a user removes its database events`(_ kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(User(number: UserNumber(3), name: "mia", role: .member, team: nil))
            try transaction.recordDatabaseMade(.locations(of: UserNumber(3)), at: try transaction.mark())
        }
        try bench.store.write(at: .test(1)) { try $0.remove(UserNumber(3)) }
        try bench.crash()
        #expect(try bench.events(since: .zero) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `the databases removed first are forgotten`(_ kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for number in 1...Int32(DatabaseEvent.removalLimit + 3) {
                try transaction.recordDatabaseMade(DatabaseNumber(number), at: try transaction.mark())
                try transaction.recordDatabaseRemoved(
                    DatabaseNumber(number), called: "n\(number)", at: try transaction.mark())
            }
        }
        let events = try bench.events(since: .zero)
        #expect(events.count == 2 * DatabaseEvent.removalLimit)
        #expect(events.first == "made 4 n4")
    }
}

extension Bench {
    /// What is remembered after a change.
    fileprivate func events(since sequence: LogSequence) throws -> [String] {
        try store.databaseEvents(since: sequence).map { event in
            let name = event.removedName.map { " " + $0 } ?? ""
            return (event.isRemoval ? "removed " : "made ") + "\(event.database.rawValue)\(name)"
        }
    }
}

extension StoreTransaction {
    /// Appends some change, for its number.
    fileprivate func mark() throws -> LogSequence { try append(.directory(.rule(RuleNumber(1)), removed: false)) }
}
