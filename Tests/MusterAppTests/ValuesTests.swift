import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterWire
import Testing

@testable import MusterApp

/// The values that the models are made of.
@Suite struct ValuesTests {
    private func person(_ name: String, _ state: SafetyState) -> Person {
        var person = Person(user: name)
        (person.team, person.state) = ("crew", state)
        return person
    }

    @Test func `the order of a roster is that of sorting it, after any changes`() {
        print("seed 1")
        var dice = Dice(seed: 1)
        var order = RosterOrder()
        var keys: [String: RosterOrder.Key] = [:]
        for _ in 0..<3_000 {
            let name = "p\(Int.random(in: 0..<300, using: &dice))"
            if Int.random(in: 0..<4, using: &dice) == 0 {
                order.remove(name)
                keys[name] = nil
            } else {
                let state = ShownState.allCases.randomElement(using: &dice) ?? .safe
                let key = RosterOrder.Key(person(name, .safe), state)
                order.put(key)
                keys[name] = key
            }
        }
        #expect(order.keys == keys.values.sorted())
        #expect(order.counts.values.reduce(0, +) == keys.count)
        for (state, count) in order.counts { #expect(count == keys.values.count { $0.state == state }) }
    }

    @Test func `what a newer server says is never taken as safe`() throws {
        let value = try JSONValue(
            parsing: Array(
                #"{"user":"ann","state":"levitating","source":"region","since":"2026-11-29T10:00:00Z"}"#.utf8))
        let ann = try #require(Person(member: value, of: "crew", at: 1))
        #expect(ann.state == .unknown && ann.doubt == .notUnderstood && ann.source == nil)
        let doubtful = try JSONValue(parsing: Array(#"{"user":"bo","state":"safe","doubt":"hearsay"}"#.utf8))
        let bo = try #require(Person(member: doubtful, of: "crew", at: 1))
        #expect(!bo.isAccounted && bo.shown(showsSafety: true) == .checking)
    }

    @Test func `a change of the log counts once, and an older one changes nothing`() throws {
        var state = TeamState(user: "lea")
        state.team = "crew"
        state.replace(people: [person("ann", .unknown)], incidents: [])
        func change(_ sequence: Int, _ text: String) throws -> JSONValue {
            try JSONValue(parsing: Array(#"{"sequence":\#(sequence),"at":"2026-11-29T10:00:00Z",\#(text)}"#.utf8))
        }
        let sos = try change(7, #""type":"safety","user":"ann","state":"sos","source":"ownDeclaration""#)
        let safe = try change(6, #""type":"safety","user":"ann","state":"safe","source":"region""#)
        state.apply(sos)
        let after = state.people["ann"]
        #expect(after?.state == .sos && state.sequence == 7)
        state.apply(safe)
        state.apply(sos)
        #expect(state.people["ann"] == after)
        state.apply(try change(8, #""type":"incident","number":1,"team":"crew","kind":"flood","open":true"#))
        #expect(state.ownIncident?.isDrill == false, "an incident of an unknown kind calls like a real one")
        #expect(state.isOutdated, "the roll is read")
    }

    @Test func `a change that comes while answers are on their way outlasts them`() throws {
        var state = TeamState(user: "lea")
        state.team = "crew"
        state.replace(people: [person("ann", .unknown)], incidents: [])
        let changes = try [
            #"{"sequence":7,"type":"safety","user":"ann","state":"sos","source":"ownDeclaration"}"#,
            #"{"sequence":8,"type":"roll","incident":1,"person":3,"event":"added"}"#,
        ].map { try JSONValue(parsing: Array($0.utf8)) }
        for change in changes { state.apply(change) }
        var snapshot = TeamSnapshot(sequence: 6, role: "leader", team: "crew")
        snapshot.people = [person("ann", .safe)]
        state.adopt(snapshot, then: changes)
        #expect(state.people["ann"]?.state == .sos && state.sequence == 8)
        #expect(state.isOutdated, "the roll may be read from before the change")
        // A change that the answers already contain changes nothing.
        snapshot.sequence = 8
        state.adopt(snapshot, then: changes)
        #expect(state.people["ann"]?.state == .safe && state.sequence == 8 && !state.isOutdated)
    }

    @Test func `people are called by their display names, and those of one name are told apart`() throws {
        var state = TeamState(user: "lea")
        state.team = "crew"
        func named(_ user: String, _ displayName: String?) -> Person {
            var person = person(user, .unknown)
            person.displayName = displayName
            return person
        }
        func called() -> [String: String] { state.people.mapValues(\.called) }
        let people = [named("ann", "Ann Lee"), named("bo", "Zoë"), named("cy", nil), named("mal", "cy")]
        state.replace(people: people, incidents: [])
        #expect(called() == ["ann": "Ann Lee", "bo": "Zoë", "cy": "cy", "mal": "cy (mal)"])
        #expect(state.order.keys.map(\.user) == ["ann", "cy", "mal", "bo"])
        state.replace(people: [named("ann", "Ann Lee"), named("ann2", "ANN  lee")], incidents: [])
        #expect(called() == ["ann": "Ann Lee (ann)", "ann2": "ANN  lee (ann2)"])
        // What nobody sees makes no other name: a joiner, a selector, and wide letters. A gap is one of any width.
        for alike in ["Ann\u{200D} Lee", "Ann Lee\u{FE0F}", "Ａｎｎ Lee", "Ann\u{200C}Lee", "\u{180B}Ann\u{3000}Lee"] {
            state.replace(people: [named("ann", "Ann Lee"), named("ann2", alike)], incidents: [])
            #expect(called() == ["ann": "Ann Lee (ann)", "ann2": "\(alike) (ann2)"])
        }
        // A change names who is no person of the list.
        let change = try JSONValue(
            parsing: Array(#"{"sequence":5,"type":"pause","displayNames":{"eve":"Eve Okafor"}}"#.utf8))
        state.apply(change)
        #expect(state.names.name(of: "eve") == "Eve Okafor")
        // A visitor is called what they wrote, and who is on a roll alone by both names.
        let rolled = #"{"person":-1,"user":"ann","visitor":true,"state":"unknown"}"#
        let visitor = try #require(
            Person(rollEntry: try JSONValue(parsing: Array(rolled.utf8)), of: 7, team: "crew"))
        let left = #"{"person":9,"user":"bo","displayName":"Zoë","removed":{},"state":"unknown"}"#
        let removed = try #require(Person(rollEntry: try JSONValue(parsing: Array(left.utf8)), of: 7, team: "crew"))
        state.replace(people: [named("ann", "Ann Lee"), visitor, removed], incidents: [])
        #expect(called() == ["ann": "Ann Lee", "/roll/7/-1": "ann", "/roll/7/9": "Zoë (bo)"])
    }

    @Test func `what an earlier version of the app stored is read, with its orders of a PAR`() throws {
        let order = #"{"reportPAR":{"incident":7,"crew":"Engine 3","present":2,"round":1}}"#
        let kind = try JSONDecoder().decode(Order.Kind.self, from: Data(order.utf8))
        let expected = Order.Kind.reportPAR(
            incident: 7, crew: "Engine 3", visitors: nil, present: 2, round: 1, note: nil)
        #expect(kind == expected)
        let crew = #"{"name":"Engine 3","people":2}"#
        let row = try JSONDecoder().decode(Incident.Round.Crew.self, from: Data(crew.utf8))
        #expect(row.visitors == nil && row.name == "Engine 3")
        let words = NotificationWords(
            ["kind": "call", "state": "sos", "user": "ann", "displayName": "Ann Lee"], body: "", user: "lea", .english)
        #expect(words?.title == "SOS from Ann Lee (ann)")
    }

    @Test func `navigation is a value that survives storing, and a member has no leader's screens`() throws {
        var navigation = Navigation()
        #expect(navigation.open(try #require(URL(string: "muster://person/ana%20b")), isLeader: true))
        #expect(navigation.path == [.person("ana b")])
        let copy = try JSONDecoder().decode(Navigation.self, from: JSONEncoder().encode(navigation))
        #expect(copy == navigation)
        navigation.restrict(isLeader: false)
        #expect(navigation.tab == .now && navigation.path.isEmpty)
        #expect(!navigation.open(try #require(URL(string: "muster://people")), isLeader: false))
        #expect(navigation.open(try #require(URL(string: "https://m.example/me/#/call")), isLeader: false))
        #expect(navigation.sheet == .call)
        #expect(Navigation.tabs(isLeader: false).count == 4)
        // A phone shows five tabs, and the SOS is under "now".
        #expect(Navigation.tabs(isLeader: true).count == 5 && Navigation.tabs(isLeader: true).contains(.now))
        for part in Navigation.Tab.allCases {
            navigation.show(part, isLeader: true)
            let isTab = Navigation.tabs(isLeader: true).contains(part)
            #expect(navigation.path == (isTab ? [] : [.part(part)]), "a leader comes to \(part)")
        }
        navigation.path = [.person("ana")]
        navigation.tab = .people
        #expect(navigation.path.isEmpty, "what was opened in a tab does not follow to another")
    }

    @Test func `a region drawn clockwise is stored as GeoJSON wants it, and foreign parts stay`() throws {
        var draft = RegionDraft(around: nil)
        draft.radiusMetres = nil
        draft.vertices = [(52.0, 13.0), (52.001, 13.0), (52.001, 13.001), (52.0, 13.001)]
            .map { MapModel.Place(latitude: $0.0, longitude: $0.1) }
        let ring = draft.feature["geometry"]?["coordinates"]?.elements?.first?.elements
        #expect(ring?.count == 5 && ring?.first == ring?.last)
        #expect(ring?[1].elements?.first?.number == 13.001, "counter-clockwise: east first")
        let text = #"""
            {"type":"Feature","id":"a","properties":{"name":"A","dwell":60,"muster":true},
            "geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[2,2],[3,2],[3,3],[2,2]]]]}}
            """#
        var foreign = try #require(RegionDraft(try JSONValue(parsing: Array(text.utf8))))
        #expect(foreign.isForeign)
        foreign.name = "B"
        #expect(foreign.feature["geometry"]?["type"]?.string == "MultiPolygon")
        #expect(foreign.feature["properties"]?["dwell"]?.number == 60)
        #expect(foreign.feature["properties"]?["name"]?.string == "B")
    }

    @Test func `the direction to a boundary is the shortest way to it`() throws {
        let ring = [(52.0, 13.0), (52.0, 13.01), (52.01, 13.01), (52.01, 13.0), (52.0, 13.0)]
        let square = Shape.polygon(
            Polygon(exterior: try ring.map { try Coordinate(latitude: $0.0, longitude: $0.1) }))
        let south = try Coordinate(latitude: 51.999, longitude: 13.005)
        let metres = -square.signedDistanceToBoundary(from: south).value
        #expect(metres > 100 && metres < 120)
        let bearing = square.bearing(from: south, metres)
        #expect(abs(bearing.remainder(dividingBy: 360)) < 2, "due north, \(bearing)")
        #expect(abs(square.middle.latitude - 52.005) < 1e-9)
        #expect(square.circleAround.radiusMetres > 600)
    }

    @MainActor @Test func `the app is woken by the 20 nearest of many regions`() throws {
        let areas = try (0..<60).map { index in
            RegionWatch.Area(
                region: .init(collection: "site", id: "r\(index)"), title: "",
                shape: .circle(
                    Circle(
                        centre: try Coordinate(latitude: 52 + Double(index) / 100, longitude: 13), radius: Metres(30))),
                isMuster: index % 2 == 0, isByBeacon: false)
        }
        let here = Muster.Location(latitude: 52.3, longitude: 13, time: Date())
        #expect(WayModel.wakingCircles(of: areas, near: nil) == nil, "without a place none is near")
        let circles = try #require(WayModel.wakingCircles(of: areas, near: here))
        var moved = circles[0]
        moved.latitude += 0.001
        #expect(moved.conditionName != circles[0].conditionName, "a region that moved is watched anew")
        #expect(circles.count == 20)
        #expect(circles.first?.id == "site/r30")
        #expect(circles.allSatisfy { $0.radiusMetres == 100 })
    }
}
