package import MusterCore
package import MusterDocuments
import MusterWire
import Synchronization

/// The place books of the databases that were queried lately. The first query makes a book. Each later query brings it
/// up to date, so it sees every transaction that was answered before it.
package final class PlaceBooks: Sendable {
    private struct Shelf {
        var books: [DatabaseScope: (book: PlaceBook, usedAt: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    private let shelf = Mutex(Shelf())
    /// Only one book is updated at a time. Queries of other books that need an update wait.
    private let updating = Mutex(())

    /// The largest number of books; the least recently used is dropped.
    private static let capacity = 16

    package init() {}

    /// The book of a scope, up to date with this reader.
    ///
    /// - Throws: `MangoError` when there are too many places; the reader's errors.
    package func book(of scope: DatabaseScope, _ reader: any DocumentReader) throws -> PlaceBook {
        if let known = kept(scope), known.sequence >= reader.lastSequence { return known }
        return try updating.withLock { _ in
            var book = kept(scope) ?? PlaceBook()
            guard book.sequence < reader.lastSequence else { return book }
            // The shelf must not hold a second copy of the book while this one changes.
            shelf.withLock { $0.books[scope] = nil }
            do {
                try book.follow(reader, scope)
            } catch let error where !(error is MangoError) {
                // An interrupted update leaves a consistent book; the next update continues from there.
                cacheBook(book, of: scope)
                throw error
            }
            cacheBook(book, of: scope)
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

    private func cacheBook(_ book: PlaceBook, of scope: DatabaseScope) {
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
