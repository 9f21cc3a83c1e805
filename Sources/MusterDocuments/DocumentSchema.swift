/// The tables that documents are kept in, in whatever SQLite file: the server's, a device's, or none but memory.
///
/// A step that was released is never edited. A new file takes all of them, in order.
package enum DocumentSchema {
    /// What brings a file without them to the newest version; version n is reached after n steps.
    package static let steps = [tables, locationsAndRemovals, localsInRows, ownersInUnion, keptBytes, partitions]

    /// The first of them.
    package static let tables = """
        -- The number given last of each kind.
        CREATE TABLE document_counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE databases (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL,
            revision_limit INTEGER NOT NULL, security TEXT, purges INTEGER NOT NULL);

        -- A document with what its winner says. A database below 0 is a user's locations.
        CREATE TABLE documents (
            number INTEGER PRIMARY KEY, database INTEGER NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL, tree BLOB NOT NULL, body BLOB, attachments BLOB);
        CREATE UNIQUE INDEX documents_by_id ON documents (database, id);
        CREATE UNIQUE INDEX documents_by_sequence ON documents (database, sequence);
        CREATE INDEX documents_with_attachments ON documents (database) WHERE attachments IS NOT NULL;
        -- The locations of all users as one database.
        CREATE INDEX locations_by_id ON documents (id, sequence) WHERE database < 0;
        CREATE INDEX locations_by_sequence ON documents (sequence) WHERE database < 0;
        -- What revisions say that are not the winner.
        CREATE TABLE bodies (
            number INTEGER PRIMARY KEY, document INTEGER NOT NULL, revision BLOB NOT NULL, database INTEGER NOT NULL,
            is_leaf INTEGER NOT NULL, json BLOB NOT NULL, attachments BLOB);
        CREATE UNIQUE INDEX bodies_of_document ON bodies (document, revision);
        CREATE INDEX bodies_of_database ON bodies (database, is_leaf);
        -- How many documents a database has; database 0 is the union of all locations.
        CREATE TABLE document_counts (
            database INTEGER PRIMARY KEY, living INTEGER NOT NULL, deleted INTEGER NOT NULL, bytes INTEGER NOT NULL);
        -- How many documents were touched last by a change of each thousand.
        CREATE TABLE document_blocks (
            database INTEGER NOT NULL, block INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (database, block)) WITHOUT ROWID;
        CREATE TABLE local_documents (
            database INTEGER NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, json BLOB NOT NULL,
            PRIMARY KEY (database, id)) WITHOUT ROWID;

        -- The bytes of attachments, each once, whoever names it. key: NULL until all of them are there.
        CREATE TABLE blobs (
            number INTEGER PRIMARY KEY, key BLOB, length INTEGER NOT NULL, uses INTEGER NOT NULL, touched_at INTEGER);
        CREATE UNIQUE INDEX blobs_by_key ON blobs (key) WHERE key IS NOT NULL;
        CREATE INDEX blobs_unused ON blobs (touched_at) WHERE uses = 0;
        -- number: the blob's, shifted, and where in it the piece begins.
        CREATE TABLE blob_chunks (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

        """ + IndexSchema.tables

    /// What joined later: the union leaves design documents out, and large databases are erased piece by piece.
    package static let locationsAndRemovals = """
        DROP INDEX locations_by_id;
        DROP INDEX locations_by_sequence;
        -- The locations of all users as one database. A design document is no location.
        CREATE INDEX locations_by_id ON documents (id, sequence, database)
            WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
        CREATE INDEX locations_by_sequence ON documents (sequence)
            WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
        -- Databases that are gone for every reader and wait to be erased.
        CREATE TABLE removed_databases (number INTEGER PRIMARY KEY);

        """

    /// How many bytes revisions say that are not the winner. Those of attachments, which a file of before may have,
    /// `DocumentTables.countKeptBytes` counts.
    package static let keptBytes = "ALTER TABLE document_counts ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;"

    /// Partitioned databases, and indexes that are ordered by partition first.
    package static let partitions = """
        ALTER TABLE databases ADD COLUMN is_partitioned INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document_indexes ADD COLUMN is_partitioned INTEGER NOT NULL DEFAULT 0;

        """

    /// What joined after that: whoever looks for one of these, a checkpoint say, reads none of the others on its way.
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

    /// What joined after that: in the union each document stands by itself. Where several have an id, the one that was
    /// made first has it there.
    package static let ownersInUnion = """
        -- Whether the union has it under a qualified id.
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
        -- Whose ids of the union stay, though their documents were purged or went with their user; digests of them.
        CREATE TABLE union_ids (digest INTEGER PRIMARY KEY, database INTEGER NOT NULL, sequence INTEGER NOT NULL);
        CREATE INDEX union_ids_by_sequence ON union_ids (sequence);

        """
}
