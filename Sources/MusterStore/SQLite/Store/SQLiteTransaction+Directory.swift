import GRDB
import MusterCore
import MusterDocuments

/// The rows of the directory. Each `put` inserts a row, or replaces the one of its number.
extension SQLiteTransaction {
    func put(_ user: User) throws {
        var roles = ByteWriter()
        roles.put(varint: UInt64(user.databaseRoles.count))
        for role in user.databaseRoles { roles.put(text: role) }
        try execute(
            """
            INSERT INTO users (number, name, role, team, crew, is_implicit, database_roles, email, phone,
                display_name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, role = excluded.role, team = excluded.team, crew = excluded.crew,
                is_implicit = excluded.is_implicit, database_roles = excluded.database_roles, email = excluded.email,
                phone = excluded.phone, display_name = excluded.display_name
            """,
            [
                user.number.rawValue, user.name, user.role.rawValue, user.team?.rawValue, user.crew?.rawValue,
                user.isImplicit, Blob(roles.bytes), user.email, user.phone,
                user.displayName,
            ])
    }

    func put(_ team: Team) throws {
        try execute(
            """
            INSERT INTO teams (
                number, name, tracker, silence_seconds, closes_drills, closes_real_incidents, closes_after_seconds,
                declared_holds_seconds, shows_safety_always, par_every_seconds, allows_pause)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, tracker = excluded.tracker, silence_seconds = excluded.silence_seconds,
                closes_drills = excluded.closes_drills, closes_real_incidents = excluded.closes_real_incidents,
                closes_after_seconds = excluded.closes_after_seconds,
                declared_holds_seconds = excluded.declared_holds_seconds,
                shows_safety_always = excluded.shows_safety_always,
                par_every_seconds = excluded.par_every_seconds, allows_pause = excluded.allows_pause
            """,
            [
                team.number.rawValue, team.name, team.tracker.rawValue, team.silenceSeconds,
                team.incidents.closesDrills, team.incidents.closesRealIncidents, team.incidents.closesAfterSeconds,
                team.incidents.declaredHoldsSeconds, team.incidents.showsSafetyAlways,
                team.incidents.parEverySeconds, team.incidents.allowsPause,
            ])
    }

    func put(_ crew: Crew) throws { try run { try CrewTable.put(crew, in: database) } }

    func put(_ device: Device) throws {
        try execute(
            """
            INSERT INTO devices (number, name, owner, alias, beacon, range_tag) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET name = excluded.name, owner = excluded.owner, alias = excluded.alias,
                beacon = excluded.beacon, range_tag = excluded.range_tag
            """,
            [
                device.number.rawValue, device.name, device.user.rawValue, device.alias,
                device.beacon.map { beacon in Blob(ByteWriter.bytes { $0.put(beacon) }) },
                device.rangeTag.map { tag in Blob(ByteWriter.bytes { $0.put(tag) }) },
            ])
        try execute(
            "UPDATE credentials SET owner = ? WHERE device = ? AND owner <> ?",
            [device.user.rawValue, device.number.rawValue, device.user.rawValue])
    }

    func put(_ tracker: Tracker) throws {
        try execute(
            """
            INSERT INTO trackers (
                number, name, filter, emits_position_events, works_at_zero, description, tags, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, filter = excluded.filter,
                emits_position_events = excluded.emits_position_events, works_at_zero = excluded.works_at_zero,
                description = excluded.description,
                tags = excluded.tags, created_at = excluded.created_at, updated_at = excluded.updated_at
            """,
            [
                tracker.number.rawValue, tracker.name, tracker.filter.rawValue, tracker.emitsPositionEvents,
                tracker.worksAtZero,
            ]
                + tracker.particulars.columns)
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
            INSERT INTO collections (number, name, policy, description, tags, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, policy = excluded.policy, description = excluded.description,
                tags = excluded.tags, created_at = excluded.created_at, updated_at = excluded.updated_at
            """,
            [collection.number.rawValue, collection.name, collection.policy.rawValue]
                + collection.particulars.columns)
    }

    func put(_ region: Region) throws {
        // A virtual region has an empty shape.
        var shape = ByteWriter()
        if let area = region.shape { shape.put(area) }
        try execute(
            """
            INSERT INTO regions (
                number, collection, id, name, shape, is_muster, mode, dwell_seconds, exit_delay_seconds, properties,
                created_at, updated_at, beacon)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET collection = excluded.collection, id = excluded.id, name = excluded.name,
                shape = excluded.shape, is_muster = excluded.is_muster, mode = excluded.mode,
                dwell_seconds = excluded.dwell_seconds, exit_delay_seconds = excluded.exit_delay_seconds,
                properties = excluded.properties, created_at = excluded.created_at,
                updated_at = excluded.updated_at, beacon = excluded.beacon
            """,
            [
                region.number.rawValue, region.collection.rawValue, region.id, region.name, Blob(shape.bytes),
                region.isMuster, region.mode?.rawValue, region.dwellSeconds, region.exitDelaySeconds, region.properties,
                region.times.createdAt.milliseconds, region.times.updatedAt.milliseconds,
                region.beacon.map { area in Blob(ByteWriter.bytes { $0.put(area) }) },
            ])
    }

    func remove(_ team: TeamNumber) throws {
        try execute("DELETE FROM teams WHERE number = ?", [team.rawValue])
        try run {
            try AttendanceTable.remove(of: team, in: database)
            try ProximityTable.remove(of: team, in: database)
        }
    }

    func remove(_ crew: CrewNumber) throws { try run { try CrewTable.remove(crew, in: database) } }

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

    func put(_ rule: Rule) throws {
        var targets = ByteWriter()
        targets.put(rule.targets)
        try execute(
            """
            INSERT INTO rules (
                number, name, description, pattern, is_enabled, targets, created_at, updated_at, maker)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, description = excluded.description, pattern = excluded.pattern,
                is_enabled = excluded.is_enabled, targets = excluded.targets, created_at = excluded.created_at,
                updated_at = excluded.updated_at, maker = excluded.maker
            """,
            [
                rule.number.rawValue, rule.name, rule.description, rule.pattern, rule.isEnabled, Blob(targets.bytes),
                rule.times.createdAt.milliseconds, rule.times.updatedAt.milliseconds, rule.maker?.rawValue,
            ])
    }

    func put(_ target: Target) throws {
        try execute(
            """
            INSERT INTO targets (number, name, kind, is_enabled, released_through, created_at, updated_at, maker)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET name = excluded.name, kind = excluded.kind, is_enabled = excluded.is_enabled,
                released_through = excluded.released_through, created_at = excluded.created_at,
                updated_at = excluded.updated_at, maker = excluded.maker
            """,
            [
                target.number.rawValue, target.name, target.kind.rawValue, target.isEnabled, target.mode.through,
                target.times.createdAt.milliseconds, target.times.updatedAt.milliseconds, target.maker?.rawValue,
            ])
    }

    func remove(_ rule: RuleNumber) throws {
        try execute("DELETE FROM rules WHERE number = ?", [rule.rawValue])
    }

    func remove(_ target: TargetNumber) throws {
        try execute("DELETE FROM targets WHERE number = ?", [target.rawValue])
        try removeDeliveries(of: target)
        try removeCredential(.targetSecret, key: withUnsafeBytes(of: target.rawValue.bigEndian) { [UInt8]($0) })
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

extension Particulars {
    /// The values of the columns description, tags, created_at and updated_at, in this order.
    fileprivate var columns: StatementArguments {
        var tags = ByteWriter()
        tags.put(self.tags)
        return [description, Blob(tags.bytes), times.createdAt.milliseconds, times.updatedAt.milliseconds]
    }
}
