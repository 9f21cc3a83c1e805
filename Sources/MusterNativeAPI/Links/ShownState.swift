import MusterCore
import MusterServer
import MusterWire

/// The state that a map shows of a person, as the console's pages do: each has a mark of its own shape, a colour and a
/// word, so that none is told by its colour alone.
enum ShownState: String, CaseIterable {
    case sos, needsHelp, unsafe, seemsToHaveLeft, unknown, checking, offSite, located, safe

    /// - Parameter showsSafety: whether there is something to be safe from. Without that, a person who is outside the
    ///   muster regions is only located.
    init(_ safety: Safety, showsSafety: Bool) {
        let seemsToHaveLeft = safety.source == .seemsToHaveLeft && safety.state == .unknown
        switch safety.state {
        case .safe where safety.doubt != nil: self = .checking
        case .unsafe where !showsSafety: self = .located
        case .unknown where seemsToHaveLeft: self = showsSafety ? .seemsToHaveLeft : .located
        case .safe: self = .safe
        case .unsafe: self = .unsafe
        case .unknown: self = .unknown
        case .needsHelp: self = .needsHelp
        case .sos: self = .sos
        case .offSite: self = .offSite
        }
    }

    var word: String {
        switch self {
        case .sos: "SOS"
        case .needsHelp: "Needs help"
        case .unsafe: "Not safe"
        case .seemsToHaveLeft: "Seems to have left"
        case .unknown: "Unknown"
        case .checking: "Checking"
        case .offSite: "Off site"
        case .located: "Located"
        case .safe: "Safe"
        }
    }

    /// The state with what makes it doubtful.
    func words(_ safety: Safety) -> String {
        switch safety.doubt {
        case nil: word
        case .checking: self == .checking ? word : "\(word), being checked"
        case .stale: "\(word), not heard lately"
        case .poorAccuracy: "\(word), accuracy too poor"
        }
    }

    /// The colour of the state, as the console has it on a light ground, in KML's order.
    private var colour: String {
        switch self {
        case .sos: "ff70147d"
        case .needsHelp: "ff00438a"
        case .unsafe: "ff1e26b3"
        case .seemsToHaveLeft: "ff0b3ab8"
        case .unknown: "ff6b6359"
        case .checking: "ff005a6b"
        case .offSite: "ff78583a"
        case .located: "ff665a3f"
        case .safe: "ff3a6b0b"
        }
    }

    /// How a program draws people in this state. The image has a path that is relative to the map's: it is at the same
    /// server, whatever a client calls that.
    var style: KMLStyle {
        KMLStyle(
            rawValue, icon: "../../../../console/share/marks/\(rawValue).png", line: colour,
            fill: "33" + colour.dropFirst(2))
    }
}
