import GRDB
import MusterCore

/// The directory's rows: each `put` inserts, or replaces what has the number.
extension SQLiteTransaction {
    func put(_ user: User) throws {
        try execute(
            """
            INSERT INTO users (number, name, role, team) VALUES (?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, role = excluded.role, team = excluded.team
            """, [user.number.rawValue, user.name, user.role.rawValue, user.team?.rawValue])
    }

    func put(_ team: Team) throws {
        try execute(
            """
            INSERT INTO teams (number, name, tracker, silence_seconds) VALUES (?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, tracker = excluded.tracker, silence_seconds = excluded.silence_seconds
            """, [team.number.rawValue, team.name, team.tracker.rawValue, team.silenceSeconds])
    }

    func put(_ device: Device) throws {
        try execute(
            """
            INSERT INTO devices (number, name, owner) VALUES (?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, owner = excluded.owner
            """, [device.number.rawValue, device.name, device.user.rawValue])
    }

    func put(_ tracker: Tracker) throws {
        try execute(
            """
            INSERT INTO trackers (number, name, filter) VALUES (?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, filter = excluded.filter
            """, [tracker.number.rawValue, tracker.name, tracker.filter.rawValue])
        try execute("DELETE FROM tracker_collections WHERE tracker = ?", [tracker.number.rawValue])
        for (place, collection) in tracker.collections.enumerated() {
            try execute(
                "INSERT INTO tracker_collections (tracker, place, collection) VALUES (?, ?, ?)",
                [tracker.number.rawValue, place, collection.rawValue])
        }
    }

    func put(_ collection: RegionCollection) throws {
        try execute(
            """
            INSERT INTO collections (number, name, policy) VALUES (?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, policy = excluded.policy
            """, [collection.number.rawValue, collection.name, collection.policy.rawValue])
    }

    func put(_ region: Region) throws {
        var shape = ByteWriter()
        shape.put(region.shape)
        try execute(
            """
            INSERT INTO regions (
                number, collection, id, name, shape, is_muster, mode, dwell_seconds, exit_delay_seconds, properties)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET collection = excluded.collection, id = excluded.id, name = excluded.name,
                shape = excluded.shape, is_muster = excluded.is_muster, mode = excluded.mode,
                dwell_seconds = excluded.dwell_seconds, exit_delay_seconds = excluded.exit_delay_seconds,
                properties = excluded.properties
            """,
            [
                region.number.rawValue, region.collection.rawValue, region.id, region.name, Blob(shape.bytes),
                region.isMuster, region.mode?.rawValue, region.dwellSeconds, region.exitDelaySeconds, region.properties,
            ])
    }

    func remove(_ team: TeamNumber) throws {
        try execute("DELETE FROM teams WHERE number = ?", [team.rawValue])
    }

    func remove(_ tracker: TrackerNumber) throws {
        try execute("DELETE FROM tracker_collections WHERE tracker = ?", [tracker.rawValue])
        try execute("DELETE FROM trackers WHERE number = ?", [tracker.rawValue])
    }

    func remove(_ collection: CollectionNumber) throws {
        try execute("DELETE FROM regions WHERE collection = ?", [collection.rawValue])
        try execute("DELETE FROM collections WHERE number = ?", [collection.rawValue])
    }

    func remove(_ region: RegionNumber) throws {
        try execute("DELETE FROM regions WHERE number = ?", [region.rawValue])
    }

    func put(_ credential: Credential) throws {
        try execute(
            """
            INSERT INTO credentials (kind, key, owner, device, label, secret, created_at, expires_at, used_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, key)
            DO UPDATE SET owner = excluded.owner, device = excluded.device, label = excluded.label,
                secret = excluded.secret, created_at = excluded.created_at, expires_at = excluded.expires_at,
                used_at = excluded.used_at
            """,
            [
                credential.kind.rawValue, Blob(credential.key), credential.user?.rawValue, credential.device?.rawValue,
                credential.label, Blob(credential.secret), credential.createdAt.milliseconds,
                credential.expiresAt?.milliseconds, credential.usedAt?.milliseconds,
            ])
    }

    func removeCredential(_ kind: Credential.Kind, key: [UInt8]) throws {
        try execute("DELETE FROM credentials WHERE kind = ? AND key = ?", [kind.rawValue, Blob(key)])
    }

    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential? {
        try run { try Credential.fetch(kind, key: key, in: database) }
    }
}
