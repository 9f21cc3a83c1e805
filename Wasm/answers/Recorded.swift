import Foundation

extension Scenario {
    /// The sequences of fixes in Tests/MusterCoreTests/Golden/confident.txt, each with its circle in the three modes.
    static func golden() -> [Scenario] {
        var scenarios: [Scenario] = []
        let text = (try? String(contentsOfFile: "Tests/MusterCoreTests/Golden/confident.txt", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: " ")
            func number(_ index: Int) -> Double? { Double(cells[index]) }
            if cells[0] == "sequence", let latitude = number(2), let longitude = number(3), let radius = number(4) {
                let centre = Coordinate(validLatitude: latitude, longitude: longitude)
                let regions = RegionMode.allCases.enumerated().map { index, mode in
                    ScenarioRegion(
                        id: Int32(index + 1), mode: mode, circle: Circle(centre: centre, radius: Metres(radius)))
                }
                scenarios.append(
                    Scenario(
                        name: "golden \(cells[1])", collections: [(1, false)],
                        regions: regions, fixes: []))
                var shelter = ScenarioRegion(id: 4, collection: 2, isMuster: true)
                shelter.circle = regions[0].circle
                scenarios[scenarios.count - 1].regions.append(shelter)
                scenarios[scenarios.count - 1].collections.append((2, true))
            } else if let time = number(0), let latitude = number(1), let longitude = number(2), !scenarios.isEmpty {
                let instant = Instant(milliseconds: Scenario.start + Int64(time))
                scenarios[scenarios.count - 1].fixes.append(
                    Position(
                        coordinate: Coordinate(validLatitude: latitude / 1e9, longitude: longitude / 1e9),
                        sampleTime: instant, receivedTime: instant,
                        accuracy: number(3).map { Metres($0 / 100) }, speed: number(4).map { $0 / 100 }))
            }
        }
        return scenarios
    }

    /// Scenarios of the shared test data: trails of people who left, and GPS tracks. Empty where the data is absent.
    static func shared() -> [Scenario] {
        let folder = URL(
            filePath: ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"] ?? "../shared/data")
        return leaving(folder.appending(path: "leaving/trails.json")) + tracks(folder.appending(path: "gpx"))
    }

    private static func leaving(_ file: URL) -> [Scenario] {
        guard let data = try? Data(contentsOf: file),
            let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let points = json["musterPoints"] as? [[String: Double]], let cases = json["cases"] as? [[String: Any]]
        else { return [] }
        let plane = Plane(latitude: 48, longitude: 11)
        let regions = points.enumerated().map { index, point in
            let centre = plane.place((point["east"] ?? 0, point["north"] ?? 0))
            return ScenarioRegion(
                id: Int32(index + 1), isMuster: true,
                circle: Circle(centre: centre, radius: Metres(point["radius"] ?? 1)))
        }
        return cases.enumerated().compactMap { index, trail in
            guard let fixes = trail["fixes"] as? [[String: Double]], !fixes.isEmpty else { return nil }
            let positions = fixes.map { fix in
                let instant = Instant(milliseconds: start + Int64((fix["t"] ?? 0) * 1000))
                return Position(
                    coordinate: plane.place((fix["east"] ?? 0, fix["north"] ?? 0)), sampleTime: instant,
                    receivedTime: instant, accuracy: fix["accuracy"].map { Metres($0) })
            }
            return Scenario(
                name: "leaving \(index)", silenceSeconds: 60, collections: [(1, index % 2 == 0)], regions: regions,
                fixes: positions)
        }
    }

    /// A scenario for each GPS track, with circles around some of the track's points as regions.
    private static func tracks(_ folder: URL) -> [Scenario] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        return names.filter { $0.hasSuffix(".gpx") }.compactMap { name in
            guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { return nil }
            var fixes: [Position] = []
            for point in text.components(separatedBy: "<trkpt").dropFirst().prefix(4_000) {
                guard let latitude = attribute("lat", of: point), let longitude = attribute("lon", of: point),
                    let place = try? Coordinate(latitude: latitude, longitude: longitude)
                else { continue }
                let instant = Instant(milliseconds: start + Int64(fixes.count) * 2_000)
                fixes.append(
                    Position(coordinate: place, sampleTime: instant, receivedTime: instant, accuracy: Metres(8)))
            }
            guard fixes.count > 20 else { return nil }
            let regions = (0..<12).map { (number: Int) -> ScenarioRegion in
                let centre = fixes[number * (fixes.count - 1) / 11].coordinate
                var region = ScenarioRegion(id: Int32(number + 1), collection: Int32(1 + number % 2))
                region.isMuster = number % 3 == 0
                region.circle = Circle(centre: centre, radius: Metres(Double(20 + 15 * number)))
                return region
            }
            return Scenario(
                name: "track \(name)", collections: [(1, false), (2, true)], regions: regions, fixes: fixes)
        }
    }

    private static func attribute(_ name: String, of point: String) -> Double? {
        guard let start = point.range(of: " \(name)=\""),
            let end = point.range(of: "\"", range: start.upperBound..<point.endIndex)
        else { return nil }
        return Double(point[start.upperBound..<end.lowerBound])
    }
}
