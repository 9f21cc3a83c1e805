/// What the last fixes of a device say about its being inside a muster region.
///
/// A standing waits until it is certain that the device went in or out, so that crossings do not flap. Safety must not
/// wait: whoever seems to have left is not safe, and a jump into a region makes nobody safe until further fixes agree.
public enum ShelterEvidence: UInt8, Hashable, Sendable {
    /// The device has no standing inside.
    case outside
    /// The device has a standing inside, and nothing speaks against it.
    case inside
    /// The last fix lay wholly outside every muster region. One fix decides nothing.
    case leftPerhaps
    /// Two such fixes in a row, or one whose speed explains the way: the device seems to have left.
    case left
    /// The device seemed to have left, and its last fix agrees with being inside.
    case leftPerhapsNot
    /// The device jumped into the region, and its last fix lay wholly outside again.
    case jumped
    /// The device jumped into the region, and its last fix agrees with being inside.
    case jumpedAndAgrees
    /// The device jumped into the region, and its last two fixes agree, or more of them in too short a time.
    case jumpedAndAgreesTwice

    /// Whether the device seems to have left.
    var seemsToHaveLeft: Bool { self == .left || self == .leftPerhapsNot }

    /// Whether the device jumped into the region, and too few fixes have agreed since.
    var isOfJump: Bool { self == .jumped || self == .jumpedAndAgrees || self == .jumpedAndAgreesTwice }

    /// Returns the evidence after one more fix of a device that has a standing inside.
    ///
    /// - Parameter insideSeconds: for how long the device has had that standing.
    func after(_ fix: FixBesideShelters, insideSeconds: Double) -> ShelterEvidence {
        if isOfJump { return jump(after: fix, insideSeconds: insideSeconds) }
        return switch (fix, self) {
        case (.gone, _): .left
        case (.outside, .left), (.outside, .leftPerhaps), (.outside, .leftPerhapsNot): .left
        case (.outside, _): .leftPerhaps
        case (.inside, .left): .leftPerhapsNot
        case (.inside, _): .inside
        case (.undecided, .leftPerhapsNot): .left
        case (.undecided, _): self
        }
    }

    private func jump(after fix: FixBesideShelters, insideSeconds: Double) -> ShelterEvidence {
        switch (fix, self) {
        case (.outside, _), (.gone, _): .jumped
        case (.undecided, _): self
        case (.inside, .jumped): .jumpedAndAgrees
        case (.inside, .jumpedAndAgrees): .jumpedAndAgreesTwice
        case (.inside, _): insideSeconds >= Self.leastSeconds ? .inside : .jumpedAndAgreesTwice
        }
    }

    /// For how long three fixes must agree after a jump, seconds.
    private static let leastSeconds: Double = 20
}

/// Where a fix lies, compared with muster regions.
enum FixBesideShelters {
    /// The fix agrees with being inside one of them.
    case inside
    /// The fix decides nothing.
    case undecided
    /// The fix lies wholly outside all of them.
    case outside
    /// So it does, and its speed explains how the device came there.
    case gone
}
