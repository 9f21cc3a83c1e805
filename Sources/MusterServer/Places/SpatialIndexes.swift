import MusterCore
package import MusterWire

/// The spatial indexes that a design document declares (`st_indexes`).
///
/// Cloudant runs a JavaScript function for each document. Muster runs no JavaScript. It recognizes the one function
/// that Cloudant's own documentation and tools write, and refuses any other.
package enum SpatialIndexes {
    /// The design document that the places database has from the start.
    package static let standardDesign = "_design/points"
    /// The name of the index that it declares.
    package static let standardName = "pointidx"

    static let standardBody = DocumentBody(
        json: Array(
            (#"{"st_indexes":{"\#(standardName)":{"index":"function(doc){if(doc.geometry&&doc.geometry.coordinates)"#
                + #"{st_index(doc.geometry);}}"}}}"#).utf8))

    /// How a design document declares an index.
    package enum Declaration {
        /// It declares no index of that name.
        case none
        /// The index holds every document with a geometry.
        case standard
        /// The index has a function that Muster does not recognize.
        case foreign
    }

    /// How a design document declares an index.
    package static func declaration(of name: String, in design: JSONValue) -> Declaration {
        guard let index = design["st_indexes"]?[name] else { return .none }
        guard let function = index["index"]?.string else { return .foreign }
        return isStandard(function) ? .standard : .foreign
    }

    /// Recognizes `function (doc) { if (doc.geometry && doc.geometry.coordinates) { st_index(doc.geometry); } }`, with
    /// any name for the argument, any white space, and with the semicolons and braces that JavaScript lets one omit or
    /// not.
    private static func isStandard(_ function: String) -> Bool {
        let dense = function.filter { !$0.isWhitespace && $0 != ";" }
        guard dense.hasPrefix("function"), let open = dense.firstIndex(of: "("), let close = dense.firstIndex(of: ")")
        else { return false }
        guard open < close else { return false }
        let argument = dense[dense.index(after: open)..<close]
        guard !argument.isEmpty, argument.utf8.allSatisfy({ (0x30...0x7A).contains($0) || $0 == 0x24 }) else {
            return false
        }
        let condition = "if(\(argument).geometry&&\(argument).geometry.coordinates)"
        let call = "st_index(\(argument).geometry)"
        let body = dense[dense.index(after: close)...]
        return ["{\(condition){\(call)}}", "{\(condition)\(call)}", "{\(call)}"].contains(String(body))
    }
}
