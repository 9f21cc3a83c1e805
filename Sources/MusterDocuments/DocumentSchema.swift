/// The SQL of the document tables, in any SQLite file: the server's, a device's, or one in memory.
///
/// A released step is never changed. A new file runs all steps, in order.
package enum DocumentSchema {
    /// The steps from a file without document tables to the newest version. A file of version n has run the first n
    /// steps.
    package static let steps = [tables, locationsAndRemovals, localsInRows, ownersInUnion, keptBytes, partitions]

    /// Step 1: the tables.
    package static let tables = """
        -- The last number given, of each kind.
        CREATE TABLE document_counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE databases (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL,
            revision_limit INTEGER NOT NULL, security TEXT, purges INTEGER NOT NULL);

        -- A document with the body of its winner. A database below 0 has a user's locations.
        CREATE TABLE documents (
            number INTEGER PRIMARY KEY, database INTEGER NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL, tree BLOB NOT NULL, body BLOB, attachments BLOB);
        CREATE UNIQUE INDEX documents_by_id ON documents (database, id);
        CREATE UNIQUE INDEX documents_by_sequence ON documents (database, sequence);
        CREATE INDEX documents_with_attachments ON documents (database) WHERE attachments IS NOT NULL;
        -- The locations of all users as one database.
        CREATE INDEX locations_by_id ON documents (id, sequence) WHERE database < 0;
        CREATE INDEX locations_by_sequence ON documents (sequence) WHERE database < 0;
        -- The bodies of revisions that are not the winner.
        CREATE TABLE bodies (
            number INTEGER PRIMARY KEY, document INTEGER NOT NULL, revision BLOB NOT NULL, database INTEGER NOT NULL,
            is_leaf INTEGER NOT NULL, json BLOB NOT NULL, attachments BLOB);
        CREATE UNIQUE INDEX bodies_of_document ON bodies (document, revision);
        CREATE INDEX bodies_of_database ON bodies (database, is_leaf);
        -- The number of documents in a database; database 0 is the union of all locations.
        CREATE TABLE document_counts (
            database INTEGER PRIMARY KEY, living INTEGER NOT NULL, deleted INTEGER NOT NULL, bytes INTEGER NOT NULL);
        -- The number of documents that a change of each block of 1,024 touched last.
        CREATE TABLE document_blocks (
            database INTEGER NOT NULL, block INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (database, block)) WITHOUT ROWID;
        CREATE TABLE local_documents (
            database INTEGER NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, json BLOB NOT NULL,
            PRIMARY KEY (database, id)) WITHOUT ROWID;

        -- The bytes of attachments, stored once however many revisions refer to them. key: NULL until the blob is
        -- finished.
        CREATE TABLE blobs (
            number INTEGER PRIMARY KEY, key BLOB, length INTEGER NOT NULL, uses INTEGER NOT NULL, touched_at INTEGER);
        CREATE UNIQUE INDEX blobs_by_key ON blobs (key) WHERE key IS NOT NULL;
        CREATE INDEX blobs_unused ON blobs (touched_at) WHERE uses = 0;
        -- number: the blob's number, shifted left, plus the offset of the piece in the blob.
        CREATE TABLE blob_chunks (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

        """ + IndexSchema.tables

    /// Step 2: the union leaves out design documents, and large databases are erased in slices.
    package static let locationsAndRemovals = """
        DROP INDEX locations_by_id;
        DROP INDEX locations_by_sequence;
        -- The locations of all users as one database. A design document is no location.
        CREATE INDEX locations_by_id ON documents (id, sequence, database)
            WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
        CREATE INDEX locations_by_sequence ON documents (sequence)
            WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
        -- Removed databases, which no reader sees and which are still to be erased.
        CREATE TABLE removed_databases (number INTEGER PRIMARY KEY);

        """

    /// Step 5: the bytes of revisions that are not the winner. The SQL counts 0; for a file that has such revisions,
    /// `DocumentTables.countKeptBytes` counts them.
    package static let keptBytes = "ALTER TABLE document_counts ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;"

    /// Step 6: partitioned databases, and indexes whose keys begin with the partition.
    package static let partitions = """
        ALTER TABLE databases ADD COLUMN is_partitioned INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document_indexes ADD COLUMN is_partitioned INTEGER NOT NULL DEFAULT 0;

        """

    /// Step 3: a local document is a row with a number of its own, so that a look-up of one id reads no JSON of others.
    package static let localsInRows = """
        ALTER TABLE local_documents RENAME TO former_local_documents;
        CREATE TABLE local_documents (
            number INTEGER PRIMARY KEY, database INTEGER NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL,
            json BLOB NOT NULL);
        CREATE UNIQUE INDEX local_documents_by_id ON local_documents (database, id);
        INSERT INTO local_documents (database, id, revision, json)
            SELECT database, id, revision, json FROM former_local_documents;
        DROP TABLE former_local_documents;

        """

    /// Step 4: each document has its own entry in the union. If several documents have one id, the one that was made
    /// first keeps it there; the others get qualified ids.
    package static let ownersInUnion = """
        -- Whether the union has the document under a qualified id.
        ALTER TABLE documents ADD COLUMN is_qualified INTEGER NOT NULL DEFAULT 0;
        UPDATE documents SET is_qualified = 1
            FROM (
                SELECT id, min(number) AS first FROM documents
                WHERE database < 0 AND substr(id, 1, 8) <> '_design/' GROUP BY id HAVING count(*) > 1) AS shared
            WHERE documents.database < 0 AND substr(documents.id, 1, 8) <> '_design/'
                AND documents.id = shared.id AND documents.number <> shared.first;
        UPDATE documents SET is_qualified = 1
            WHERE database < 0
                AND id GLOB 'user-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]:?*';
        DROP INDEX locations_by_id;
        CREATE UNIQUE INDEX locations_by_id ON documents (id)
            WHERE database < 0 AND substr(id, 1, 8) <> '_design/' AND is_qualified = 0;
        CREATE INDEX qualified_locations ON documents (database, id) WHERE is_qualified = 1 AND is_deleted = 0;
        -- Union ids that stay reserved for their owners after the documents were removed, as digests.
        CREATE TABLE union_ids (digest INTEGER PRIMARY KEY, database INTEGER NOT NULL, sequence INTEGER NOT NULL);
        CREATE INDEX union_ids_by_sequence ON union_ids (sequence);

        """
}
