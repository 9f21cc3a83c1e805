package import MusterGeometry

/// A place where people go.
package struct Place: Hashable, Sendable {
    /// The activity of people at a place.
    package enum Kind: Hashable, Sendable, CaseIterable {
        case home, work, shop
        /// A place where people gather in an evacuation, and go at no other time.
        case muster
    }

    /// The name that people see.
    package var name: String
    /// Why people go there.
    package var kind: Kind
    /// The centre.
    package var coordinate: Coordinate
    /// How far from the centre people stand.
    package var spread: Metres

    /// Creates a place; by default people stand within 5 m of its centre.
    package init(name: String, kind: Kind, coordinate: Coordinate, spread: Metres = 5) {
        self.name = name
        self.kind = kind
        self.coordinate = coordinate
        self.spread = spread
    }
}

/// A person with a phone.
package struct Person: Hashable, Sendable {
    /// How a person moves.
    package enum Manner: Hashable, Sendable, CaseIterable {
        /// On foot, about 1.3 m/s, with pauses.
        case walks
        /// On foot, and half an hour or more in one place.
        case lingers
        /// By car, 8 to 15 m/s.
        case drives
    }

    /// A person's response to the order to evacuate.
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

    /// The name, unique in the world: letters, digits and `._-`.
    package var name: String
    /// How the person moves.
    package var manner: Manner
    /// The person's response to the order to evacuate.
    package var response: Response

    /// Creates a person, by default on foot and prompt.
    package init(name: String, manner: Manner = .walks, response: Response = .prompt) {
        self.name = name
        self.manner = manner
        self.response = response
    }
}
