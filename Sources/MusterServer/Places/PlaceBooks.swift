import MusterCore
import MusterDocuments
import MusterWire
import Synchronization

/// The place books of the databases that were asked for places lately. A book is made at the first question and follows
/// the log from question to question, so that each sees every transaction that was answered before it.
package final class PlaceBooks: Sendable {
    private struct Shelf {
        var books: [DatabaseScope: (book: PlaceBook, usedAt: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    private let shelf = Mutex(Shelf())
    /// One book is brought up to date at a time; questions about others wait as long as that takes.
    private let updating = Mutex(())

    /// How many books are kept; the one that was not asked for longest goes.
    private static let capacity = 16

    package init() {}

    /// The book of a scope as this reader sees it.
    ///
    /// - Throws: `MangoError` when there are too many places; what the reader throws.
    func book(of scope: DatabaseScope, _ reader: any DocumentReader) throws -> PlaceBook {
        if let known = kept(scope), known.sequence >= reader.lastSequence { return known }
        return try updating.withLock { _ in
            var book = kept(scope) ?? PlaceBook()
            guard book.sequence < reader.lastSequence else { return book }
            // What is kept must not be shared while it is written to.
            shelf.withLock { $0.books[scope] = nil }
            do {
                try book.follow(reader, scope)
            } catch let error where !(error is MangoError) {
                // A look that was ended leaves a book that is good as far as it goes: the next goes on from there.
                keep(book, of: scope)
                throw error
            }
            keep(book, of: scope)
            return book
        }
    }

    private func kept(_ scope: DatabaseScope) -> PlaceBook? {
        shelf.withLock { shelf in
            shelf.uses += 1
            shelf.books[scope]?.usedAt = shelf.uses
            return shelf.books[scope]?.book
        }
    }

    private func keep(_ book: PlaceBook, of scope: DatabaseScope) {
        shelf.withLock { shelf in
            shelf.uses += 1
            if shelf.books.count >= Self.capacity,
                let oldest = shelf.books.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
            {
                shelf.books[oldest] = nil
            }
            shelf.books[scope] = (book, shelf.uses)
        }
    }
}
