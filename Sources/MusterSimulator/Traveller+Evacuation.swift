extension Traveller {
    /// Sets out for the muster point nearest to where they will be at that time, as their response has it.
    mutating func evacuate(atSeconds seconds: Double, in world: Surroundings) {
        itinerary.extend(toSeconds: seconds)
        guard let here = itinerary.leg(at: seconds)?.offset(at: seconds) else { return }
        let refuge = world.gazetteer.nearestMuster(to: here)
        let delay = chance.uniform(5, 60) / world.pace
        switch person.response {
        case .prompt:
            flee(toward: refuge, departsSeconds: seconds + delay)
        case .late:
            flee(toward: refuge, departsSeconds: seconds + chance.uniform(180, 480) / world.pace)
        case .stubborn:
            flee(toward: itinerary.workplace, departsSeconds: seconds + delay)
        case .unreachable:
            silence = seconds..<(seconds + 600 / world.pace)
            flee(toward: refuge, departsSeconds: seconds + delay)
        }
    }

    private mutating func flee(toward refuge: Gazetteer.Entry?, departsSeconds: Double) {
        guard let refuge else { return }
        itinerary.flee(toward: refuge, departsSeconds: departsSeconds)
    }
}
