import MusterGeometry

/// How a simulated person evacuates.
extension Traveller {
    /// Makes the person set out at the time that their response says: to the muster point nearest to where they will be
    /// at `seconds`, or for a stubborn person to their workplace.
    mutating func evacuate(atSeconds seconds: Double, in world: Surroundings) {
        itinerary.extend(toSeconds: seconds)
        guard let here = itinerary.leg(at: seconds)?.offset(at: seconds) else { return }
        let muster = world.gazetteer.nearestMuster(to: here)
        let delay = chance.uniform(5, 60) / world.pace
        switch person.response {
        case .prompt:
            flee(toward: muster, departsSeconds: seconds + delay)
        case .late:
            flee(toward: muster, departsSeconds: seconds + chance.uniform(180, 480) / world.pace)
        case .stubborn:
            flee(toward: itinerary.workplace, departsSeconds: seconds + delay)
        case .unreachable:
            silence = seconds..<(seconds + 600 / world.pace)
            flee(toward: muster, departsSeconds: seconds + delay)
        }
    }

    private mutating func flee(toward muster: Gazetteer.Entry?, departsSeconds: Double) {
        guard let muster else { return }
        itinerary.flee(toward: muster, departsSeconds: departsSeconds)
    }
}
