-- A file of schema version 10 with a user that stands for a device, on the roll of an open incident, as sqlite3 .dump
-- writes it; its credentials are taken out.
PRAGMA application_id = 1299412082;
BEGIN TRANSACTION;
CREATE TABLE meta (version INTEGER NOT NULL, uuid TEXT NOT NULL);
INSERT INTO meta VALUES(10,'4c530d0c-33a4-4354-8c86-9f10c8596e1c');
CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES('collection',1);
INSERT INTO counters VALUES('device',1);
INSERT INTO counters VALUES('incident',1);
INSERT INTO counters VALUES('merged',20);
INSERT INTO counters VALUES('mergedOfThese',0);
INSERT INTO counters VALUES('mergingThrough',0);
INSERT INTO counters VALUES('recorded',20);
INSERT INTO counters VALUES('region',1);
INSERT INTO counters VALUES('team',1);
INSERT INTO counters VALUES('tracker',1);
INSERT INTO counters VALUES('user',3);
CREATE TABLE log (
    first_sequence INTEGER PRIMARY KEY, count INTEGER NOT NULL, committed_at INTEGER NOT NULL,
    changes BLOB NOT NULL);
INSERT INTO log VALUES(1,1,1795405510648,X'01070001');
INSERT INTO log VALUES(2,2,1795405510650,X'0112020e5f64657369676e2f706f696e7473000100211c3aba53bc6da34e2c37a917e7eb70070701');
INSERT INTO log VALUES(4,2,1795405514609,X'01070301070101');
INSERT INTO log VALUES(6,2,1795405514633,X'01070401070301');
INSERT INTO log VALUES(8,1,1795405514638,X'01070301');
INSERT INTO log VALUES(9,1,1795405514644,X'01050101');
INSERT INTO log VALUES(10,1,1795405514690,X'01070002');
INSERT INTO log VALUES(11,2,1795405515402,X'01070003070201');
INSERT INTO log VALUES(13,4,1795405515425,X'010101ecdb8fe8c068713d0ad7a3404a408fc2f5285ccf2a40d44e0201a09c0103000101ecdb8fe8c06809010100ff64ecdb8fe8c068ecdb8fe8c068040300ecdb8fe8c0680205');
INSERT INTO log VALUES(17,3,1795405515468,X'01010192ab90e8c068713d0ad7a3404a408fc2f5285ccf2a40060201a09c0109010101ff64ecdb8fe8c06892ab90e8c06804030192ab90e8c0680101');
INSERT INTO log VALUES(20,1,1795405515482,X'011001010000b4ab90e8c0680140000000');
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
    blocks INTEGER NOT NULL);
INSERT INTO epochs VALUES(1,1795405510390,1795405515465,1);
CREATE TABLE latest (
    device INTEGER PRIMARY KEY, sample_time INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
    position BLOB NOT NULL);
INSERT INTO latest VALUES(1,1795405515465,52.505000000000002558,13.40499999999999936,X'92ab90e8c068713d0ad7a3404a408fc2f5285ccf2a40060201a09c01');
CREATE TABLE removals (kind TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind, number)) WITHOUT ROWID;
CREATE TABLE users (number INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, team INTEGER, is_implicit INTEGER NOT NULL DEFAULT 0);
INSERT INTO users VALUES(1,'admin','admin',NULL,0);
INSERT INTO users VALUES(2,'ann','member',1,0);
INSERT INTO users VALUES(3,'tag-7','member',1,1);
CREATE TABLE teams (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, tracker INTEGER NOT NULL, silence_seconds REAL NOT NULL, closes_drills INTEGER NOT NULL DEFAULT 0, closes_real_incidents INTEGER NOT NULL DEFAULT 0, closes_after_seconds REAL NOT NULL DEFAULT 300, declared_holds_seconds REAL NOT NULL DEFAULT 43200, shows_safety_always INTEGER NOT NULL DEFAULT 0);
INSERT INTO teams VALUES(1,'crew',1,604800.0,0,0,300.0,43200.0,0);
CREATE TABLE devices (number INTEGER PRIMARY KEY, name TEXT NOT NULL, owner INTEGER NOT NULL);
INSERT INTO devices VALUES(1,'tag-7',3);
CREATE TABLE trackers (number INTEGER PRIMARY KEY, name TEXT NOT NULL, filter TEXT NOT NULL, emits_position_events INTEGER NOT NULL DEFAULT 0, description TEXT NOT NULL DEFAULT '', tags BLOB NOT NULL DEFAULT x'00', created_at INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL DEFAULT 0);
INSERT INTO trackers VALUES(1,'crew','none',0,'',X'00',1795405514609,1795405514638);
CREATE TABLE tracker_collections (
    tracker INTEGER NOT NULL, place INTEGER NOT NULL, collection INTEGER NOT NULL,
    PRIMARY KEY (tracker, place)) WITHOUT ROWID;
INSERT INTO tracker_collections VALUES(1,0,1);
CREATE TABLE collections (number INTEGER PRIMARY KEY, name TEXT NOT NULL, policy TEXT NOT NULL DEFAULT 'confident', description TEXT NOT NULL DEFAULT '', tags BLOB NOT NULL DEFAULT x'00', created_at INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL DEFAULT 0);
INSERT INTO collections VALUES(1,'crew','raw','',X'00',1795405514633,1795405514633);
CREATE TABLE regions (
    number INTEGER PRIMARY KEY, collection INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    shape BLOB NOT NULL, is_muster INTEGER NOT NULL, dwell_seconds REAL, exit_delay_seconds REAL NOT NULL,
    properties TEXT, mode INTEGER, created_at INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL DEFAULT 0);
INSERT INTO regions VALUES(1,1,'yard','Yard',X'0000050000000000404a40cdcccccccccc2a400000000000404a4052b81e85ebd12a40e17a14ae47414a4052b81e85ebd12a40e17a14ae47414a40cdcccccccccc2a400000000000404a40cdcccccccccc2a40',1,NULL,0.0,'{"muster": true, "name": "Yard"}',NULL,1795405514644,1795405514644);
CREATE TABLE credentials (
    kind INTEGER NOT NULL, key BLOB NOT NULL, owner INTEGER, device INTEGER, label TEXT NOT NULL,
    secret BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, used_at INTEGER,
    PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE presences (device INTEGER PRIMARY KEY, presences BLOB NOT NULL);
INSERT INTO presences VALUES(1,X'0101ecdb8fe8c06800');
CREATE TABLE safety (
    person INTEGER PRIMARY KEY, state INTEGER NOT NULL, since INTEGER NOT NULL, region INTEGER, source INTEGER, marked_by INTEGER, acknowledged_by INTEGER, doubt INTEGER);
INSERT INTO safety VALUES(3,1,1795405515465,1,1,NULL,NULL,NULL);
CREATE TABLE sightings (
    device INTEGER NOT NULL, sample_time INTEGER NOT NULL, uuid BLOB NOT NULL, major INTEGER NOT NULL,
    minor INTEGER NOT NULL, received_at INTEGER NOT NULL, distance REAL, signal_strength REAL,
    proximity INTEGER NOT NULL, PRIMARY KEY (device, sample_time, uuid, major, minor)) WITHOUT ROWID;
CREATE TABLE notes (
    device INTEGER NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL, sample_time INTEGER,
    received_at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (device, kind, key));
CREATE TABLE rules (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, pattern TEXT NOT NULL,
    is_enabled INTEGER NOT NULL, targets BLOB NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL);
CREATE TABLE targets (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, is_enabled INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, target INTEGER NOT NULL, subject INTEGER NOT NULL, rule TEXT NOT NULL,
    event TEXT NOT NULL, content_type TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, last_error TEXT, body BLOB NOT NULL);
CREATE TABLE dead_letters (
    number INTEGER PRIMARY KEY, target INTEGER NOT NULL, subject INTEGER NOT NULL, rule TEXT NOT NULL,
    event TEXT NOT NULL, content_type TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, last_error TEXT, died_at INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE declared (person INTEGER PRIMARY KEY, declared BLOB NOT NULL);
INSERT INTO declared VALUES(3,X'0000030000000000000000');
CREATE TABLE declarations (
    subject INTEGER NOT NULL, id TEXT NOT NULL, sample_time INTEGER NOT NULL, is_current INTEGER NOT NULL,
    declaration BLOB NOT NULL, PRIMARY KEY (subject, id)) WITHOUT ROWID;
CREATE TABLE incidents (
    number INTEGER PRIMARY KEY, team INTEGER NOT NULL, is_open INTEGER NOT NULL, incident BLOB NOT NULL);
INSERT INTO incidents VALUES(1,1,1,X'01010000b4ab90e8c0680140000000');
CREATE TABLE incident_changes (
    number INTEGER PRIMARY KEY, incident INTEGER NOT NULL, at INTEGER NOT NULL, person INTEGER NOT NULL,
    event INTEGER NOT NULL, safety BLOB NOT NULL, latitude REAL, longitude REAL, seen_at INTEGER, author INTEGER, note TEXT, name TEXT);
INSERT INTO incident_changes VALUES(1,1,1795405515482,2,0,X'000000',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO incident_changes VALUES(2,1,1795405515482,3,0,X'0192ab90e8c0680101',52.505000000000002558,13.40499999999999936,1795405515465,NULL,NULL,NULL);
CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, author INTEGER NOT NULL, device INTEGER,
    change BLOB NOT NULL);
INSERT INTO audit VALUES(4,1795405514609,1,NULL,X'01070301');
INSERT INTO audit VALUES(5,1795405514609,1,NULL,X'01070101');
INSERT INTO audit VALUES(6,1795405514633,1,NULL,X'01070401');
INSERT INTO audit VALUES(7,1795405514633,1,NULL,X'01070301');
INSERT INTO audit VALUES(8,1795405514638,1,NULL,X'01070301');
INSERT INTO audit VALUES(9,1795405514644,1,NULL,X'01050101');
INSERT INTO audit VALUES(10,1795405514690,1,NULL,X'01070002');
INSERT INTO audit VALUES(11,1795405515402,1,NULL,X'01070003');
INSERT INTO audit VALUES(12,1795405515402,1,NULL,X'01070201');
INSERT INTO audit VALUES(20,1795405515482,1,NULL,X'011001010000b4ab90e8c0680140000000');
CREATE TABLE history (
    number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, device INTEGER NOT NULL, first_time INTEGER NOT NULL,
    last_time INTEGER NOT NULL, first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
    told INTEGER NOT NULL, count INTEGER NOT NULL, marks BLOB NOT NULL, positions BLOB NOT NULL);
INSERT INTO history VALUES(1,1,1,1795405510390,1795405515465,13,17,2,2,X'3410',X'ecdb8fe8c068713d0ad7a3404a408fc2f5285ccf2a40d44e0201a09c0192ab90e8c068713d0ad7a3404a408fc2f5285ccf2a40060201a09c01');
CREATE TABLE document_counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO document_counters VALUES('database',1);
CREATE TABLE databases (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL,
    revision_limit INTEGER NOT NULL, security TEXT, purges INTEGER NOT NULL);
INSERT INTO databases VALUES(1,'lt_places',1795405510651,1000,NULL,0);
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, database INTEGER NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL, tree BLOB NOT NULL, body BLOB, attachments BLOB);
INSERT INTO documents VALUES(1,1,'_design/points',2,0,X'01020100211c3aba53bc6da34e2c37a917e7eb70',X'7b2273745f696e6465786573223a7b22706f696e74696478223a7b22696e646578223a2266756e6374696f6e28646f63297b696628646f632e67656f6d657472792626646f632e67656f6d657472792e636f6f7264696e61746573297b73745f696e64657828646f632e67656f6d65747279293b7d7d227d7d7d',NULL);
CREATE TABLE bodies (
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, revision BLOB NOT NULL, database INTEGER NOT NULL,
    is_leaf INTEGER NOT NULL, json BLOB NOT NULL, attachments BLOB);
CREATE TABLE document_counts (
    database INTEGER PRIMARY KEY, living INTEGER NOT NULL, deleted INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO document_counts VALUES(1,1,0,122);
CREATE TABLE document_blocks (
    database INTEGER NOT NULL, block INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (database, block)) WITHOUT ROWID;
INSERT INTO document_blocks VALUES(1,0,1);
CREATE TABLE blobs (
    number INTEGER PRIMARY KEY, key BLOB, length INTEGER NOT NULL, uses INTEGER NOT NULL, touched_at INTEGER);
CREATE TABLE blob_chunks (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE document_indexes (
    number INTEGER PRIMARY KEY, database INTEGER NOT NULL, design TEXT NOT NULL, name TEXT NOT NULL,
    fields TEXT NOT NULL, is_descending INTEGER NOT NULL, partial_selector BLOB, filled INTEGER);
CREATE TABLE index_entries (
    index_number INTEGER NOT NULL, key BLOB NOT NULL, id TEXT NOT NULL, document INTEGER NOT NULL,
    PRIMARY KEY (index_number, key, id)) WITHOUT ROWID;
CREATE TABLE removed_databases (number INTEGER PRIMARY KEY);
CREATE TABLE database_events (
    sequence INTEGER NOT NULL, database INTEGER NOT NULL, is_removal INTEGER NOT NULL, removed_name TEXT,
    PRIMARY KEY (sequence, database, is_removal)) WITHOUT ROWID;
INSERT INTO database_events VALUES(1,-1,0,NULL);
INSERT INTO database_events VALUES(3,1,0,NULL);
INSERT INTO database_events VALUES(10,-2,0,NULL);
INSERT INTO database_events VALUES(11,-3,0,NULL);
CREATE TABLE local_documents (
    number INTEGER PRIMARY KEY, database INTEGER NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL,
    json BLOB NOT NULL);
CREATE TABLE refuges (device INTEGER PRIMARY KEY, presences BLOB NOT NULL);
INSERT INTO refuges VALUES(1,X'010192ab90e8c068040104ffecdb8fe8c068');
CREATE TABLE device_records (device INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, record BLOB NOT NULL);
INSERT INTO device_records VALUES(1,20,X'6792ab90e8c06898ab90e8c06892ab90e8c068713d0ad7a3404a408fc2f5285ccf2a40060201a09c016666a240000000000019713d0ad7a3404a408fc2f5285ccf2a40c90a8206a20100000000000000000000d3130000000000000000000000000000d3130000000000000000000000000000d313000000000000000000000000000000000000000000000000000000000000d3130000000000000000000000000000d3130000000000000000000000000000ffffffff000000000000000000000000ffffffff00000000afa2d24188bc33410000a040000000000000000000000000000000000000000000000000000000000201000000000000');
CREATE INDEX devices_of_owner ON devices (owner);
CREATE INDEX regions_of_collection ON regions (collection);
CREATE INDEX credentials_of_owner ON credentials (owner);
CREATE INDEX credentials_of_device ON credentials (device);
CREATE INDEX sightings_by_time ON sightings (sample_time);
CREATE INDEX deliveries_of_subject ON deliveries (subject);
CREATE INDEX dead_letters_of_target ON dead_letters (target, number);
CREATE INDEX dead_letters_of_subject ON dead_letters (subject);
CREATE INDEX dead_letters_by_time ON dead_letters (died_at);
CREATE INDEX declarations_of_subject ON declarations (subject, sample_time, id);
CREATE INDEX declarations_by_time ON declarations (sample_time);
CREATE INDEX incidents_of_team ON incidents (team, number);
CREATE INDEX incident_changes_of_person ON incident_changes (incident, person, number);
CREATE INDEX incident_changes_in_order ON incident_changes (incident, number);
CREATE INDEX history_of_device ON history (
    epoch, device, first_time, last_time, first_sequence, last_sequence, told);
CREATE UNIQUE INDEX documents_by_id ON documents (database, id);
CREATE UNIQUE INDEX documents_by_sequence ON documents (database, sequence);
CREATE INDEX documents_with_attachments ON documents (database) WHERE attachments IS NOT NULL;
CREATE UNIQUE INDEX bodies_of_document ON bodies (document, revision);
CREATE INDEX bodies_of_database ON bodies (database, is_leaf);
CREATE UNIQUE INDEX blobs_by_key ON blobs (key) WHERE key IS NOT NULL;
CREATE INDEX blobs_unused ON blobs (touched_at) WHERE uses = 0;
CREATE UNIQUE INDEX document_indexes_by_name ON document_indexes (database, design, name);
CREATE INDEX index_entries_of_document ON index_entries (document, index_number);
CREATE INDEX locations_by_id ON documents (id, sequence, database)
    WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
CREATE INDEX locations_by_sequence ON documents (sequence)
    WHERE database < 0 AND substr(id, 1, 8) <> '_design/';
CREATE INDEX database_events_of_database ON database_events (database);
CREATE UNIQUE INDEX local_documents_by_id ON local_documents (database, id);
COMMIT;
