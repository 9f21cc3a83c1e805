import MusterGeometry

/// A beacon in the middle of a muster region, which sightings alone decide, and how phones hear it.
package struct SafetyRadio: Hashable, Sendable {
    /// How far from the beacon phones hear it, metres.
    package var reachMetres: Double
    /// The share of seconds in which a phone within reach hears it.
    package var heardShare: Double
    /// How often a phone says that it listened, seconds; nil for a phone that reports its sightings alone.
    package var listeningSeconds: Double?

    /// What a phone reports about a beacon at a second.
    enum Report: Hashable, Sendable {
        case heard, listened
    }

    /// Returns what a phone on a way reports of the beacon at a place, each with its second.
    func reports(on way: SafetyWay, around place: Offset, chance: inout SeededRandom) -> [(at: Double, Report)] {
        var reports: [(at: Double, Report)] = []
        for second in stride(from: 0.0, through: way.seconds, by: 1) {
            let isHeard = chance.chance(heardShare)
            if isHeard, (way.motion(at: second).offset - place).length <= reachMetres {
                reports.append((second, .heard))
            }
            if let listeningSeconds, second.remainder(dividingBy: listeningSeconds) == 0 {
                reports.append((second, .listened))
            }
        }
        return reports
    }
}
