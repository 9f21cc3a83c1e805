import Foundation

/// A region of a scenario, with the properties that the host of the module sets.
struct ScenarioRegion {
    var id: Int32
    var collection: Int32 = 1
    var isMuster = false
    var mode: RegionMode?
    var dwellSeconds: Double?
    var exitDelaySeconds = 0.0
    /// The rings of each polygon, the exterior first; empty where the region is a circle.
    var polygons: [[[RawVertex]]] = []
    var circle: Circle?

    var region: Region? {
        let shape: Shape? =
            if let circle {
                .circle(circle)
            } else if polygons.count == 1 {
                try? Shape.validated(polygon: polygons[0])
            } else {
                try? Shape.validated(multiPolygon: polygons)
            }
        guard let shape else { return nil }
        return Region(
            number: RegionNumber(id), collection: CollectionNumber(collection), id: "", name: "", shape: shape,
            isMuster: isMuster, mode: mode, dwellSeconds: dwellSeconds, exitDelaySeconds: exitDelaySeconds)
    }

    var json: [String: Any] {
        var json: [String: Any] = [
            "id": id, "collection": collection, "isMuster": isMuster, "exitDelay": exitDelaySeconds,
        ]
        if let mode { json["mode"] = ["standard", "insideIsSafe", "insideIsDanger"][Int(mode.rawValue)] }
        if let dwellSeconds { json["dwell"] = dwellSeconds }
        if let circle {
            json["geometry"] = ["type": "Point", "coordinates": [circle.centre.longitude, circle.centre.latitude]]
            json["radius"] = circle.radius.value
        } else {
            let rings = polygons.map { $0.map { $0.map { [$0.longitude, $0.latitude] } } }
            json["geometry"] =
                rings.count == 1
                ? ["type": "Polygon", "coordinates": rings[0]] as [String: Any]
                : ["type": "MultiPolygon", "coordinates": rings]
        }
        return json
    }
}

/// A test case for the engine: the team's settings, its regions, and the fixes of one phone in order of receipt.
struct Scenario {
    var name: String
    var filter = PositionFilter.none
    var silenceSeconds = 1200.0
    /// The collections: the number of each, and whether its policy is raw; else it is confident.
    var collections: [(number: Int32, isRaw: Bool)]
    var regions: [ScenarioRegion]
    var fixes: [Position]

    static let start: Int64 = 1_767_225_600_000
}

/// Runs scenarios, and collects what `Phone` answers after each fix.
struct ScenarioLog {
    private var scenarios: [[String: Any]] = []
    private var numbers: [Double] = []

    mutating func run(_ scenario: Scenario) {
        let phone = Phone()
        phone.setTeam(filter: scenario.filter, silenceSeconds: scenario.silenceSeconds, worksAtZero: false)
        for (number, isRaw) in scenario.collections {
            phone.put(
                RegionCollection(number: CollectionNumber(number), name: "", policy: isRaw ? .raw : .confident))
        }
        let regions = scenario.regions.filter { $0.region != nil }
        for region in regions { if let region = region.region { phone.put(region) } }
        phone.review(now: scenario.fixes[0].receivedTime)
        for (index, fix) in scenario.fixes.enumerated() {
            numbers += [
                fix.coordinate.longitude, fix.coordinate.latitude, fix.accuracy?.value ?? .nan, fix.speed ?? .nan,
                Double(fix.sampleTime.milliseconds), Double(fix.receivedTime.milliseconds),
            ]
            var answers = [Double(Phone.number(of: phone.follow(fix)))] + phone.changeNumbers
            phone.sweep(now: fix.receivedTime)
            answers += phone.changeNumbers + phone.safetyNumbers + phone.estimateNumbers + phone.presenceNumbers
            if index % 20 == 0 || index == scenario.fixes.count - 1 { answers += phone.trackNumbers }
            numbers += [Double(answers.count)] + answers
        }
        scenarios.append([
            "name": scenario.name, "filter": scenario.filter.rawValue, "silenceSeconds": scenario.silenceSeconds,
            "collections": scenario.collections.map { ["number": $0.number, "isRaw": $0.isRaw] as [String: Any] },
            "regions": regions.map(\.json), "fixes": scenario.fixes.count,
        ])
    }

    func write(to folder: URL) throws {
        try JSONSerialization.data(withJSONObject: scenarios).write(to: folder.appending(path: "scenarios.json"))
        try numbers.withUnsafeBytes { Data($0) }.write(to: folder.appending(path: "scenarios.bin"))
    }
}
