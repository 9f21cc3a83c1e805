package import MusterCore
package import MusterGeometry

/// An alert of the Common Alerting Protocol, by which services of weather and civil protection publish their warnings
/// (OASIS CAP 1.2; documents of 1.0 and 1.1 have the same elements).
package struct CAPAlert: Hashable, Sendable {
    /// What names an alert: no two have the same key, and others refer to it by this.
    package struct Key: Hashable, Sendable {
        package var sender: String
        package var identifier: String
        package var sent: Instant

        package init(sender: String, identifier: String, sent: Instant) {
            self.sender = sender
            self.identifier = identifier
            self.sent = sent
        }
    }

    /// What an alert does: `msgType`.
    package enum Kind: String, Hashable, Sendable {
        case alert = "Alert"
        /// Replaces the alerts that it refers to.
        case update = "Update"
        /// Ends the alerts that it refers to.
        case cancel = "Cancel"
        case acknowledgement = "Ack"
        case error = "Error"
    }

    package var key: Key
    package var kind: Kind
    /// Whether it is meant: the status is `Actual`, not an exercise, a test, a draft or a message between systems.
    package var isActual: Bool
    /// Whether it is for everyone: the scope is `Public`.
    package var isPublic: Bool
    /// The alerts that it replaces or ends.
    package var references: [Key]
    /// What it says, in each language and for each time.
    package var infos: [Info]
    /// How many areas are not in `infos`, because the document has more than `shapeLimit` shapes or more than
    /// `positionLimit` positions; and how many `info` elements are beyond `infoLimit`, and areas beyond `shapeLimit`.
    package var leftOutShapes = 0

    /// The largest number of polygons and circles that are read of a document.
    package static let shapeLimit = 500
    /// The largest number of positions that are read of a document.
    package static let positionLimit = 100_000
    /// The largest number of `info` elements that are read.
    package static let infoLimit = 60
    /// The largest number of references that are read.
    package static let referenceLimit = 500
    /// The longest sender and the longest identifier, in bytes.
    package static let keyLimitBytes = 300

    /// What an alert says in one language.
    package struct Info: Hashable, Sendable {
        /// A language tag; `en-US` where the document names none, as the standard says.
        package var language = "en-US"
        /// What happens, such as "Gale warning".
        package var event = ""
        package var headline = ""
        package var description = ""
        package var instruction = ""
        /// The name of the service for people.
        package var senderName = ""
        package var severity = Severity.unknown
        package var urgency = ""
        package var certainty = ""
        /// Whether it says that there is no danger any more: the response type is `AllClear`, or the urgency `Past`.
        package var isAllClear = false
        /// When what is warned of begins.
        package var onset: Instant?
        package var expires: Instant?
        package var areas: [Area] = []
    }

    /// How bad it may become, the least first; `unknown` is no low one.
    package enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        case minor = "Minor"
        case moderate = "Moderate"
        case severe = "Severe"
        case extreme = "Extreme"
        case unknown = "Unknown"

        /// The word in settings and in regions' properties.
        package var word: String { rawValue.lowercased() }

        /// Creates a severity from its word; nil for `unknown` and for what is none.
        package init?(word: String) {
            guard let found = Self.allCases.first(where: { $0.word == word }), found != .unknown else { return nil }
            self = found
        }

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A part of the area warned of.
    package struct Area: Hashable, Sendable {
        package var description = ""
        package var shapes: [Outline] = []
        /// How many polygons and circles could not be read.
        package var unreadable = 0
    }

    /// A shape as a document writes it, not yet checked.
    package enum Outline: Hashable, Sendable {
        /// Closed: the first position stands again at the end.
        case polygon([RawVertex])
        case circle(RawVertex, radiusMetres: Double)

        /// The shape of a region.
        ///
        /// - Throws: `ShapeError` with the first fault.
        package func shape() throws(ShapeError) -> Shape {
            do throws(GeometryFaults) {
                switch self {
                case .polygon(let ring): return try .validated(polygon: [ring])
                case .circle(let centre, let radius):
                    return try .validated(circleAround: centre, radiusMetres: radius)
                }
            } catch {
                throw ShapeError(
                    detail: error.faults.first.map { RegionReader.words(for: $0, isMultiple: false) } ?? "is not valid")
            }
        }
    }
}

/// A shape that no region can have.
package struct ShapeError: Error, Hashable, Sendable {
    /// The fault in words, without a full stop.
    package var detail: String
}

/// Why a document is no alert, and no feed of alerts.
package enum CAPError: Error, Hashable, Sendable {
    case xml(XMLError)
    /// The root element is another.
    case otherRoot(String)
    /// An element that every alert has is missing.
    case missing(String)
    /// The content of an element cannot be used.
    case invalid(String)
}

extension CAPError: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String {
        switch self {
        case .xml(let error): "line \(error.line): \(error.reason)"
        case .otherRoot(let name): "the root element is \(name), not alert, feed or rss"
        case .missing(let name): "the alert has no \(name)"
        case .invalid(let name): "the alert's \(name) cannot be read"
        }
    }
}
