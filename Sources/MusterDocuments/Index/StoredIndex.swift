package import MusterCore
package import MusterWire

/// A Mango index of a database, as it is stored: what it indexes, and whether queries may use it yet.
package struct StoredIndex: Hashable, Sendable {
    /// The number of the index, never used again.
    package var number: Int64
    package var database: DatabaseNumber
    package var definition: IndexDefinition
    /// Whether the index is filled. Queries use only ready indexes.
    package var isReady: Bool
}

/// A range of index keys.
package struct KeyRange: Hashable, Sendable {
    /// The lower bound, inclusive; nil for none.
    package var lower: CollationKey?
    /// The upper bound, exclusive; nil for none.
    package var upper: CollationKey?

    package init(lower: CollationKey? = nil, upper: CollationKey? = nil) {
        self.lower = lower
        self.upper = upper
    }
}

/// An entry of an index, ordered by its key and then by the document's id.
package struct IndexEntry: Hashable, Sendable {
    /// The key, made of the values of the indexed fields.
    package var key: CollationKey
    /// The document's id.
    package var id: String

    package init(key: CollationKey, id: String) {
        self.key = key
        self.id = id
    }

    /// Whether this entry comes before another: by key, then by the bytes of the id.
    package func isBefore(_ other: IndexEntry) -> Bool {
        key == other.key ? id.utf8.lexicographicallyPrecedes(other.id.utf8) : key < other.key
    }
}

/// The SQL of the index tables. Keys and ids are ordered by their bytes.
package enum IndexSchema {
    /// The tables of step 1 of `DocumentSchema`.
    package static let tables = """
        -- filled: the number of the document that was indexed last while the index is being filled; NULL when it is
        -- ready.
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
