/// What a team chose for its incidents, and for what people say in and before them.
public struct IncidentSettings: Hashable, Sendable {
    /// Whether a drill closes by itself once all stayed accounted for, without doubt, for `closesAfterSeconds`.
    public var closesDrills: Bool
    /// The same for a real incident. Only an admin may choose it.
    public var closesRealIncidents: Bool
    /// For how many seconds all must have stayed accounted for.
    public var closesAfterSeconds: Double
    /// For how many seconds a declared "off site" or "safe" holds.
    public var declaredHoldsSeconds: Double
    /// Whether clients show who is safe also while there is no incident; it changes nothing that the server decides.
    public var showsSafetyAlways: Bool

    /// What `closesAfterSeconds` is unless a team says otherwise: 5 minutes.
    public static let usualClosesAfterSeconds: Double = 300
    /// What `declaredHoldsSeconds` is unless a team says otherwise: 12 hours.
    public static let usualDeclaredHoldsSeconds: Double = 43_200

    /// A team's settings; what is left out is as usual.
    public init(
        closesDrills: Bool = false, closesRealIncidents: Bool = false,
        closesAfterSeconds: Double = IncidentSettings.usualClosesAfterSeconds,
        declaredHoldsSeconds: Double = IncidentSettings.usualDeclaredHoldsSeconds, showsSafetyAlways: Bool = false
    ) {
        self.closesDrills = closesDrills
        self.closesRealIncidents = closesRealIncidents
        self.closesAfterSeconds = closesAfterSeconds
        self.declaredHoldsSeconds = declaredHoldsSeconds
        self.showsSafetyAlways = showsSafetyAlways
    }

    /// Whether an incident of this kind closes by itself.
    public func closes(_ kind: Incident.Kind) -> Bool {
        switch kind {
        case .drill: closesDrills
        case .real: closesRealIncidents
        }
    }
}
