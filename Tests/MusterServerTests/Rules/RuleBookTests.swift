import MusterCore
import MusterGeometry
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// What rules send, and that it is as durable as the change itself.
@Suite struct RuleBookTests {
    private static let everyCrossing = #"{"source":["aws.geo"],"detail-type":["Location Geofence Event"]}"#

    /// A town with one target, `hook`, and rules.
    private func town(_ rules: [Rule]) async throws -> Town {
        let town = try await Town()
        try await town.coordinator.edit { _, draft in
            draft.edits = [.putTarget(Target(number: TargetNumber(1), name: "hook", kind: .log))]
            draft.edits += rules.map { .putRule($0) }
        }
        return town
    }

    private func rule(
        _ pattern: String, number: Int32 = 1, input: RuleTarget.Input = .event, isEnabled: Bool = true
    ) -> Rule {
        Rule(
            number: RuleNumber(number), name: "rule\(number)", pattern: pattern, isEnabled: isEnabled,
            targets: [RuleTarget(id: "a", destination: .target(TargetNumber(1)), input: input)])
    }

    private func safetyRule(_ pattern: String, isEnabled: Bool = true) -> Rule {
        Rule(
            number: RuleNumber(9), name: "muster", pattern: pattern, isEnabled: isEnabled,
            targets: [RuleTarget(id: "s", destination: .safety)])
    }

    private func deliveries(of town: Town) throws -> [Delivery] {
        try town.store.deliveries(town.store.pendingDeliveries(after: .zero, limit: 1_000).map(\.number))
    }

    private func json(_ delivery: Delivery) throws -> JSONValue { try JSONValue(parsing: delivery.content.body) }

    @Test func `a crossing is sent in the envelope of Amazon Location, key by key`() async throws {
        let town = try await town([rule(Self.everyCrossing)])
        _ = try await town.coordinator.ingest([
            town.fix(46, at: 0, accuracy: nil), town.fix(45, at: 0.531, accuracy: nil),
        ])
        let sent = try deliveries(of: town)
        #expect(sent.count == 1)
        let event = try json(try #require(sent.first))
        #expect(
            event.members?.map(\.key) == [
                "version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail",
            ])
        #expect(event["version"] == .string("0"))
        #expect(event["detail-type"] == .string("Location Geofence Event"))
        #expect(event["account"] == .string("000000000000"))
        #expect(event["time"] == .string("2023-11-14T22:13:20Z"))
        #expect(
            event["resources"]
                == .array([
                    .string("arn:aws:geo:us-east-1:000000000000:geofence-collection/town"),
                    .string("arn:aws:geo:us-east-1:000000000000:tracker/crew"),
                ]))
        #expect(
            event["detail"]
                == .object([
                    .init("EventType", .string("ENTER")), .init("GeofenceId", .string("square")),
                    .init("DeviceId", .string("ana")), .init("SampleTime", .string("2023-11-14T22:13:20.531Z")),
                    .init("Position", .array([.integer(14), .integer(45)])),
                ]))
        #expect(sent[0].content.subject == .device(Town.phone))
        #expect(sent[0].content.rule == "rule1/a")
        #expect(event["id"]?.string == sent[0].content.event)
        try await town.coordinator.close()
    }

    @Test func `the id of an event follows from its place in the log`() async throws {
        let town = try await town([rule(Self.everyCrossing)])
        _ = try await town.coordinator.ingest([town.fix(45, at: 1)])
        let crossing = try #require(
            try town.store.changes(since: .zero, limit: 100).first {
                if case .crossing = $0.change { true } else { false }
            })
        let id = town.coordinator.origin.id(of: crossing.sequence, at: crossing.committedAt)
        #expect(try deliveries(of: town).map(\.content.event) == [id])
        try await town.coordinator.close()
    }

    @Test func `only what matches is sent, once a target, as the rules then are`() async throws {
        let exits = rule(#"{"detail":{"EventType":["EXIT"]}}"#, number: 2)
        let off = rule(Self.everyCrossing, number: 3, isEnabled: false)
        let town = try await town([rule(Self.everyCrossing), exits, off])
        _ = try await town.coordinator.ingest([town.fix(45, at: 1)])
        #expect(try deliveries(of: town).map(\.content.rule) == ["rule1/a"])
        _ = try await town.coordinator.ingest([town.fix(46, at: 2)])
        #expect(try deliveries(of: town).map(\.content.rule) == ["rule1/a", "rule1/a", "rule2/a"])
        try await town.coordinator.edit { _, draft in
            draft.edits = [.removeRule(RuleNumber(1)), .removeRule(RuleNumber(2))]
        }
        _ = try await town.coordinator.ingest([town.fix(45, at: 3), town.fix(46, at: 4)])
        #expect(try deliveries(of: town).count == 3)
        try await town.coordinator.close()
    }

    @Test func `rules go on after a restart`() async throws {
        let town = try await town([rule(Self.everyCrossing), safetyRule(Self.everyCrossing)])
        try await town.coordinator.close()
        let again = try await Town(store: town.store)
        _ = try await again.coordinator.ingest([again.fix(45, at: 1)])
        #expect(try deliveries(of: again).count == 1)
        #expect(again.coordinator.directory.musterRegionsByRule == [RegionNumber(1)])
        try await again.coordinator.close()
    }

    @Test func `a target receives its configured input`() async throws {
        let inputs: [RuleTarget.Input] = [
            .constant(#"{"a":1}"#), .path("$.detail.DeviceId"),
            .template("<who> came by <aws.events.rule-name>", paths: ["who": "$.detail.DeviceId"]),
        ]
        let town = try await town(
            inputs.enumerated().map { rule(Self.everyCrossing, number: Int32($0 + 1), input: $1) })
        _ = try await town.coordinator.ingest([town.fix(45, at: 1)])
        let sent = try deliveries(of: town).map(\.content)
        #expect(
            sent.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"a":1}"#, #""ana""#, "ana came by rule3"])
        #expect(
            sent.map(\.contentType) == ["application/json", "application/json", "text/plain; charset=utf-8"])
        try await town.coordinator.close()
    }

    @Test func `a stored position is an event if its tracker emits position events`() async throws {
        let town = try await town([rule(#"{"detail-type":["Location Device Position Event"]}"#)])
        _ = try await town.coordinator.ingest([town.fix(46, at: 1)])
        #expect(try deliveries(of: town).isEmpty)
        try await town.coordinator.edit { directory, draft in
            var tracker = try #require(directory.trackers["crew"])
            tracker.emitsPositionEvents = true
            draft.edits = [.putTracker(tracker)]
        }
        _ = try await town.coordinator.ingest([town.fix(46, at: 2)])
        let event = try json(try #require(try deliveries(of: town).first))
        #expect(event["detail"]?["EventType"] == .string("UPDATE"))
        #expect(event["detail"]?["TrackerName"] == .string("crew"))
        #expect(event["detail"]?["Position"] == .array([.integer(14), .integer(46)]))
        #expect(event["resources"]?.elements?.count == 1)
        try await town.coordinator.close()
    }

    @Test func `a change of safety is an event of Muster's own`() async throws {
        let town = try await town([rule(#"{"source":["muster"],"detail":{"State":["safe","unsafe"]}}"#)])
        _ = try await town.coordinator.ingest([town.fix(45, at: 1), town.fix(45, at: 2), town.fix(45, at: 22)])
        town.clock.advance(bySeconds: 300)
        _ = try await town.coordinator.ingest([town.fix(46, at: 302)])
        let details = try deliveries(of: town).map { try json($0)["detail"] }
        #expect(details.map { $0?["State"]?.string } == ["safe", "unsafe"])
        #expect(details.map { $0?["User"]?.string } == ["ana", "ana"])
        #expect(details.map { $0?["Region"]?.string } == ["square", nil])
        try await town.coordinator.close()
    }

    @Test func `a signal is one event with its values, and a late one is marked`() async throws {
        let template = RuleTarget.Input.template(
            #"{"text":"<who>: <text1><text2>"}"#,
            paths: ["who": "$.detail.DeviceId", "text1": "$.detail.Values.text1", "text2": "$.detail.Values.text2"])
        let pattern = #"{"detail-type":["Muster Signal"],"detail":{"Name":["button"]}}"#
        let town = try await town([rule(pattern), rule(pattern, number: 2, input: template)])
        func signal(_ id: String, _ name: String, at seconds: Double) -> Observation {
            let time = town.clock.now.advanced(bySeconds: seconds)
            return .signal(
                Signal(
                    id: id, name: name, sampleTime: time, receivedTime: town.clock.now,
                    values: [.init("text1", #"a "b""#)]), of: Town.phone)
        }
        let receipt = try await town.coordinator.ingest([
            signal("1", "button", at: 0), signal("2", "other", at: 0), signal("1", "button", at: 0),
            signal("3", "button", at: -3_600),
        ])
        #expect(receipt.tally.accepted == 3 && receipt.tally.repeated == 1)
        let sent = try deliveries(of: town).map { try json($0) }
        #expect(sent.count == 4)
        #expect(sent[0]["detail"]?["SignalId"] == .string("1") && sent[0]["delay-seconds"] == nil)
        #expect(sent[0]["detail"]?["Values"]?["text1"] == .string(#"a "b""#))
        #expect(sent[1]["text"] == .string(#"ana: a "b""#))
        #expect(sent[2]["detail"]?["SignalId"] == .string("3") && sent[2]["delay-seconds"] == .integer(3_600))
        try await town.coordinator.close()
    }

    @Test func `a posted event is in the log and is delivered`() async throws {
        let town = try await town([rule(#"{"source":["drill"],"detail":{"n":[{"numeric":[">",1]}]}}"#)])
        let events = [1, 2].map {
            PostedEvent(
                source: "drill", detailType: "CommitNotifier", time: town.clock.now, resources: ["r"],
                detail: "{\"n\":\($0)}")
        }
        let logged = try await town.coordinator.post(events)
        #expect(logged.map(\.change) == events.map { .posted($0) })
        #expect(try town.store.changes(since: .zero, limit: 100).suffix(2) == logged[...])
        let sent = try deliveries(of: town)
        #expect(sent.count == 1)
        #expect(sent[0].content.event == town.coordinator.origin.id(of: logged[1].sequence, at: logged[1].committedAt))
        #expect(try json(sent[0])["detail"] == .object([.init("n", .integer(2))]))
        try await town.coordinator.close()
    }

    // MARK: Muster regions by rule

    private func state(_ town: Town) async throws -> Safety.State {
        try await town.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana).state }
    }

    /// Takes away that the square itself says people are safe in it.
    private func unmuster(_ town: Town) async throws {
        try await town.coordinator.edit { directory, draft in
            var region = try #require(directory.regions[RegionNumber(1)])
            region.isMuster = false
            draft.edits = [.putRegion(region)]
        }
    }

    @Test func `a rule makes a region a muster region, at once, and undoes it when it goes`() async throws {
        let town = try await town([])
        try await unmuster(town)
        // An edit makes nobody safe whom three fixes over 20 s do not bear out.
        _ = try await town.coordinator.ingest([1, 12, 23].map { town.fix(45, at: $0) })
        #expect(try await state(town) == .unsafe)
        let pattern = #"{"source":["aws.geo"],"detail":{"EventType":["ENTER","EXIT"],"GeofenceId":["square"]}}"#
        try await town.coordinator.edit { _, draft in draft.edits = [.putRule(self.safetyRule(pattern))] }
        #expect(try await state(town) == .safe)
        let region = try #require(town.coordinator.directory.regions[RegionNumber(1)])
        #expect(!region.isMuster && town.coordinator.directory.isMuster(region))
        try await town.coordinator.edit { _, draft in
            draft.edits = [.putRule(self.safetyRule(pattern, isEnabled: false))]
        }
        #expect(try await state(town) == .unsafe)
        try await town.coordinator.edit { _, draft in draft.edits = [.putRule(self.safetyRule(pattern))] }
        #expect(try await state(town) == .safe)
        try await town.coordinator.edit { _, draft in draft.edits = [.removeRule(RuleNumber(9))] }
        #expect(try await state(town) == .unsafe)
        try await town.coordinator.close()
    }

    @Test func `a fence created after a safety rule is a muster region`() async throws {
        let town = try await town([safetyRule(#"{"resources":[{"suffix":"geofence-collection/town"}]}"#)])
        try await unmuster(town)
        #expect(town.coordinator.directory.musterRegionsByRule == [RegionNumber(1)])
        try await town.coordinator.edit { directory, draft in
            let square = try #require(directory.regions[RegionNumber(1)])
            draft.edits = [
                .putRegion(
                    Region(
                        number: RegionNumber(2), collection: square.collection, id: "yard", name: "Yard",
                        shape: square.shape))
            ]
        }
        #expect(town.coordinator.directory.musterRegionsByRule == [RegionNumber(1), RegionNumber(2)])
        _ = try await town.coordinator.ingest([town.fix(45, at: 1), town.fix(45, at: 2), town.fix(45, at: 22)])
        #expect(try await state(town) == .safe)
        try await town.coordinator.close()
    }

    @Test(arguments: [
        (#"{"source":["aws.geo"],"detail":{"GeofenceProperties":{"kind":["muster"]}}}"#, true),
        (#"{"source":["aws.geo"],"detail":{"DeviceId":["ana"]}}"#, false),
        (#"{"$or":[{"source":["aws.geo"]},{"time":[{"prefix":"2026"}]}]}"#, false),
    ])
    func `only what speaks of regions alone can be about safety`(pattern: String, isFit: Bool) throws {
        #expect((SafetyRule.refusal(of: try EventPattern(parsing: pattern)) == nil) == isFit)
    }
}
