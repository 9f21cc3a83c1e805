import MusterCore

/// The number by which files know a source of safety, and whom it names.
struct SafetySourceCode {
    /// The number of the source, as it has been since the first version that stored it.
    var number: UInt8
    /// The user who marked the person; nil for every other source.
    var markedBy: UserNumber?

    /// The number of a source that a user is a part of.
    static let marked: UInt8 = 4

    init(_ source: Safety.Source) {
        switch source {
        case .silence: number = 0
        case .region: number = 1
        case .position: number = 2
        case .ownDeclaration: number = 3
        case .marked(let user):
            number = Self.marked
            markedBy = user
        case .unlocated: number = 5
        case .underReview: number = 6
        case .checkInTimer: number = 7
        case .seemsToHaveLeft: number = 8
        }
    }

    init(number: UInt8, markedBy: UserNumber?) {
        self.number = number
        self.markedBy = markedBy
    }

    /// The source; nil for a number or a user that no version has stored.
    var source: Safety.Source? {
        switch number {
        case 0: .silence
        case 1: .region
        case 2: .position
        case 3: .ownDeclaration
        case Self.marked: markedBy.map { .marked(by: $0) }
        case 5: .unlocated
        case 6: .underReview
        case 7: .checkInTimer
        case 8: .seemsToHaveLeft
        default: nil
        }
    }
}
