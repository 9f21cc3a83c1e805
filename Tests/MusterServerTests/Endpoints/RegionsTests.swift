import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

@Suite struct RegionsTests {
    static func feature(_ id: String?, ring: String = square, properties: String = "{}") -> String {
        let name = id.map { #""id":"\#($0)","# } ?? ""
        let geometry = #"{"type":"Polygon","coordinates":[\#(ring)]}"#
        return #"{"type":"Feature",\#(name)"properties":\#(properties),"geometry":\#(geometry)}"#
    }

    static func collection(_ features: String...) -> String {
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    static let square = "[[14,45],[14.1,45],[14.1,45.1],[14,45.1],[14,45]]"
    static let bowTie = "[[14,45],[14.1,45.1],[14.1,45],[14,45.1],[14,45]]"
    static let open = "[[14,45],[14.1,45],[14.1,45.1],[14,45.1]]"
    static let regions = "/collections/north/regions"

    @Test func `a file is stored whole, and given back as it came`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let body = Self.collection(
                Self.feature("yard", properties: #"{"name":"Yard","muster":true,"dwell":60,"colour":"red"}"#),
                Self.feature(nil),
                #"""
                {"type":"Feature","id":"ring","properties":{"radius":50},
                 "geometry":{"type":"Point","coordinates":[14,45]}}
                """#
            )
            let reply = try await desk.send(.post, Self.regions, as: "lena", body, type: "application/geo+json")
            #expect(reply.text == #"{"stored":3,"faults":[]}"#)
            let yard = try await desk.send(.get, Self.regions + "/yard", as: "mia")
            #expect(yard.headers[.contentType] == "application/geo+json")
            #expect(yard.json["properties"]?["colour"]?.string == "red")
            #expect(yard.json["properties"]?["muster"]?.boolean == true)
            #expect(
                yard.json["geometry"]?.bytes
                    == (try JSONValue(parsing: Array(Self.feature("x").utf8)))["geometry"]?.bytes)
            let first = try await desk.send(.get, Self.regions + "?limit=2", as: "mia").json
            #expect(first["features"]?.elements?.count == 2)
            let cursor = try #require(first["nextCursor"]?.string)
            let second = try await desk.send(.get, Self.regions + "?limit=2&cursor=\(cursor)", as: "mia").json
            #expect(second["features"]?.elements?.compactMap { $0["id"]?.string } == ["ring"])
            #expect(second["nextCursor"] == nil)
        }
    }

    @Test func `an id that is there is replaced, and keeps its number`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let first = try await desk.send(.put, Self.regions + "/a%20b", as: "lena", Self.feature(nil))
            #expect(first.status == 201)
            let number = office.coordinator.directory.regions.all.first { $0.id == "a b" }?.number
            let second = try await desk.send(
                .put, Self.regions + "/a%20b", as: "lena", Self.feature("a b", properties: #"{"muster":true}"#))
            #expect(second.status == 200)
            let stored = office.coordinator.directory.regions.all.first { $0.id == "a b" }
            #expect(stored?.number == number)
            #expect(stored?.isMuster == true)
            let other = try await desk.send(.put, Self.regions + "/a%20b", as: "lena", Self.feature("c"))
            #expect(other.pointers == ["/id"])
            #expect(try await desk.send(.delete, Self.regions + "/a%20b", as: "lena").status == 204)
            #expect(try await desk.send(.get, Self.regions + "/a%20b", as: "lena").status == 404)
        }
    }

    /// What is wrong, the status, and the place.
    static let bad: [(body: String, status: Int, pointer: String)] = [
        (feature("x", ring: open), 422, "/geometry/coordinates/0"),
        (feature("x", ring: bowTie), 422, "/geometry/coordinates/0"),
        (feature("x", ring: "[[14,45],[14.1,95],[14.1,45.1],[14,45]]"), 422, "/geometry/coordinates/0/1"),
        (feature("x", properties: #"{"dwell":-1}"#), 422, "/properties/dwell"),
        (collection(feature("x"), feature("x")), 422, "/features/1/id"),
        (collection(feature("fine"), feature("y", ring: bowTie)), 422, "/features/1/geometry/coordinates/0"),
        (#"{"type":"Feature"}"#, 422, "/geometry"),
        ("[]", 422, ""),
        ("{", 400, ""),
        (String(repeating: #"{"a":"#, count: 100), 400, ""),
    ]

    @Test(arguments: bad.indices)
    func `one fault anywhere stores nothing, and a dry run lists it`(_ index: Int) async throws {
        let (body, status, pointer) = Self.bad[index]
        let office = try await Office()
        try await office.open { desk async throws in
            let reply = try await desk.send(.post, Self.regions, as: "lena", body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(reply.pointers.contains { $0.hasPrefix(pointer) }, "\(reply.text)")
            let dry = try await desk.send(.post, Self.regions + "?dryRun=true", as: "lena", body)
            let pointers = dry.json["faults"]?.elements?.compactMap { $0["pointer"]?.string }
            #expect(dry.status == 200 && pointers == reply.pointers, "\(dry.text)")
            #expect(dry.json["stored"]?.integer == 0)
            #expect(office.coordinator.directory.regions.count == 0)
        }
    }

    @Test func `crossing edges are reported with their coordinate`() async throws {
        try await Office().open { desk async throws in
            let reply = try await desk.send(.post, Self.regions, as: "lena", Self.feature("x", ring: Self.bowTie))
            let fault = try #require(reply.json["errors"]?.elements?.first)
            let place = try #require(fault["coordinate"]?.elements?.compactMap { $0.number })
            #expect(abs(place[0] - 14.05) < 1e-9 && abs(place[1] - 45.05) < 1e-9)
        }
    }

    @Test func `a dry run stores nothing and needs no collection, and muster has a default`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let body = Self.collection(Self.feature("a"), Self.feature("b", properties: #"{"muster":false}"#))
            let dry = try await desk.send(
                .post, "/collections/none/regions?dryRun=true", as: "lena", body)
            #expect(dry.json["stored"]?.integer == 2)
            #expect(office.coordinator.directory.regions.count == 0)
            #expect(try await desk.send(.post, "/collections/none/regions", as: "lena", body).status == 404)
            #expect(try await desk.send(.post, Self.regions + "?muster=true", as: "lena", body).status == 200)
            let stored = office.coordinator.directory.regions.all.map { "\($0.id) \($0.isMuster)" }
            #expect(stored == ["a true", "b false"])
        }
    }

    @Test func `a leader changes what its team alone is linked to, and nothing that teams share`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let south = "/collections/south/regions"
            #expect(try await desk.send(.put, south + "/x", as: "lena", Self.feature("x")).status == 403)
            #expect(try await desk.send(.get, south, as: "lena").status == 200)
            #expect(try await desk.send(.post, "/collections", as: "lena", #"{"name":"mine"}"#).status == 201)
            #expect(
                try await desk.send(.put, "/collections/mine/regions/x", as: "lena", Self.feature("x")).status == 201)
            #expect(
                try await desk.send(.put, "/collections/mine/regions/x", as: "lars", Self.feature("x")).status == 403)
            #expect(try await desk.send(.post, "/collections", as: "admin", #"{"name":"all"}"#).status == 201)
            #expect(
                try await desk.send(.put, "/collections/all/regions/x", as: "admin", Self.feature("x")).status == 201)
            let changes: [(HTTPRequest.Method, String, String?)] = [
                (.put, "/collections/all/regions/x", Self.feature("x")), (.delete, "/collections/all/regions/x", nil),
                (.post, "/collections/all/regions", Self.collection(Self.feature("y"))),
                (.patch, "/collections/all", #"{"policy":"raw"}"#), (.delete, "/collections/all", nil),
            ]
            for (method, path, body) in changes {
                let reply = try await desk.send(method, path, as: "lars", body)
                #expect(reply.status == 403, "\(method) \(path)")
                #expect(reply.text.contains("an admin can change it"))
            }
            // By AWS's protocol neither.
            let geometry = #"{"Geometry":{"Circle":{"Center":[14,45],"Radius":50}}}"#
            for (name, status) in [("lars", 403), ("admin", 200)] {
                let reply = try await desk.sendSigned(
                    .put, "/geofencing/v0/collections/all/geofences/z", as: name, geometry)
                #expect(reply.status == status, "\(name): \(reply.text)")
            }
            // What is evaluated without a tracker makes nobody share anything.
            #expect(try await desk.send(.post, "/collections", as: "lars", #"{"name":"theirs"}"#).status == 201)
            let sample = #""Position":[14,45],"SampleTime":"\#(office.clock.now.rfc3339)""#
            let update = #"{"DevicePositionUpdates":[{"DeviceId":"x",\#(sample)}]}"#
            let evaluated = try await desk.sendSigned(
                .post, "/geofencing/v0/collections/theirs/positions", as: "lars", update)
            #expect(evaluated.json["Errors"]?.elements?.isEmpty == true, "\(evaluated.text)")
            #expect(
                try await desk.send(.put, "/collections/theirs/regions/x", as: "lars", Self.feature("x")).status == 201)
            #expect(try await desk.send(.delete, "/collections/theirs", as: "lars").status == 204)
            #expect(try await desk.send(.delete, "/collections/mine", as: "lena").status == 204)
            let trackers = try await desk.send(.get, "/trackers", as: "admin").json["items"]?.elements ?? []
            let links = trackers.map { $0["collections"]?.elements?.compactMap(\.string) ?? [] }
            #expect(links.prefix(2) == [["north", "all"], ["south", "all"]])
            // A third team's people cross what teams share, and not what is one team's alone.
            let made = try await desk.send(.post, "/teams", as: "admin", #"{"name":"west"}"#)
            #expect(made.status == 201)
            let west = try await desk.send(.get, "/trackers/west", as: "admin").json
            #expect(west["collections"]?.elements?.compactMap(\.string) == ["all"])
        }
    }
}
