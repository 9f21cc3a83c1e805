import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire
import NIOCore

/// Routes for programs of maps, as Google Earth, OsmAnd and QGIS: KML that stays live. These programs send no header,
/// so the token is in the path, and only a link whose giver allowed that is admitted.
extension SharedRoutes {
    func registerMaps(in routes: inout RouteTable) {
        let maps = SharedMapProtocol()
        routes.add(
            Route(
                .get, "\(Self.root)/shared/{token}/\(SharedMap.File.networkLink.rawValue)", admits: .linkInPath,
                over: maps,
                .init(
                    "Links", "Read a KML network link, by which programs of maps go on reading what a link shows.",
                    answers: [
                        .init(
                            200, "The network link. Of a token that is not valid, a document that says so.",
                            body: [KMLWriter.mediaType: "Text"])
                    ]),
                handler: seeNetworkLink))
        routes.add(
            Route(
                .get, "\(Self.root)/shared/{token}/\(SharedMap.File.map.rawValue)", admits: .linkInPath, over: maps,
                .init(
                    "Links", "Read what a link shows as KML.",
                    answers: [
                        .init(
                            200, "The map, at most 10 s old. Of a token that is not valid, a document that says so.",
                            body: [KMLWriter.mediaType: "Text"]),
                        .init(304, "Nothing has changed since the answer that `If-None-Match` names."),
                    ]),
                handler: seeMap))
    }

    private func seeNetworkLink(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let map = SharedMap(of: try Self.link(context), at: configuration.now())
        let address = request.serverAddress(in: configuration)
        let file = map.networkLink(to: address + SharedMap.path(of: try context.parameter("token"), .map))
        return .kml(file)
    }

    private func seeMap(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let link = try Self.link(context)
        let answer = try await maps.answer(to: link, at: coordinator.lastSequence) { [self] in
            let content = try await content(of: link)
            return SharedAnswer(SharedMap(of: link, at: configuration.now()).document(showing: content))
        }
        return answer.response(to: request, as: KMLWriter.mediaType)
    }
}

/// How routes for programs of maps answer a token that is not valid, or not valid any more: by a document without
/// features that says so. On an error a program keeps the last picture, which would go on looking live.
struct SharedMapProtocol: RouteProtocol {
    /// The token is in the path, where the authorizer finds it.
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? { nil }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        // Too many of an address are told the same: only a token that is not valid is counted.
        case IdentityError.refused, IdentityError.tooManyTries: return .kml(SharedMap.ended)
        default: return nil
        }
    }
}

extension Response {
    fileprivate static func kml(_ file: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: KMLWriter.mediaType],
            body: .init(byteBuffer: ByteBuffer(bytes: file)))
    }
}
