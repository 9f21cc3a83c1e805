package import MusterGeometry

/// Where people go.
package struct Place: Hashable, Sendable {
    /// What draws people there.
    package enum Kind: Hashable, Sendable, CaseIterable {
        case home, work, shop
        /// Where people gather in an evacuation, and never otherwise.
        case muster
    }

    /// What a person calls it.
    package var name: String
    /// What draws people there.
    package var kind: Kind
    /// The middle of it.
    package var coordinate: Coordinate
    /// How far from the middle people stand.
    package var spread: Metres

    /// A place; people stand within 5 m of its middle unless told more.
    package init(name: String, kind: Kind, coordinate: Coordinate, spread: Metres = 5) {
        self.name = name
        self.kind = kind
        self.coordinate = coordinate
        self.spread = spread
    }
}

/// Someone with a phone.
package struct Person: Hashable, Sendable {
    /// How they get about.
    package enum Manner: Hashable, Sendable, CaseIterable {
        /// On foot, about 1.3 m/s, with pauses.
        case walks
        /// On foot, and half an hour or more in one place.
        case lingers
        /// By car, 8 to 15 m/s.
        case drives
    }

    /// What they do when told to evacuate.
    package enum Response: Hashable, Sendable, CaseIterable {
        /// Sets out within a minute.
        case prompt
        /// Sets out after three to eight minutes.
        case late
        /// Goes to work, and stays there.
        case stubborn
        /// Sets out within a minute, and loses the network for ten.
        case unreachable
    }

    /// Unique in the world: letters, digits and `._-`.
    package var name: String
    /// How they get about.
    package var manner: Manner
    /// What they do when told to evacuate.
    package var response: Response

    /// Someone, on foot and prompt unless told otherwise.
    package init(name: String, manner: Manner = .walks, response: Response = .prompt) {
        self.name = name
        self.manner = manner
        self.response = response
    }
}
