package import MusterCore
package import MusterWire

/// An index of a database.
package struct StoredIndex: Hashable, Sendable {
    /// Its number, never used again.
    package var number: Int64
    /// Whose documents it has.
    package var database: DatabaseNumber
    /// By which fields.
    package var definition: IndexDefinition
    /// Whether it has all documents that it should; until then nobody asks it.
    package var isReady: Bool
}

/// Which keys of an index are wanted.
package struct KeyRange: Hashable, Sendable {
    /// The first key that may be; nil for any.
    package var lower: CollationKey?
    /// The first key that may not be any more; nil for none.
    package var upper: CollationKey?

    package init(lower: CollationKey? = nil, upper: CollationKey? = nil) {
        self.lower = lower
        self.upper = upper
    }
}

/// Where a document stands in an index: by its key, then by its id.
package struct IndexEntry: Hashable, Sendable {
    /// What its fields say.
    package var key: CollationKey
    /// Its id.
    package var id: String

    package init(key: CollationKey, id: String) {
        self.key = key
        self.id = id
    }

    /// Whether this comes first: by key, then by the bytes of the id.
    package func isBefore(_ other: IndexEntry) -> Bool {
        key == other.key ? id.utf8.lexicographicallyPrecedes(other.id.utf8) : key < other.key
    }
}

/// The tables of indexes. Keys are ordered by their bytes, ids by theirs.
package enum IndexSchema {
    /// Makes them all.
    package static let tables = """
        -- filled: the number of the last document that was looked at when the index was made; NULL when all were.
        CREATE TABLE document_indexes (
            number INTEGER PRIMARY KEY, database INTEGER NOT NULL, design TEXT NOT NULL, name TEXT NOT NULL,
            fields TEXT NOT NULL, is_descending INTEGER NOT NULL, partial_selector BLOB, filled INTEGER);
        CREATE UNIQUE INDEX document_indexes_by_name ON document_indexes (database, design, name);
        CREATE TABLE index_entries (
            index_number INTEGER NOT NULL, key BLOB NOT NULL, id TEXT NOT NULL, document INTEGER NOT NULL,
            PRIMARY KEY (index_number, key, id)) WITHOUT ROWID;
        CREATE INDEX index_entries_of_document ON index_entries (document, index_number);

        """
}
